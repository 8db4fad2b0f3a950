"""The book to carry: PDF, EPUB and a folder to unpack, all made from the built pages.

What a reader holds in hand has no script: folds are open, derivations and solutions stand at the end of their
chapter, charts are as they were drawn when the page was built.
"""

import yaml
from mathbook.folders import PROJECT

NAME = yaml.safe_load((PROJECT / "_config.yml").read_text("utf-8"))["title"]  # of the book
