"""The book as PDF, EPUB and a ZIP folder, all made from the built pages.

These editions run no scripts: folded parts are open, derivations and solutions are at the end of their chapter, and
charts are those drawn at build time.
"""

import yaml
from mathbook.folders import PROJECT

NAME = yaml.safe_load((PROJECT / "_config.yml").read_text("utf-8"))["title"]  # of the book
