"""Where each checked condition of a formula ends: a point just within and one just beyond, kept as data.

`data/bounds.csv` has a row for each relation of `domain` and `validity`. `python tests/support/bounds.py` adds rows for
relations that have none, to be read before they are kept, and leaves out those of formulas that are gone.
"""

import csv
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from points import ends, table

from mathcore import ArgumentError, Formula, library, quantity
from mathcore.errors import MathcoreError
from mathcore.evaluation import compile_unchecked

TABLE = Path(__file__).resolve().parents[1] / "data" / "bounds.csv"
NEAR = 0.01  # of the symbol that crosses, on either side of the bound
DIGITS = 6
POINTS = 100  # from which a way beyond is sought


class Bound(NamedTuple):
    """A row: the relation of that number, those of `domain` first; the symbol that crosses; the two points."""

    address: str
    number: str
    symbol: str
    within: str
    beyond: str


def rows():
    """Return the rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Bound(**row) for row in csv.DictReader(file)]


def relations():
    """Yield `(formula, number, symbol)` for every checked relation of the book and each of its symbols."""
    for _, statement in library.current_library.walk():
        if isinstance(statement, Formula):
            for number, relation in enumerate((*statement.domain, *(r for r, _ in statement.validity))):
                for symbol in statement.inputs:
                    if symbol in relation.free_symbols:
                        yield statement, number, symbol


def parse_point(point):
    """Return the givens of a point as quantities, since a count may be a computed mean."""
    return {name: quantity(text) for name, text in (part.split("=", 1) for part in point.split("; ") if part)}


def warning_at(formula, number, point):
    """Return the error or warning at a point, and whether relation `number` is its reason."""
    refused, relation = number < len(formula.domain), (*formula.domain, *(r for r, _ in formula.validity))[number]
    words = formula.condition_text(relation)
    try:
        _, cautions = formula.evaluate(parse_point(point))
    except ArgumentError as error:
        return str(error), refused and f"holds only for: {words}" in str(error)
    mine = [caution for caution in cautions if caution.startswith(f"outside {words}: ")]
    return "".join(mine), bool(mine) and not refused


def row_issue(row, formula):
    """Return what is wrong at one of the two points of a row, or an empty text."""
    try:
        (within, _), (beyond, why) = (warning_at(formula, int(row.number), point) for point in (row.within, row.beyond))
    except (MathcoreError, IndexError) as error:
        return f"{row.address}: {error}"
    if within:
        return f"{row.address}: refused or warned of within, at {row.within}: {within}"
    return "" if why else f"{row.address}: no error or warning beyond, at {row.beyond}: {beyond or 'no message'}"


def states(formula):
    """Return the function that returns which relations hold at a point."""
    hold = compile_unchecked(formula.inputs, (*formula.numeric_domain, *formula.numeric_validity))
    return lambda point: [bool(np.asarray(part)) for part in hold(*point)]


def crossing(formula, number, symbol):
    """Return a row for a relation and the symbol with which it ends, or None if none leads beyond."""
    state, place, found = states(formula), formula.inputs.index(symbol), []
    valid = len(formula.domain)
    for point in table(formula, POINTS)[0].tolist():
        pair = sides(symbol, point, place, lambda p: state(p)[number]) if state(point)[number] else None
        if not pair or not all(state(pair[0])[:valid]) or state(pair[0])[number] == state(pair[1])[number]:
            continue
        if number < valid or all(state(pair[1])[:valid]):
            found.append(pair)
    found.sort(key=lambda pair: -sum(state(pair[0]) + state(pair[1])))
    made = (Bound(formula.address, str(number), symbol.name, *(point_text(formula, p) for p in pair)) for pair in found)
    return next((row for row in made if not row_issue(row, formula)), None)


def sides(symbol, point, place, holds):
    """Return two points on both sides of where a relation ends as one symbol moves from a point, or None."""

    def at(value):
        return [value if i == place else x for i, x in enumerate(point)]

    good = point[place]
    for bad in sorted(candidates(symbol, good), key=lambda value: distance(value, good)):
        if not holds(at(bad)):
            pair = between(symbol, good, bad, lambda value: holds(at(value)))
            return [at(value) for value in pair] if all(map(symbol.admits, pair)) else None
    return None


def candidates(symbol, here):
    """Return admissible values of a symbol, among them the whole ones nearby if it counts."""
    low, high = ends(symbol)
    spread = np.geomspace(max(low, high * 1e-9), high, 80) if low >= 0 else np.linspace(low, high, 80)
    if symbol.integer_only:
        spread = {*map(round, spread), *range(int(here) - 40, int(here) + 41)}
    return [float(value) for value in (symbol.bounds[0], *spread) if symbol.admits(float(value))]


def distance(value, other):
    """Return how far two values lie apart, as a ratio where they have one sign."""
    return abs(math.log(value / other)) if value > 0 and other > 0 else 1e3 + abs(value - other)


def between(symbol, good, bad, holds):
    """Return two values a little apart from the bound, which lies between `good` and `bad`."""
    way = bad - good
    for _ in range(100):
        half = (good + bad) // 2 if symbol.integer_only else (good + bad) / 2
        if half in (good, bad):
            break
        good, bad = (half, bad) if holds(half) else (good, half)
    if symbol.integer_only:
        return good, bad
    far = math.copysign(NEAR * (abs(bad) if abs(bad) > 1e-9 * abs(way) else abs(way)), way)
    inner, outer = (float(f"{bad + step:.{DIGITS}g}") for step in (-far, far))
    return inner, outer if symbol.admits(outer) else bad


def point_text(formula, point):
    """Return a point as `C=240 s; M=28800 s`."""
    pairs = zip(formula.inputs, point, strict=True)
    return "; ".join(f"{v.name}={x:.{2 * DIGITS}g} {v.unit}".strip() for v, x in pairs)


def main():
    """Rewrite the table: rows that still belong to a relation as they are, new ones for the others."""
    stored, found = {row[:3]: row for row in rows()} if TABLE.exists() else {}, []
    for formula, number, symbol in relations():
        if row := stored.get((formula.address, str(number), symbol.name)) or crossing(formula, number, symbol):
            found.append(row)
        else:
            print(f"{formula.where}: {formula.address}: no {symbol.name} leads beyond condition {number}")
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([Bound._fields, *found])


if __name__ == "__main__":
    main()
