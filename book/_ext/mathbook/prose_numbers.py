"""Counts of the numbers in a page's prose: computed, cited or free; and the free numbers that are not allowed.

A number printed by a role is computed or, if its address is a Fact, cited. Digits in the prose are free; a free number
is rejected unless its line gives a reason: `<!-- number: reason -->`. Integers up to ten, ordinals, and years in dates
and citations are not counted.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mathbook import relations
from mathbook.values import split_part
from mathcore.errors import ROOT, UnknownAddress
from mathcore.facts import Fact
from mathcore.library import find

if TYPE_CHECKING:
    from mathcore.statements import Statement


PAGES = ROOT / "book"
VALUE_ROLE = re.compile(r"\{mc:value\}`([^`|;]+?)\s*(?:[|;][^`]*)?`")
EXEMPTION = re.compile(r"<!--\s*number:\s*\S.*?-->")
FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
ADMONITION = re.compile(r"^\s*(?:`{3,}|~{3,})\{(?:admonition|note|tip|warning|important)")
# What is not prose: roles, code, mathematics, links, HTML, directive heads and options.
NOT_PROSE = re.compile(
    r"\{[\w:.-]+\}`[^`]*`|`[^`]*`|\$\$.*?\$\$|\$[^$]+\$|\]\([^)]*\)|<!--.*?-->|<[^>]+>|https?://\S+"
    r"|\b[A-Z]\w+(?:[ -]\d(?:\.\d)?)?[ -]\d+(?:\.\d+)?B\b"  # the name of a model: Llama 3 405B, OPT-175B
    r"|^\s*:::+\s*\{.*$|^\s*:[\w-]+:.*$|^\s*\[\^?[\w-]+\]:.*$|^\([\w-]+\)=$"
)
NUMBER = re.compile(r"(?<![\w.])[+−-]?\d[\w,.·⁻\u202f\u00a0]*(?:\s?[%‰])?")  # 40GB, 16x, 5e6, 3·10⁷ too
YEAR = re.compile(r"(19[4-9]\d|20[0-3]\d)s?")  # 2048 is a power of two, not a year
ORDINAL = re.compile(r"\d+(st|nd|rd|th)")
TECHNICAL_NAME = re.compile(r"\dD|1F1B")  # 3D parallelism and a pipeline's schedule are words


@dataclass(frozen=True)
class NumberCount:
    """Counts of one page: numbers computed, cited, free as `(line, text)`, and exempted; and asserted relations."""

    computed: int
    cited: int
    free: tuple
    exempted: int = 0
    asserted: int = 0


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield `(line number, line)` of the prose: without front matter, fenced blocks and comments."""
    lines = text.splitlines()
    open_fences: list[tuple[str, str]] = []
    start = 0
    if lines and lines[0].strip() == "---":
        start = next((i for i, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0) + 1
    for number, line in enumerate(lines[start:], start + 1):
        fence = FENCE.match(line)
        if open_fences and line.strip() == open_fences[-1][0]:
            open_fences.pop()
        elif open_fences and open_fences[-1][1] == "code":
            continue
        elif fence:
            open_fences.append((fence[1], "prose" if ADMONITION.match(line) else "code"))
        else:
            yield number, line


def numbers_in(line: str) -> list[str]:
    """Return the free numbers in a line of prose.

    >>> numbers_in("In 2006 it took 117 min, the 3rd try of 4 in {mc:value}`young_daly.act_one`.")
    ['117']
    """
    bare = NOT_PROSE.sub(" ", line)
    numbers = [match[0].strip(" .,") for match in NUMBER.finditer(bare)]
    return [text for text in numbers if text and not _is_word(text)]


def _is_word(text: str) -> bool:
    plain = text.lstrip("+−-")
    small = plain.isdigit() and int(plain) <= 10 and plain == text
    return small or any(kind.fullmatch(plain) for kind in (YEAR, ORDINAL, TECHNICAL_NAME))


def count_numbers(path: Path) -> "NumberCount":
    """Return the counts of the numbers on the page at `path`.

    Raises: UnknownAddress for a role whose address leads nowhere, with the line of the page.
    """
    computed = cited = excused = words = 0
    free = []
    for number, line in prose_lines(Path(path).read_text(encoding="utf-8")):
        for match in VALUE_ROLE.finditer(line):
            fact = isinstance(_statement(match[1], path, number), Fact)
            cited, computed = cited + fact, computed + (not fact)
        words += len(relations.ASSERT_ROLE.findall(line))
        numbers = numbers_in(line)
        if EXEMPTION.search(line):
            excused += len(numbers)
        else:
            free += [(number, text) for text in numbers]
    return NumberCount(computed, cited, tuple(free), excused, words)


def _statement(text: str, path: Path, number: int) -> "Statement":
    try:  # `formula @ example` is computed; `example.C` is a given of `example`
        return find(split_part(text.split("@")[0].strip())[0])
    except UnknownAddress as error:
        raise UnknownAddress.of(error, f"{_relative(path)}:{number}") from error


def page_issues(path: Path) -> list[Any]:
    """Return one message for each free number of a page and for each asserted relation that fails.

    Each has the form `file:line: what: what to do`.
    """
    free = [
        f"{_relative(path)}:{number}: the number `{text}` is typed by hand: use {{mc:value}}`address`, or give a "
        "reason on the line with <!-- number: reason -->"
        for number, text in count_numbers(path).free
    ]
    return free + _failed_relations(path)


def _failed_relations(path: Path) -> list[str]:
    """Return one message for each asserted relation of a page that fails."""
    lines = prose_lines(Path(path).read_text(encoding="utf-8"))
    relation_texts = [(number, relation) for number, line in lines for relation in relations.ASSERT_ROLE.findall(line)]
    messages = [(number, relations.relation_issue(relation)) for number, relation in relation_texts]
    return [f"{_relative(path)}:{number}: {what}" for number, what in messages if what]


def _relative(path: Path) -> str:
    path = Path(path).resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def pages_with_prose(folder: Path | Sequence[Path] = PAGES) -> list[Path]:
    """Return the pages whose numbers are counted, sorted: those below a folder, or those in a list of paths."""
    paths = folder.rglob("*.md") if isinstance(folder, Path) else folder
    return sorted(p for p in paths if not p.name.startswith("_"))
