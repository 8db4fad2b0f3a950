"""`mc-box`: a passage set apart; `mc-progress`: the place where a reader's progress is shown."""

import json
from pathlib import Path

from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from mathbook.elements import element
from mathbook.scribe import Scribe
from mathcore import Exercise
from mathcore.library import chapter_entities, chapter_names

KINDS = {
    "print": "In print",
    "warn": "Beware",
    "when": "When this holds",
    "key": "Remember",
}


class Box(SphinxDirective):
    """Set a passage apart; the argument is its kind, the title is in the option."""

    required_arguments = 1
    has_content = True
    option_spec = {"title": directives.unchanged}  # noqa: RUF012  docutils wants a dict here

    def run(self):
        """Return the box, with its title as its name for screen readers."""
        kind = self.arguments[0]
        if kind not in KINDS:
            raise self.error(f"a box of kind `{kind}`: choose one of {', '.join(KINDS)}")
        scribe = Scribe(self)
        title = self.options.get("title", KINDS[kind])
        head = element("p", "mc-head", *scribe.prose(title))
        box = element("aside", "mc-box", head, data_box=kind, aria_label=title)
        self.state.nested_parse(self.content, self.content_offset, box)
        return [scribe.located(box)]


class Progress(SphinxDirective):
    """Leave room for the reader's progress, with the titles of all exercises in the book."""

    def run(self):
        """Return the empty place; the page's script fills it."""
        pages = {page.stem.replace("-", "_") for page in Path(self.env.srcdir).glob("book/chapters/*.md")}
        titles = {
            address: entity.title
            for chapter in chapter_names()
            if chapter in pages
            for address, entity in chapter_entities(chapter)
            if isinstance(entity, Exercise)
        }
        listed = json.dumps(titles, ensure_ascii=False)
        return [element("div", "mc-progress", data_total=str(len(titles)), data_list=listed)]


def setup(app):
    """Register the directives with Sphinx."""
    app.add_directive("mc-box", Box)
    app.add_directive("mc-progress", Progress)
