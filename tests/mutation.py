"""Which single slips can be made in the book: a digit of a fact, an operator, a unit, a word of a verdict.

A `Mutant` is one slip in one file. `sample` picks those of each kind whose checksum with the seed is lowest,
so that the same ones are tried again after a change elsewhere.
"""

import ast
import hashlib
import itertools
import random
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "mathcore"
KINDS = {
    "fact": "a digit of a number from outside",
    "formula": "an operator or a constant of a formula, or of where a derivation begins",
    "step": "an operator or a constant of a later line of a derivation",
    "unit": "the unit of a letter",
    "mistake": "an operator or a constant of a usual mistake",
    "option": "the relation under which an option is right",
    "condition": "a relation of `valid` or `regime`",
    "claim": "a digit of what a text prints",
    "verdict": "a word with which the core judges",
    "engine": "an operator or a constant of the core",
}
CORE = ("*.py", "teaching/*.py", "commands/*.py")
STARTS = ("start", "minimise", "balance")
# What else is called with expressions: the next lines of a derivation.
STEPS = ("to", "use", "slope", "root", "curvature", "solve_for", "series", "approximate", "simplify")
SIBLINGS = {"s": "min", "min": "s", "h": "min", "d": "h", "year": "d", "B": "bit", "bit": "B", "GB": "MB"}
SIBLINGS |= {"FLOP": "TFLOP", "USD": "kUSD", "J": "Wh", "W": "kW", "kWh": "Wh", "token": "ktoken", "g": "kg"}
OTHERS = {"s": "B", "h": "GB", "B": "s", "FLOP": "B", "gpu": "token", "token": "gpu", "USD": "s", "W": "J"}
SWAPPED = {"+": "-", "-": "+", "*": "/", "/": "*", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
EDGES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "and": "or"}
WORDS = {"proved": "sampled", "sampled": "proved", "right": "wrong", "wrong": "right", "large": "small"}
WORDS |= {
    "small": "large",
    "reproduced": "rounding",
    "rounding": "wrong",
    "assumed": "proved",
    "is": "is not",
}
JUDGING = ("judge.py", "commands/verification.py", "teaching/diagnosis.py", "teaching/claims.py")


@dataclass(frozen=True)
class Mutant:
    """One slip: of a kind, in a statement of a file, from `start` to `end` of its text."""

    kind: str
    path: Path
    statement: str
    start: int
    end: int
    was: str
    now: str
    line: int

    @property
    def place(self):
        """Return `file:statement`, which outlives a change of lines."""
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.statement}"

    @property
    def slip(self):
        """Return what was and what is."""
        return f"{' '.join(self.was.split())} → {' '.join(self.now.split())}"

    @property
    def text(self):
        """Return the text of the file with the slip in it."""
        text = self.path.read_text(encoding="utf-8")
        return text[: self.start] + self.now + text[self.end :]

    @property
    def chapter(self):
        """Return the name of the chapter that is concerned, or an empty text for the core."""
        if self.path.name == "shapes.csv":
            return "models"
        return self.path.stem if self.path.parent.name in ("chapters", "facts", "claims") else ""


def sample(count, seed, kinds=tuple(KINDS)):
    """Return `count` mutants, of each kind the same share or all there are."""
    found = []
    for left, kind in zip(
        range(len(kinds), 0, -1), sorted(kinds, key=lambda k: len(sites()[k])), strict=True
    ):
        ranked = sorted(sites()[kind], key=lambda m: _rank(m, seed))
        found += ranked[: -(-(count - len(found)) // left)]
    return found


def _rank(mutant, seed):
    return hashlib.sha256(f"{seed} {mutant.place} {mutant.slip} {mutant.start}".encode()).hexdigest()


_sites = {}


def sites():
    """Return all mutants by kind."""
    if not _sites:
        data = ENGINE / "data"
        found = [m for path in sorted(data.glob("facts/*.toml")) for m in _of_facts(path)]
        found += _of_sheet(data / "facts" / "shapes.csv")
        found += [m for path in sorted(data.glob("claims/*.toml")) for m in _of_claims(path)]
        found += [m for path in sorted(ENGINE.glob("chapters/[!_]*.py")) for m in Chapter(path).mutants()]
        core = [p for part in CORE for p in sorted(ENGINE.glob(part)) if p.stem[0] != "_"]
        found += [m for path in core for m in Core(path).mutants()]
        _sites.update({kind: [m for m in found if m.kind == kind] for kind in KINDS})
    return _sites


# ---------------------------------------------------------------- numbers kept as data


def mistyped(number, salt):
    """Return a number with one of its digits mistyped, which depends on the `salt` alone.

    >>> mistyped("989.4", "h100")
    '989.2'
    """
    source = random.Random(f"{number} {salt}")
    at = source.choice([i for i, sign in enumerate(number.partition("e")[0]) if sign.isdigit()])
    digits = "123456789" if at == 0 else "0123456789"
    return number[:at] + source.choice(digits.replace(number[at], "")) + number[at + 1 :]


def _in_data(kind, path, pattern):
    text, statement = path.read_text(encoding="utf-8"), ""
    for found in re.finditer(pattern, text, re.M):
        statement = found["name"] or statement
        if found["number"]:
            start, end = found.span("number")
            now = mistyped(found["number"], statement)
            yield Mutant(
                kind, path, statement, start, end, found["number"], now, text.count("\n", 0, start) + 1
            )


def _of_facts(path):
    yield from _in_data("fact", path, r'^(?P<name>\w+) = \["(?P<number>\d[\d.]*(?:e[-+]?\d+)?)')


def _of_claims(path):
    number = r'printed = "[<>≤≥~]?\s*[−-]?(?P<number>\d[\d.]*\d|\d)'
    yield from _in_data("claim", path, rf"^\[(?P<name>\w+)\]|^{number}")


def _of_sheet(path):
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    head, at = lines[0].strip().split(","), len(lines[0]) + len(lines[1])
    for number, line in enumerate(lines[2:], 3):
        for found in re.finditer(r"(?<=,)\d+(?=,|\s*$)", line):
            column = head[line[: found.start()].count(",")]
            statement = f"{line.partition(',')[0]}_{column}"
            start, end = (at + place for place in found.span())
            yield Mutant("fact", path, statement, start, end, found[0], mistyped(found[0], statement), number)
        at += len(line)


# ---------------------------------------------------------------- code


class Code:
    """The syntax tree of a module; subclasses say which parts of it are of which kind."""

    def __init__(self, path):
        """Read the module."""
        self.path, self.text = path, path.read_text(encoding="utf-8")
        lines = self.text.splitlines(keepends=True)
        self.starts = [0, *itertools.accumulate(len(line) for line in lines)]
        self.wide = [line.isascii() for line in lines]
        self.lines = lines

    def mutants(self):
        """Yield the mutants of the module."""
        for node in ast.parse(self.text).body:
            name = getattr(node, "name", "") or ast.unparse(getattr(node, "targets", [ast.Name("")])[0])
            yield from self.visit(node, name, None)

    def place(self, line, column):
        """Return where a column, which Python counts in bytes, stands in the text."""
        if self.wide[line - 1]:
            return self.starts[line - 1] + column
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node):
        """Return where a node begins and ends in the text."""
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def between(self, left, right, swap):
        """Yield the place, the old and the new sign of the operator between two nodes."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = re.search(
            r"\*\*|//|<<|>>|[<>=!]=|\bis not\b|\bis\b|\band\b|\bor\b|[-+*/<>%@]", self.text[start:end]
        )
        if found and (now := swap.get(found[0])):
            yield start + found.start(), start + found.end(), found[0], now

    def made(self, kind, statement, start, end, now):
        """Return the mutant that puts `now` from `start` to `end`."""
        line = self.text.count("\n", 0, start) + 1
        return Mutant(kind, self.path, statement, start, end, self.text[start:end], now, line)

    def arithmetic(self, node, swap, constants=True):
        """Yield `(start, end, now)` for every operator and whole number beneath a node."""
        for part in ast.walk(node):
            if isinstance(part, ast.BinOp):
                pairs = [(part.left, part.right)]
            elif isinstance(part, ast.Compare):
                pairs = [(part.left, part.comparators[0])]
            else:
                pairs = []
            for left, right in pairs:
                for start, end, _, now in self.between(left, right, swap):
                    yield start, end, now
            if constants and isinstance(part, ast.Constant) and type(part.value) is int:
                yield *self.span(part), str(part.value + 1)
            if isinstance(part, ast.Name) and part.id in ("Max", "Min"):
                yield *self.span(part), "Min" if part.id == "Max" else "Max"


class Chapter(Code):
    """Statements of a chapter."""

    def visit(self, node, statement, kind):
        """Yield the mutants beneath a node; `kind` is that of the statement it belongs to."""
        if isinstance(node, ast.FunctionDef):  # the regimes that several formulas share
            tests = [part for part in ast.walk(node) if isinstance(part, ast.Compare)]
            for part in tests:
                yield from self.of(part, statement, "condition")
        elif isinstance(node, ast.Call):
            yield from self.of_call(node, statement)
        else:
            for part in ast.iter_child_nodes(node):
                yield from self.visit(part, statement, kind)

    def of_call(self, node, statement):
        """Yield the mutants of what a call states."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for index, part in enumerate(node.args):
            kind = self.kind_of(name, index)
            if kind == "unit" and isinstance(part, ast.Constant):
                yield from self.of_unit(part, statement)
            elif kind and kind != "unit":
                yield from self.of(part, statement, kind)
            else:
                yield from self.visit(part, statement, None)
        for word in node.keywords:
            kind = {"valid": "condition", "regime": "condition", "mistakes": "mistake"}.get(word.arg)
            yield from (
                self.of(word.value, statement, kind) if kind else self.visit(word.value, statement, None)
            )
        yield from self.visit(node.func, statement, None)

    @staticmethod
    def kind_of(name, index):
        """Return the kind of an argument."""
        if name in STARTS:
            return "formula"
        if name in STEPS:
            return "step"
        return {("Formula", 1): "formula", ("Variable", 1): "unit", ("Option", 1): "option"}.get(
            (name, index)
        )

    def of(self, node, statement, kind):
        """Yield the mutants of an expression."""
        for start, end, now in self.arithmetic(node, SWAPPED):
            yield self.made(kind, statement, start, end, now)

    def of_unit(self, node, statement):
        """Yield another unit of the same dimension, and one of another."""
        for known in (SIBLINGS, OTHERS):
            names = [n for n in re.findall(r"[A-Za-z]+", str(node.value)) if n in known]
            if names:
                now = re.sub(rf"\b{names[0]}\b", known[names[0]], node.value, count=1)
                yield self.made("unit", statement, *self.span(node), repr(now).replace("'", '"'))


class Core(Code):
    """A module of the core: its operators, and its words where it judges."""

    def visit(self, node, statement, kind):
        """Yield the mutants beneath a definition, texts for readers of the code left out."""
        judging = self.path.relative_to(ENGINE).as_posix() in JUDGING
        for inner, part in self.parts(node, statement):
            if isinstance(part, (ast.BinOp, ast.Compare)):
                left, right = (part.left, getattr(part, "right", None) or part.comparators[0])
                for start, end, _, now in self.between(left, right, SWAPPED | EDGES):
                    yield self.made("engine", inner, start, end, now)
            elif isinstance(part, ast.BoolOp):
                for start, end, _, now in self.between(*part.values[:2], {"and": "or", "or": "and"}):
                    yield self.made("engine", inner, start, end, now)
            elif isinstance(part, ast.Constant) and type(part.value) is int:
                yield self.made("engine", inner, *self.span(part), str(part.value + 1))
            elif judging and isinstance(part, ast.Constant) and type(part.value) is str:
                yield from self.of_words(part, inner)

    def parts(self, node, statement):
        """Yield every part of a definition that runs, with the name of the innermost definition."""
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            statement = node.name if node.name == statement else f"{statement}.{node.name}"
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node, ast.JoinedStr):
            return  # before Python 3.12 its parts do not know where they stand
        yield statement, node
        for part in ast.iter_child_nodes(node):
            yield from self.parts(part, statement)

    def of_words(self, node, statement):
        """Yield the text with one word exchanged."""
        start, end = self.span(node)
        for word, other in WORDS.items():
            if re.search(rf"\b{word}\b", node.value):
                now = re.sub(rf"\b{word}\b", other, self.text[start:end], count=1)
                yield self.made("verdict", statement, start, end, now)
