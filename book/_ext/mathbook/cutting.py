"""Chapters cut into pages of one sitting, after Sphinx has written each of them as one page.

The first page keeps the chapter's address, NAME.html; a section that carries a mark (see `leaves`) begins the page
NAME-MARK.html. All pages of a chapter have its frame, with title, contents, headings, neighbours and scripts of
their own. Links follow what moved: see `leading`.
"""

import html
import json
import posixpath
import re
from typing import NamedTuple

from mathbook.frame import PACE, split_title
from mathbook.pages import ALSO, PARTS

SECTION = re.compile(r"<section\b|</section>")
ITEM = re.compile(r"<li>|</li>")
MARKED = re.compile(
    r"<section\b[^>]*>\s*(?:<span id=[^>]*></span>\s*)*<h2>(?:(?!</h2>).)*</h2>\s*<!--mc-page ([\w-]+) (.*?)-->",
    re.DOTALL,
)
MARK = re.compile(r"<!--mc-(?:list|(?:page|words) .*?)-->\n?")
WORDS = re.compile(r"<!--mc-words ([\d ]+)-->")
ARTICLE = re.compile(r'(<article class="mc-article" role="article">\n)(.*)(\n\s*</article>)', re.DOTALL)
HERE = re.compile(r'(<p class="mc-here-head">.*?</p>\s*<ul>\n)(.*?)(</ul>\s*</aside>)', re.DOTALL)
NOW = re.compile(r'<li><a class="mc-now" aria-current="page" href="#">(.*?)</a></li>', re.DOTALL)
TURN = re.compile(r'(?<=\n) *<nav class="mc-turn".*?</nav>\n', re.DOTALL)
NEAR = re.compile(r' *<link rel="(next|prev)" title="(.*?)" href="(.*?)" />\n')
ANCHOR = re.compile(r'#([^"]+)"')
ID = re.compile(r'\sid="([^"]+)"')
FORMULAS = re.compile(r' *<script defer="defer" src="[^"]*/formulas/(\w+)\.js[^"]*"></script>\n')
SCRIPT = re.compile(r' *<script defer="defer" src="[^"]*/(mc-[\w-]+\.js)[^"]*"></script>\n')
DATA = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
TASK = re.compile(r"<mc-(?:exercise|task)\b")
HEADING = re.compile(r"<h2>((?:(?!</h2>).)*)</h2>", re.DOTALL)
PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
TAG = re.compile(r"<[^>]+>")
NEEDS = "<!--mc-needs-->"  # the place of a line that is known when all pages are cut
LIST = "<!--mc-list-->"  # the mark of a list of tables, which is divided by its size
MOST = 6000  # elements of a page of such a list
MANY = 5  # exercises, from which on a page is one of exercises and has no time of reading
LAST = "what-to-remember"  # the section that closes a chapter


class Leaf(NamedTuple):
    """One page of the site: its name with folders, title, subject, first page of its chapter, text, the ids in it."""

    name: str
    title: str
    subject: str
    first: str
    text: str
    ids: frozenset

    @property
    def file(self):
        """Return the last part of the name, by which the pages of a chapter know each other."""
        return posixpath.basename(self.name)


class Piece(NamedTuple):
    """A page in the making: how its name ends, its title as HTML, its sections, its words; None in a list."""

    mark: str
    title: str
    inside: str
    words: int | None

    @property
    def head(self):
        """Return the title as it stands alone."""
        return self.title[:1].upper() + self.title[1:]

    @property
    def told(self):
        """Return how long it takes, or what there is to do, as HTML."""
        if self.words is None:
            return f"{self.inside.count('<tr') - self.inside.count('<thead')} rows"
        tasks = len(TASK.findall(self.inside))
        minutes = max(1, round(self.words / PACE))
        return f"<b>{tasks} exercises</b>" if tasks >= MANY else f"<b>{minutes} min</b> to read"


def sections(text, start=0):
    """Return the places of the sections right beneath the first one from `start` on, and where that one ends.

    >>> sections("<section>a<section>b<section>c</section></section></section>")
    ([(10, 50)], 50)
    """
    depth, found, begun = 0, [], start
    for tag in SECTION.finditer(text, start):
        depth += 1 if tag[0] == "<section" else -1
        if tag[0] == "<section" and depth == 2:
            begun = tag.start()
        elif tag[0] != "<section" and depth == 1:
            found.append((begun, tag.end()))
        elif depth == 0:
            return found, tag.start()
    return found, len(text)


def pieces(article):
    """Return what a chapter is cut into, as Pieces; the first has the whole section around the others.

    >>> text = "<section><h1>A</h1><section><h2>B</h2><!--mc-page b bees--></section></section>"
    >>> [piece.mark for piece in pieces(text)]
    ['', 'b']
    """
    places, end = sections(article)
    if LIST in article:
        return _divided(article, places, end)
    counted = [int(n) for found in WORDS.findall(article)[:1] for n in found.split()] or [0] * (len(places) + 1)
    begins = [(at, MARKED.match(article, start)) for at, (start, _) in enumerate(places)]
    begins = [(at, mark) for at, mark in begins if mark]
    if not begins:
        return [Piece("", "", article, sum(counted))]
    first = begins[0][0]
    found = [Piece("", "", article[: places[first][0]] + article[end:], sum(counted[: first + 1]))]
    for (at, mark), (after, _) in zip(begins, [*begins[1:], (len(places), None)], strict=True):
        inside = article[places[at][0] : places[after - 1][1]]
        found.append(Piece(mark[1], mark[2], inside, sum(counted[at + 1 : after + 1])))
    return found


def _divided(article, places, end):
    """Return the pages of a list of tables, each with as many of its sections as a browser lays out at once."""
    groups = [[]]
    for place in places:
        if groups[-1] and _elements(article, [*groups[-1], place]) > MOST:
            groups.append([])
        groups[-1].append(place)
    if len(groups) < 2:
        return [Piece("", "", article, None)]
    found = [Piece("", "", article[: groups[0][-1][1]] + article[end:], None)]
    for group in groups[1:]:
        inside = article[group[0][0] : group[-1][1]]
        heads = [html.unescape(TAG.sub("", head)).rstrip("¶ ") for head in HEADING.findall(inside)]
        title = f"from {heads[0]} to {heads[-1]}" if len(group) > 1 else heads[0]
        mark = re.search(r'id="(?:of-)?([^"]+)"', inside)[1]
        found.append(Piece(mark, html.escape(title, quote=False), inside, None))
    return found


def _elements(article, places):
    return sum(article.count("<", *place) - article.count("</", *place) for place in places)


def cut(name, text):
    """Return the Leaves of a finished page: itself, or where it has marks the pages of the chapter."""
    article = ARTICLE.search(text)
    found = pieces(article[2]) if article else []
    titled = re.search(r"<title>(.*?)</title>", text, re.DOTALL)
    title = TAG.sub("", titled[1]).partition(" — ")[0].strip() if titled else ""
    if len(found) < 2:
        return [Leaf(name, title, split_title(title)[0], name, text, frozenset(ID.findall(text)))]
    chapter = Chapter(name, title, text, found)
    return [chapter.leaf(at) for at in range(len(found))]


class Chapter(NamedTuple):
    """A chapter that is cut: its page as Sphinx wrote it, and the Pieces of it."""

    name: str
    title: str
    text: str
    pieces: list

    @property
    def listing(self):
        """Tell whether this is a list of an appendix."""
        return self.pieces[0].words is None

    @property
    def subject(self):
        """Return the subject of the chapter, with its number, without what its title says of it; of a list all."""
        return self.title if self.listing else self.title.partition(": ")[0]

    def file(self, at):
        """Return the name of the file of a page."""
        stem = posixpath.basename(self.name).removesuffix(".html")
        return f"{stem}-{self.pieces[at].mark}.html" if at else f"{stem}.html"

    def leaf(self, at):
        """Return one page."""
        piece, (head, rest) = self.pieces[at], self.text.split("</head>", 1)
        joint = ", " if self.listing else ": "
        title = f"{self.subject}{joint}{piece.title}" if at else self.title
        inside = self._article(at)
        head = self._scripts(self._described(head, title, at), inside)
        rest = ARTICLE.sub(lambda found: found[1] + inside + found[3], rest, count=1)
        rest = NOW.sub(lambda found: self._contents(found[1], at), rest, count=1)
        rest = HERE.sub(lambda found: found[1] + _headings(found[2], inside) + found[3], rest, count=1)
        head, rest = self._neighbours(head, rest, at)
        text = MARK.sub("", f"{head}</head>{rest}")
        name = posixpath.join(posixpath.dirname(self.name), self.file(at))
        return Leaf(name, title, self.subject, self.name, text, frozenset(ID.findall(text)))

    def _article(self, at):
        """Return what a page holds: the first tells of the others, these of the first."""
        piece, whole = self.pieces[at], sum(max(1, round((each.words or 0) / PACE)) for each in self.pieces)
        if at:
            above = f'<a href="{self.file(0)}">{self.subject}</a>, page {at + 1} of {len(self.pieces)}'
            needs = "" if self.listing else NEEDS
            about = f'<ul class="mc-about"><li>{piece.told}</li>{needs}</ul>'
            head = f'<p class="mc-above">{above}</p>\n<h1>{piece.head}</h1>{about}{self._within(piece.inside)}'
            inside = HEADING.sub(lambda found: _once(found, piece.head), piece.inside, count=1)
            return f'<section class="mc-leaf">\n{head}\n{inside}\n</section>'
        said = f"<li>{piece.told}, the chapter {whole} min</li>"
        inside = re.sub(r"<li><b>\d+ min</b> to read</li>", said, piece.inside, count=1)
        end = inside.rindex("</section>")
        begun = sections(inside)[0]
        place = begun[0][0] if begun else end
        return f"{inside[:place]}{self._list()}{self._within(inside)}\n{inside[place:]}"

    def _within(self, inside):
        """Return the headings of a page as a fold, for a screen that has no room for them beside the text."""
        listed = HERE.search(self.text)
        links = _headings(listed[2], inside) if listed else ""
        if links.count("<li>") < 2:
            return ""
        return f'<details class="mc-within"><summary>On this page</summary><ul>{links}</ul></details>'

    def _list(self):
        """Return the pages of the chapter with how long they take, and a link to its end."""
        rows = [f'<a href="{self.file(0)}" aria-current="page">This page</a>']
        rows += [f'<a href="{self.file(at)}">{piece.head}</a>' for at, piece in enumerate(self.pieces[1:], 1)]
        listed = [f"<li>{row} <small>{piece.told}</small></li>" for row, piece in zip(rows, self.pieces, strict=True)]
        last = [self.file(at) for at, piece in enumerate(self.pieces) if f'id="{LAST}"' in piece.inside]
        short = "".join(f'<p>In a hurry: <a href="{file}#{LAST}">five things to remember</a>.</p>' for file in last)
        what = "list" if self.listing else "chapter"
        head = f'<p class="mc-label">The {len(rows)} pages of this {what}</p><ol>{"".join(listed)}</ol>{short}'
        named = f'class="mc-pages" aria-label="Pages of this {what}" data-moved="{moved_name(self.name)}"'
        return f"<nav {named}>{head}</nav>"

    def _contents(self, entry, at):
        """Return the chapter's entry among the contents of the book, with its pages."""
        rows = [f'<li><a href="{self.file(i)}">{each.head}</a></li>' for i, each in enumerate(self.pieces[1:], 1)]
        now = '<a class="mc-now" aria-current="page" href="#">'
        first = f"{now}{entry}</a>" if not at else f'<a class="mc-now" href="{self.file(0)}">{entry}</a>'
        if at:
            rows[at - 1] = f"<li>{now}{self.pieces[at].head}</a></li>"
        return f'<li>{first}<ul class="mc-leaves">{"".join(rows)}</ul></li>'

    def _described(self, head, title, at):
        """Return the head with the title, the description and the address of this page."""
        if not at:
            return head
        said = PARAGRAPH.search(self.pieces[at].inside)
        text = " ".join(TAG.sub("", said[1] if said else title).split())
        short = text if len(text) < 160 else text[:157].rpartition(" ")[0] + " …"
        head = head.replace(self.title, title)
        head = re.sub(r'((?:name|property)="(?:og:)?description" content=)"[^"]*"', lambda m: f'{m[1]}"{short}"', head)
        told = json.dumps(html.unescape(short), ensure_ascii=False).replace("</", "<\\/")
        head = re.sub(r'("description": )"(?:[^"\\]|\\.)*"', lambda m: m[1] + told, head, count=1)
        return re.sub(rf'((?:content|href)="https?:[^"]*/){re.escape(self.file(0))}"', rf'\g<1>{self.file(at)}"', head)

    def _scripts(self, head, inside):
        """Return the head without the scripts that this page does not need."""
        data = "".join(DATA.findall(inside))

        def formulas(found):
            needed = f'"{found[1]}.' in data or (found[1] == "units" and data)
            return found[0] if needed else ""

        head = FORMULAS.sub(formulas, head)
        return SCRIPT.sub(lambda found: found[0] if needed(found[1], inside) else "", head)

    def _neighbours(self, head, rest, at):
        """Return the page with links to those before and after it; the chapters around are kept at the ends."""
        found = {kind: (title, link) for kind, title, link in NEAR.findall(head)}
        if at:
            found["prev"] = (self.pieces[at - 1].head if at > 1 else self.title, self.file(at - 1))
        if at + 1 < len(self.pieces):
            found["next"] = (self.pieces[at + 1].head, self.file(at + 1))
        links = "".join(f'  <link rel="{k}" title="{title}" href="{link}" />\n' for k, (title, link) in found.items())
        return NEAR.sub("", head) + links, TURN.sub(lambda _: turned(found), rest, count=1)


def _once(heading, title):
    """Return the first heading of a page; for listeners alone where the page is called like it."""
    same = html.unescape(TAG.sub("", heading[1])).rstrip("¶ ") == html.unescape(title)
    return f'<h2 class="mc-hidden">{title}</h2>' if same else heading[0]


def turned(found):
    """Return the links at the end of a page, from `{"prev" or "next": (title, link)}`."""
    said = {"prev": "before", "next": "next"}
    links = [
        f'      <a rel="{kind}" href="{found[kind][1]}"><small>{word}</small> {found[kind][0]}</a>\n'
        for kind, word in said.items()
        if kind in found
    ]
    return f'    <nav class="mc-turn" aria-label="Previous and next page">\n{"".join(links)}    </nav>\n'


def needed(script, inside):
    """Tell whether a page with this inside needs one of the scripts for some pages only."""
    signs = [f"<mc-{part}" for part, names in PARTS.items() if script in names]
    signs += [sign for sign, name in ALSO.items() if name == script]
    if script == "mc-special.js":
        signs = [f"<mc-{part}" for part in PARTS]
    return not signs or any(sign in inside for sign in signs)


def _headings(listed, inside):
    """Return of a list of headings those that stand on the page."""
    kept, depth, begun = [], 0, 0
    for tag in ITEM.finditer(listed):
        if tag[0] == "<li>":
            begun = tag.start() if not depth else begun
            depth += 1
        else:
            depth -= 1
            if not depth:
                kept.append(listed[begun : tag.end()])
    return "\n".join(item for item in kept if f'id="{ANCHOR.search(item)[1]}"' in inside) + "\n"


def moved_name(chapter):
    """Return where, beneath `_static`, the table of what moved from a chapter's first page stands.

    >>> moved_name("book/chapters/young-daly/index.html")
    'moved/young-daly.js'
    """
    return f"moved/{posixpath.basename(chapter).removesuffix('.html')}.js"
