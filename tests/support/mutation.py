"""Which single slips can be made in the book: a digit of a fact, an operator, a unit, a word of a verdict.

A `Mutant` is one slip in one file. `sample` picks those of each kind whose checksum with the seed is lowest,
so that the same ones are tried again after a change elsewhere.
"""

import ast
import functools
import hashlib
import itertools
import random
import re
from dataclasses import dataclass
from pathlib import Path

from mathbook.unused import module_of

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "mathcore"
CHAPTERS = ENGINE / "chapters"
KINDS = {
    "fact": "a digit of a number from outside",
    "formula": "an operator or a constant of a formula, or of where a derivation begins",
    "step": "an operator or a constant of a later line of a derivation", "unit": "the unit of a symbol",
    "mistake": "an operator or a constant of a usual mistake",
    "option": "the relation under which an option is right", "condition": "a relation of `domain` or `validity`",
    "claim": "a digit of what a text prints", "verdict": "a word with which the core judges",
    "engine": "an operator or a constant of the core"
}  # fmt: skip
CORE = ("*.py", "solution/*.py", "measured/*.py", "teaching/*.py", "commands/*.py")
JUDGING = ("checker.py", "steps.py", "sentences.py", "verification.py", "diagnosis.py", "claims.py")
STARTS = ("start", "minimise", "balance")
STEPS = ("rewrite", "apply", "slope", "root", "curvature", "solve_for", "approximate")
ARGUMENTS = {("Formula", 1): "formula", ("Option", 1): "option", ("Variable", 1): "unit"}
KEYWORDS = {"domain": "condition", "validity": "condition"}
SIGN = re.compile(r"\*\*|//|<<|>>|[<>=!]=|\bis not\b|\bis\b|\band\b|\bor\b|[-+*/<>%@]")


def _pairs(*texts):
    return dict(pair.split(":") for text in texts for pair in text.split(", "))


SWAPPED = _pairs("+:-, -:+, *:/, /:*, <:>, >:<, <=:>=, >=:<=")
EXCHANGED = _pairs("max:min, min:max")
EDGES = _pairs("<:<=, <=:<, >:>=, >=:>, ==:!=, !=:==, is:is not, is not:is, and:or, or:and, //:/, %://")
SAME = _pairs("s:min, min:s, h:min, d:h, year:d, B:bit, bit:B, GB:MB, FLOP:TFLOP, USD:kUSD, J:Wh, kWh:Wh, g:kg")
OTHER = _pairs("s:B, h:GB, B:s, FLOP:B, gpu:token, token:gpu, USD:s, W:J")
WORDS = _pairs("proved:sampled, sampled:proved, assumed:proved, reproduced:rounding, rounding:wrong, is:is not")
WORDS |= _pairs("right:wrong, wrong:right, large:small, small:large")
NUMBER = r"\d[\d.]*(?:e[-+]?\d+)?"


@functools.cache
def text_of(path):
    """Return the text of a file as it is."""
    return path.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Mutant:
    """One slip: of a kind, in a statement of a file, `now` from `start` to `end` of its text."""

    kind: str
    path: Path
    statement: str
    start: int
    end: int
    now: str

    @property
    def was(self):
        """Return what the slip replaces."""
        return text_of(self.path)[self.start : self.end]

    @property
    def line(self):
        """Return the line in the file."""
        return text_of(self.path).count("\n", 0, self.start) + 1

    @property
    def text(self):
        """Return the text of the file with the slip in it."""
        return text_of(self.path)[: self.start] + self.now + text_of(self.path)[self.end :]

    @property
    def place(self):
        """Return `file:statement`, which outlives a change of lines."""
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.statement}"

    @property
    def slip(self):
        """Return what was and what is, with a little of its context."""
        before = text_of(self.path)[max(0, self.start - 12) : self.start].rpartition("\n")[2]
        after = text_of(self.path)[self.end : self.end + 12].partition("\n")[0]
        return f"{before}[{self.was} → {self.now}]{after}".strip()

    @property
    def chapter(self):
        """Return the name of the chapter that is concerned, or an empty text for the core."""
        if not self.path.is_relative_to(CHAPTERS):
            return ""
        return module_of(self.path, CHAPTERS)


def _modules():
    """Return the modules that state something."""
    return (path for path in CHAPTERS.glob("*/*.py") if not path.stem.endswith("simulation"))


def sample(count, seed, kinds=tuple(KINDS)):
    """Return `count` mutants, of each kind the same share, or all there are."""
    found = []
    for left, kind in zip(range(len(kinds), 0, -1), sorted(kinds, key=lambda k: len(sites()[k])), strict=True):
        ranked = sorted(sites()[kind], key=lambda m: _rank(m, seed))
        found += ranked[: -(-(count - len(found)) // left)]
    return found


def _rank(mutant, seed):
    return hashlib.sha256(f"{seed} {mutant.place} {mutant.slip}".encode()).hexdigest()


@functools.cache
def sites():
    """Return all mutants by kind."""
    found = [m for path in sorted(CHAPTERS.glob("*/*facts.toml")) for m in _of_facts(path)]
    found += [m for path in sorted(CHAPTERS.glob("*/*claims.toml")) for m in _of_claims(path)]
    found += [
        m
        for path in sorted(CHAPTERS.glob("*/*exercises.toml"))
        for m in _of_written("mistake", path, "mistakes", '".*"')
    ]
    found += [
        m
        for path in sorted(CHAPTERS.glob("*/*questions.toml"))
        for m in _of_written("option", path, "options", "correct_if")
    ]
    found += [m for path in sorted(_modules()) for m in Chapter(path).mutants()]
    core = [path for part in CORE for path in sorted(ENGINE.glob(part)) if path.stem[0] != "_"]
    found += [m for path in core for m in Core(path).mutants()]
    return {kind: [m for m in found if m.kind == kind] for kind in KINDS}


# ---------------------------------------------------------------- numbers kept as data


def mistyped(number, salt):
    """Return a number with one of its digits mistyped, which depends on the `salt` alone.

    >>> mistyped("989.4", "h100")
    '979.4'
    """
    source = random.Random(f"{number} {salt}")
    at = source.choice([i for i, sign in enumerate(number.partition("e")[0]) if sign.isdigit()])
    digits = "0123456789" if at else "123456789"
    return number[:at] + source.choice(digits.replace(number[at], "")) + number[at + 1 :]


def _digit(kind, path, statement, start, end):
    return Mutant(kind, path, statement, start, end, mistyped(text_of(path)[start:end], statement))


def _of_facts(path):
    for found in re.finditer(rf'^(\w+) = \["({NUMBER})', text_of(path), re.M):
        yield _digit("fact", path, found[1], *found.span(2))


def _of_claims(path):
    statement = ""
    for found in re.finditer(rf'^\[(\w+)\]|^printed = "[<>≤≥~+−-]*\s*({NUMBER})', text_of(path), re.M):
        statement = found[1] or statement
        if found[2]:
            yield _digit("claim", path, statement, *found.span(2))


def _of_written(kind, path, part, key):
    """Yield the slips in the expressions under some keys of one part of each table.

    An operator, a whole number outside a unit, the least for the greatest.
    """
    statement = inside = ""
    for line in re.finditer(r'^\[+(\w+)(?:\.(\w+))?|^(\w+|".*") = "(.*)"$', text_of(path), re.M):
        statement, inside = (line[1], line[2]) if line[1] else (statement, inside)
        written = line[4] if line[4] and inside == part and re.fullmatch(key, line[3]) else ""
        for found in re.finditer(r"\[[^]]*\]|\b(?:max|min)\b|\b\d+\b|\*\*|[<>]=?|[-+*/]", written):
            now = (SWAPPED | EXCHANGED).get(found[0])
            if now or found[0].isdigit():
                start, end = (line.start(4) + at for at in found.span())
                yield Mutant(kind, path, statement, start, end, now or str(int(found[0]) + 1))


# ---------------------------------------------------------------- code


class Code:
    """The syntax tree of a module; subclasses say which parts of it are of which kind."""

    def __init__(self, path):
        """Read the module."""
        self.path, self.text = path, text_of(path)
        self.lines = self.text.splitlines(keepends=True)
        self.starts = [0, *itertools.accumulate(len(line) for line in self.lines)]

    def mutants(self):
        """Yield the mutants of the module."""
        for node in ast.parse(self.text).body:
            name = getattr(node, "name", "") or ast.unparse(getattr(node, "targets", [ast.Name("")])[0])
            yield from self.visit(node, name)

    def span(self, node):
        """Return where a node begins and ends in the text; Python counts columns in bytes."""
        ends = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        return [self.starts[n - 1] + len(self.lines[n - 1].encode()[:at].decode()) for n, at in ends]

    def slips(self, node, swap):
        """Yield `(start, end, now)` for the operator or the whole number that a node is."""
        match node:
            case ast.BinOp(left=left, right=right):
                yield from self._between(left, right, swap)
            case ast.Compare(left=left, comparators=[right, *_]) | ast.BoolOp(values=[left, right, *_]):
                yield from self._between(left, right, swap)
            case ast.Constant(value=int() as number) if type(number) is int:
                yield *self.span(node), str(number + 1)
            case ast.Name(id="Max" | "Min"):
                yield *self.span(node), "Min" if node.id == "Max" else "Max"

    def _between(self, left, right, swap):
        start, end = self.span(left)[1], self.span(right)[0]
        found = SIGN.search(self.text, start, end)
        if found and found[0] in swap:
            yield *found.span(), swap[found[0]]

    def made(self, kind, statement, slips):
        """Yield the mutants of some slips."""
        return (Mutant(kind, self.path, statement, *slip) for slip in slips)


class Chapter(Code):
    """Statements of a chapter."""

    def visit(self, node, statement):
        """Yield the mutants beneath a node."""
        if isinstance(node, ast.FunctionDef):  # the conditions that several formulas share
            for part in (part for part in ast.walk(node) if isinstance(part, ast.Compare)):
                yield from self.of(part, statement, "condition")
        elif isinstance(node, ast.Call):
            yield from self.of_call(node, statement)
        else:
            for part in ast.iter_child_nodes(node):
                yield from self.visit(part, statement)

    def of_call(self, node, statement):
        """Yield the mutants of what a call states."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        always = "formula" if name in STARTS else "step" if name in STEPS else None
        parts = [(part, always or ARGUMENTS.get((name, i))) for i, part in enumerate(node.args)]
        parts += [(word.value, KEYWORDS.get(word.arg)) for word in node.keywords]
        for part, kind in parts:
            yield from self.of(part, statement, kind) if kind else self.visit(part, statement)
        yield from self.visit(node.func, statement)

    def of(self, node, statement, kind):
        """Yield the mutants of an argument: another unit, or those of each part of an expression."""
        if kind == "unit":
            return self.made(kind, statement, self.units(node))
        slips = (slip for part in ast.walk(node) for slip in self.slips(part, SWAPPED))
        return self.made(kind, statement, slips)

    def units(self, node):
        """Yield another unit of the same dimension, and one of another."""
        for known in (SAME, OTHER):
            names = [n for n in re.findall(r"[A-Za-z]+", str(getattr(node, "value", ""))) if n in known]
            if names:
                yield (*self.span(node), '"' + re.sub(rf"\b{names[0]}\b", known[names[0]], node.value, count=1) + '"')


class Core(Code):
    """A module of the core: its operators, and its words where it judges."""

    def visit(self, node, statement):
        """Yield the mutants beneath a definition."""
        for inner, part in self.parts(node, statement):
            yield from self.made("engine", inner, self.slips(part, SWAPPED | EDGES))
            if self.path.name in JUDGING and isinstance(part, ast.Constant) and type(part.value) is str:
                yield from self.made("verdict", inner, self.words(part))

    def parts(self, node, statement):
        """Yield every part that runs, with the name of the innermost definition."""
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            statement = node.name if node.name == statement else f"{statement}.{node.name}"
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if docstring or isinstance(node, ast.JoinedStr):
            return  # before Python 3.12 the parts of an f-string have no positions
        yield statement, node
        for part in ast.iter_child_nodes(node):
            yield from self.parts(part, statement)

    def words(self, node):
        """Yield a text with one of its words exchanged."""
        start, end = self.span(node)
        for word, other in WORDS.items():
            if re.search(rf"\b{word}\b", node.value):
                yield start, end, re.sub(rf"\b{word}\b", other, self.text[start:end], count=1)
