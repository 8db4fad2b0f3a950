"""Scripts and metadata of a page."""

import html
import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from mathbook import outline
from mathbook.domain_access import get_domain
from mathbook.frame import has_own_theme
from mathcore.types import AnyDict, JsonObject

SCRIPT_OF_ELEMENT = {"explorer": "mc-calculators.js"}
SCRIPT_OF_ELEMENT |= {name: f"mc-{name}.js" for name in ("exercise", "question", "task", "open", "lab")}
LEDGER = 'class="mc-ledger"'
# Markup that needs a script.
SCRIPTS_OF_MARKUP = {
    'class="mc-reveal-after"': "mc-question.js",
    f"{LEDGER} ": "mc-question.js",  # computes the verdicts of commitments,
    f"{LEDGER} data-list": "mc-exercise.js",  # and of predictions
    '"commit":{': "mc-question.js",
    '"start":[': "mc-lab.js",
    LEDGER: "mc-lab.js",
    'class="mc-filter"': "mc-filter.js",
    'class="mc-live"': "mc-live.js",
    'class="mc-animation"': "mc-diagram.js",
}


def setup(app: Sphinx) -> None:
    """Connect to the writing of pages."""
    app.connect("html-page-context", _scripts)
    app.connect("html-page-context", _description)


def _scripts(app: Sphinx, pagename: str, template: str, context: AnyDict, doctree: nodes.document | None) -> None:
    body = context.get("body", "")
    wanted = ["mc.js"]
    parts = [name for part, name in SCRIPT_OF_ELEMENT.items() if f"<mc-{part}" in body]
    if parts or LEDGER in body:
        folder = Path(app.config.mathbook_static) / "formulas"
        known = get_domain(app.env).chapters_used(pagename)
        used = [each for each in known if _names_chapter(body, each) and _has_functions(folder / f"{each}.js")]
        wanted += ["mc-special.js", "formulas/units.js", *(f"formulas/{chapter}.js" for chapter in used)]
    parts += [name for sign, name in SCRIPTS_OF_MARKUP.items() if sign in body and name not in parts]
    for name in [*wanted, *dict.fromkeys(parts)]:
        app.add_js_file(name, loading_method="defer")


def _names_chapter(body: str, chapter: str) -> bool:
    """Return whether a specification in the HTML of a page names a statement of a chapter."""
    return re.search(rf'[^=]"{re.escape(chapter)}\.\w+"', html.unescape(body)) is not None


def _has_functions(script: Path) -> bool:
    """Return whether the script of a chapter defines functions; that of a chapter with facts only does not."""
    return not script.exists() or "mc.define({\n\n})" not in script.read_text("utf-8")


def _description(app: Sphinx, pagename: str, template: str, context: AnyDict, doctree: nodes.document | None) -> None:
    """Add the first paragraph as the description of the page, for search engines and link previews."""
    if not doctree or not has_own_theme(app):
        return
    text = " ".join(_first_words(doctree).replace("\u202f", " ").split())
    if not text:
        return
    short = text if len(text) < 160 else text[:157].rpartition(" ")[0] + " …"
    title = html.escape(outline.full_title(app.env, pagename))
    properties = {"og:type": "article", "og:site_name": context["docstitle"]}
    properties |= {"og:title": title, "og:description": short}
    if context.get("pageurl"):
        properties |= {"og:url": context["pageurl"], "og:image": f"{app.config.html_baseurl}_static/card.png"}
    tags = [f'<meta name="description" content="{html.escape(short)}" />']
    texts = {name: html.escape(html.unescape(content)) for name, content in properties.items()}
    tags += [f'<meta property="{name}" content="{content}" />' for name, content in texts.items()]
    tags.append(f'<script type="application/ld+json">{_structured_data(context, title, short)}</script>')
    context["metatags"] = context.get("metatags", "") + "\n" + "\n".join(tags) + "\n"


def _first_words(doctree: nodes.document) -> str:
    """Return the text of the first paragraph; of a page that has tables only, its title and those of its sections."""
    paragraph = next(doctree.findall(nodes.paragraph), None)
    if paragraph is None:
        titles = [title.astext() for title in doctree.findall(nodes.title)]
        return f"{titles[0]}: {', '.join(titles[1:])}".removesuffix(": ") if titles else ""
    parts = [part.astext() for part in paragraph.findall(nodes.Text) if not isinstance(part.parent, nodes.raw)]
    return "".join(parts)  # an author's comment is raw HTML


def _structured_data(context: AnyDict, title: str, short: str) -> str:
    """Return the structured data of the page in the vocabulary of schema.org."""
    whole = {"@type": "Book", "name": context["docstitle"], "license": "https://creativecommons.org/licenses/by/4.0/"}
    data: JsonObject = {
        "@context": "https://schema.org",
        "@type": "Chapter",
        "name": html.unescape(title),
        "description": short,
    }
    data |= {"inLanguage": "en", "isPartOf": whole, "version": context.get("mc_version", "")}
    return json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
