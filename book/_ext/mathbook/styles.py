"""One small style sheet of the book's own: the page, the book's elements, the diagrams.

A rule stays when every class, id and tag of its selector occurs in some page, or as a word in a script
(which may put it there).
"""

import hashlib
import re

from mathbook import cache

SHEETS = ("page.css", "book.css", "mc-draw.css")
MERGED = "site.css"
LINK = re.compile(r'(href="[^"]*_static/site\.css)"')
TOKEN = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|url\([^)"\']*\)|[{};]', re.DOTALL)
QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
NESTING = ("@media", "@supports", "@layer", "@container")
SCOPED = re.compile(r"\([^()]*\)|\[[^\]]*\]|::?[\w-]+")
NAMES = re.compile(r"([.#]?)((?:[\w-]|\\.)+)")


def gather(site, texts, names):
    """Write one purged style sheet; return the texts of the pages, by name, with its version in their links.

    `texts` maps the names of pages to their texts, and `names` are those of tags, classes and ids in them.
    """
    static = site / "_static"
    style = [re.sub(r"/\*.*?\*/", "", (static / name).read_text("utf-8"), flags=re.DOTALL) for name in SHEETS]
    known = _words(static) | names
    merged = _slim(_purged(style, known & _named(style)))
    for sheet in {*static.rglob("*.css")}:
        sheet.unlink()
    (static / MERGED).write_text(merged, "utf-8")
    version = hashlib.sha256(merged.encode()).hexdigest()[:8]
    return {name: LINK.sub(rf'\1?v={version}"', text) for name, text in texts.items()}


def _slim(style):
    """Return a style sheet without the room that only its author needs; what stands in quotes stays.

    >>> _slim("a { b: c;\\n  d: '; e:  f'; }")
    "a{b:c;d:'; e:  f';}"
    """
    quoted = iter(QUOTED.findall(style))
    bare = re.sub(r"\s+", " ", QUOTED.sub('""', style))
    slim = re.sub(r"\s*([{};])\s*", r"\1", re.sub(r":\s+(?=[^{}]*[;}])", ":", bare))
    return re.sub('""', lambda _: next(quoted), slim)


def _named(style):
    """Return all names in style sheets, without the backslashes of a selector."""
    found = {name for text in style for _, name in NAMES.findall(text)}
    return {re.sub(r"\\(.)", r"\1", name) for name in found}


def _purged(style, known):
    """Return the merged rules that can apply to something; they are kept for the same sheets and names."""
    checksum = hashlib.sha256(repr((style, sorted(known))).encode()).hexdigest()
    return cache.recalled("style", checksum, lambda: "".join([purged(text, known) for text in style]))


def names_in(text):
    """Return the tags, classes and ids of a page.

    >>> sorted(names_in('<p class="a b" id="c">'))
    ['a', 'b', 'c', 'p']
    """
    values = re.findall(r'\b(?:class|id)="([^"]*)"', text)
    return frozenset(re.findall(r"<([a-z][\w-]*)", text)).union(*(value.split() for value in values))


def _words(static):
    """Return the words of all scripts but the formulas, which put no element into a page, and plotly."""
    scripts = [path for path in static.rglob("*.js") if path.parent.name != "formulas"]
    texts = [path.read_text("utf-8") for path in scripts if not path.name.startswith("plotly")]
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
