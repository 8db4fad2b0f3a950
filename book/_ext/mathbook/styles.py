"""One small style sheet for all that the theme brings, and an icon font of the icons in use.

The theme, its base and six extensions bring 400 KB of rules for things that no page has. A rule
stays when every class, id and tag of its selector occurs in some page, or as a word in a script
(which may put it there). KaTeX's style and the book's own are left alone.
"""

import base64
import hashlib
import io
import os
import re
from functools import partial

from mathbook import cache

OWN = ("katex", "book.css")
LINK = re.compile(r'[ \t]*<link\b[^>]*href="([^"?]*_static/)([^"?]+\.css)[^>]*>\n?')
TOKEN = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|url\([^)"\']*\)|[{};]', re.DOTALL)
NESTING = ("@media", "@supports", "@layer", "@container")
SCOPED = re.compile(r"\([^()]*\)|\[[^\]]*\]|::?[\w-]+")
NAMES = re.compile(r"([.#]?)((?:[\w-]|\\.)+)")
MERGED = "styles/site.css"
TRUETYPE = re.compile(r',url\([^)]*\.ttf\) format\("truetype"\)')


def gather(site, pages):
    """Write one purged style sheet; return the texts of the pages, by name, with a link to it.

    `pages` maps names to what has `text` and `names`, those that occur in it.
    """
    static = site / "_static"
    linked = _linked(pages)
    # mended pages have spans in summaries, where a paragraph may not stand
    style = [_rebased(static, name).replace("summary>p.", "summary>span.") for name in linked]
    known = _words(static).union(*(page.names for page in pages.values()))
    merged = _purged(style, known & _named(style))
    for name in linked:
        (static / name).unlink()
    (static / MERGED).write_text(TRUETYPE.sub("", merged), "utf-8")
    _cut_icons(static, merged)
    return {name: _relinked(page.text) for name, page in pages.items()}


def _named(style):
    """Return all names in style sheets, without the backslashes of a selector."""
    found = {name for text in style for _, name in NAMES.findall(text)}
    return {re.sub(r"\\(.)", r"\1", name) for name in found}


def _purged(style, known):
    """Return the merged rules that can apply to something; they are kept for the same sheets and names."""
    checksum = hashlib.sha256(repr((style, sorted(known))).encode()).hexdigest()
    return cache.recalled("style", checksum, lambda: "".join([purged(text, known) for text in style]))


def _linked(pages):
    order = {}
    for page in pages.values():
        order |= dict.fromkeys(name for _, name in LINK.findall(_head(page.text)) if not name.startswith(OWN))
    return list(order)


def _head(text):
    return text.partition("</head>")[0]


def _relinked(text):
    head = _head(text)
    rest = text[len(head) :]
    found = [match for match in LINK.finditer(head) if not match[2].startswith(OWN)]
    for match in reversed(found[1:]):
        head = head[: match.start()] + head[match.end() :]
    if found:
        link = f'    <link rel="stylesheet" href="{found[0][1]}{MERGED}" />\n'
        head = head.replace(found[0][0], link, 1)
    return head + rest


def _rebased(static, name):
    """Return a style sheet with its imports put in and its addresses relative to the merged one."""
    folder = (static / name).parent
    text = re.sub(r"/\*.*?\*/", "", (static / name).read_text("utf-8"), flags=re.DOTALL)
    text = re.sub(r"^@charset [^;]*;", "", text.strip("\ufeff \n"))
    base = (static / MERGED).parent

    def imported(match):
        return _rebased(static, (folder / match[1]).resolve().relative_to(static.resolve()).as_posix())

    def address(match):
        if match[2].startswith(("data:", "#", "http")):
            return match[0]
        target, query, rest = match[2].partition("?")
        path = (folder / target).resolve()
        return f"url({os.path.relpath(path, base.resolve())}{query}{rest})"

    text = re.sub(r"url\(([\"']?)([^\"')]+)\1\)", address, text)
    return re.sub(r'@import "([^"]+)";', imported, text)


def names_in(text):
    """Return the tags, classes and ids of a page.

    >>> sorted(names_in('<p class="a b" id="c">'))
    ['a', 'b', 'c', 'p']
    """
    values = re.findall(r'\b(?:class|id)="([^"]*)"', text)
    return frozenset(re.findall(r"<([a-z][\w-]*)", text)).union(*(value.split() for value in values))


def _words(static):
    """Return the words of all scripts but plotly and the formulas, which put no element into a page."""
    scripts = [path for path in static.rglob("*.js") if not path.name.startswith("plotly")]
    texts = [path.read_text("utf-8") for path in scripts if path.parent.name != "formulas"]
    return set().union(*(re.findall(r"[A-Za-z_][\w-]*", text) for text in texts))


def purged(text, known):
    """Return the rules of a style sheet that can apply to something.

    >>> purged(".a .b{x:y}.a,.c{x:y}@media print{.c{x:y}}", {"a"})
    '.a{x:y}'
    """
    return "".join(_kept(prelude, body, known) for prelude, body in rules(text))


def _kept(prelude, body, known):
    if body is None:
        return f"{prelude};"
    if prelude.startswith(NESTING):
        inside = purged(body, known)
        return f"{prelude}{{{inside}}}" if inside else ""
    if prelude.startswith("@"):
        return f"{prelude}{{{body}}}"
    selectors = [s for s in split(prelude) if can_apply(s, known)]
    return f"{','.join(selectors)}{{{body}}}" if selectors else ""


def rules(text):
    """Yield `(prelude, body)` of the rules; the body is None for a statement such as `@import`."""
    start = depth = 0
    prelude = ""
    for token in TOKEN.finditer(text):
        sign = token[0]
        if sign == "{":
            if depth == 0:
                prelude, start = text[start : token.start()].strip(), token.end()
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                yield prelude, text[start : token.start()].strip()
                start = token.end()
        elif sign == ";" and depth == 0:
            yield text[start : token.start()].strip(), None
            start = token.end()


def split(prelude):
    """Return the selectors of a rule.

    >>> split(".a:is(.b, .c), p")
    ['.a:is(.b, .c)', 'p']
    """
    found, depth, start = [], 0, 0
    for index, sign in enumerate(prelude):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            found.append(prelude[start:index].strip())
            start = index + 1
    return [*found, prelude[start:].strip()]


def can_apply(selector, known):
    """Tell whether every class, id and tag of a selector is known; what is in brackets is not asked.

    >>> can_apply("html[data-theme=dark] .a:not(.b)::before", {"html", "a"})
    True
    """
    plain, before = selector, ""
    while plain != before:
        plain, before = SCOPED.sub(" ", plain), plain
    return all(re.sub(r"\\(.)", r"\1", name) in known for _, name in NAMES.findall(plain))


def _cut_icons(static, style):
    """Keep of each icon font only the icons that the style sheet names."""
    wanted = {int(code, 16) for code in re.findall(r'"\\(f[0-9a-f]{3})"', style)}
    wanted |= {ord(sign) for sign in style if 0xE000 <= ord(sign) <= 0xF8FF}  # some are written as they are
    for font in static.glob("vendor/fontawesome/webfonts/*.woff2"):
        checksum = hashlib.sha256(font.read_bytes() + repr(sorted(wanted)).encode()).hexdigest()
        cut = cache.recalled("icons", checksum, partial(_subset, font, wanted))
        font.write_bytes(base64.b64decode(cut))


def _subset(font, wanted):
    """Return the icons wanted of a font, as a font in base64."""
    from fontTools import subset

    options = subset.Options(flavor="woff2", drop_tables=["GSUB", "GPOS"], notdef_outline=True)
    loaded, cut = subset.load_font(font, options), io.BytesIO()
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=wanted)
    cutter.subset(loaded)
    subset.save_font(loaded, cut, options)
    return base64.b64encode(cut.getvalue()).decode()
