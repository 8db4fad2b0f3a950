"""The book as PDF, EPUB and a ZIP folder, all made from the built pages.

These editions run no scripts: folded parts are open, derivations and solutions are at the end of their chapter, and
charts are those drawn at build time.
"""
