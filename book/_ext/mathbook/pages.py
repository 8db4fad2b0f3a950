"""What every page gets: the scripts it needs, in order, and a description for search engines."""

import html

from docutils import nodes

PARTS = {
    "explorer": ("mc-chart.js", "mc-panels.js", "mc-explorer.js"),
    "exercise": ("mc-exercise.js",),
    "question": ("mc-question.js",),
    "task": ("mc-task.js",),
    "lab": ("mc-lab.js",),
}
LEDGER = 'class="mc-ledger"'
# What else a page may hold, and the script that moves it.
ALSO = {
    'class="mc-after"': "mc-question.js",
    f"{LEDGER} ": "mc-question.js",  # it judges anew what was committed
    '"commit": {': "mc-question.js",
    '"start": [': "mc-lab.js",
    LEDGER: "mc-lab.js",
    'class="mc-filter"': "mc-filter.js",
}


def setup(app):
    """Connect to the writing of pages."""
    app.connect("html-page-context", _scripts)
    app.connect("html-page-context", _description)


def _scripts(app, pagename, template, context, doctree):
    body = context.get("body", "")
    wanted = ["mc-core.js"]
    parts = [name for part, names in PARTS.items() if f"<mc-{part}" in body for name in names]
    if parts or LEDGER in body:
        used = app.env.get_domain("mathbook").chapters(pagename)
        wanted += ["mc-special.js", "formulas/units.js", *(f"formulas/{chapter}.js" for chapter in used)]
    parts += [name for sign, name in ALSO.items() if sign in body and name not in parts]
    for name in [*wanted, "mc-page.js", "mc-store.js", "mc-find.js", *dict.fromkeys(parts)]:
        app.add_js_file(name, loading_method="defer")


def _description(app, pagename, template, context, doctree):
    """Describe the page by its first paragraph."""
    paragraph = next(doctree.findall(nodes.paragraph), None) if doctree else None
    if paragraph is not None:
        text = " ".join(paragraph.astext().replace("\u202f", " ").split())
        short = text if len(text) < 160 else text[:157].rpartition(" ")[0] + " …"
        tag = f'<meta name="description" content="{html.escape(short)}" />'
        context["metatags"] = context.get("metatags", "") + tag + "\n"
