"""Protects every number: one table of points a formula, five ways to compute, and none gives another value.

Scalars, arrays, the text to copy, the browser, sixty digits, and quantities alone, with their units.
"""

import functools
import math
import shutil
from dataclasses import dataclass, replace

import mpmath
import numpy as np
import pytest
import sympy
from chapter_params import FIRST, chapters
from mathbook.functions import chapter_script, functions
from page_functions import in_node, in_page, node
from points import COUNT, corners, middle, table
from precision import ARRAYS, TWELVE, agree, at_a_step, exactly, largest_term
from sample_formulas import C, M, interval, tau, transfer, w, x
from sympy.printing.pycode import PythonCodePrinter

from mathcore import ArgumentError, Formula, Quantity, library, units
from mathcore.symbols import One


@dataclass(frozen=True)
class Computed:
    """A function of a page, the points at which it is tried, and what scalars give there."""

    address: str
    formula: Formula
    good: np.ndarray
    bad: np.ndarray

    @functools.cached_property
    def scalars(self):
        """Return the values at the good points, NaN where a scalar is refused."""
        return values_of(self.formula, self.good)

    @property
    def stated(self):
        """Return whether the formula has an address of its own, and is no key, mistake or option."""
        return "#" not in self.address


def values_of(formula, points):
    found = []
    for row in points.tolist():
        try:
            found.append(float(formula.compiled(*row)))
        except ArgumentError:
            found.append(math.nan)
    return found


@pytest.fixture(scope="module", params=chapters(pytest.mark.slow))
def computed(request):
    """Return all functions that the pages of a chapter call, each with its points."""
    found = {formula: address for address, formula in reversed(functions(request.param).items())}
    return [Computed(address, formula, *table(formula)) for formula, address in reversed(found.items())]


def deviations(case, theirs, name, digits=TWELVE):
    """Yield a line for each good point at which another way gives another value."""
    for row, ours, other in zip(case.good.tolist(), case.scalars, theirs, strict=True):
        if not (math.isfinite(other) and agree(case.formula, other, ours, row, digits)):
            at = ", ".join(f"{v.name} = {x!r}" for v, x in zip(case.formula.inputs, row, strict=True))
            yield f"{case.address} at {at}: a scalar gives {ours!r}, {name} {other!r}"


def collected(cases, *checks):
    return [line for case in cases for check in checks for line in check(case)]


# ---------------------------------------------------------------- the ways to compute


def in_arrays(case):
    """Yield where one call for all points differs from a call for each."""
    if case.formula.inputs:
        yield from deviations(case, case.formula.compiled(*case.good.T), "an array", ARRAYS)


def refusals(case):
    """Yield where a scalar is refused though the point has a value, or is not though it has none."""
    for row, value in zip(case.good.tolist(), case.scalars, strict=True):
        if math.isnan(value):
            yield f"{case.address} at {row}: scalars are refused, arrays not"
    for row, value in zip(case.bad.tolist(), values_of(case.formula, case.bad), strict=True):
        if not math.isnan(value):
            yield f"{case.address} at {row}: there is no value, but scalars give {value}"


def copied(case):
    """Yield where the Python that a reader copies gives another value, in the first row."""
    if case.stated and len(case.good):
        space = {}
        exec(compile(case.formula.python(), case.address, "exec"), space)
        found, wanted = space[case.formula.title](*case.good[0].tolist()), case.scalars[0]
        if not agree(case.formula, found, wanted, case.good[0].tolist()):
            yield f"{case.address} at {case.good[0]}: copied, it gives {found!r}, not {wanted!r}"


def in_many_digits(case):
    """Yield where scalars differ from what sixty digits give."""
    for row, ours in zip(case.good.tolist(), case.scalars, strict=True):
        exact = None if at_a_step(case.formula, row) else exactly(case.formula, row)
        # there is none at a pole of Γ, and where mpmath gives up
        if exact is not None and not agree(case.formula, ours, float(exact), row):
            yield f"{case.address} at {row}: {ours!r}, with many digits {float(exact)!r}"


def few(case):
    if case.formula.inputs and len(case.good) < COUNT:
        yield f"{case.address}: only {len(case.good)} points with a value were found"


@pytest.mark.node
def test_browser_agrees(computed, tmp_path, request):
    chapter = request.node.callspec.params["computed"]
    names_of_inputs = {case.address: [v.name for v in case.formula.inputs] for case in computed}
    tables = {case.address: np.vstack([case.good, case.bad]) for case in computed}
    found, wrong = in_node(tables, names_of_inputs, chapter, tmp_path), []
    for case in computed:
        here = len(case.good)
        wrong += deviations(case, found[case.address][:here], "Node")
        wrong += refused_there(case, found[case.address][here:])
    assert wrong == []


def refused_there(case, theirs):
    """Yield where Node gives a number that must not be: one above zero, up to what rounding loses."""
    for row, value in zip(case.bad.tolist(), theirs, strict=True):
        at = dict(zip(case.formula.inputs, row, strict=True))
        may_be_asked = all(check.subs(at) for check in case.formula.numeric_domain)  # the page asks nowhere else
        broken = case.formula.lhs.integer_only and value % 1  # the function of the page gives it, `mc.call` refuses it
        if math.isfinite(value) and may_be_asked and not broken and not below_zero(case.formula, value, row):
            yield f"{case.address} at {row}: there is no value, but Node gives {value!r}"


def below_zero(formula, value, row):
    """Return whether a value that must not be negative is, up to what its terms lose by rounding."""
    unsigned = formula.lhs.bounds[0] >= 0
    return unsigned and (value <= 0 or value <= TWELVE * largest_term(formula, row))


# ---------------------------------------------------------------- quantities alone, without the core


def plain(function):
    """Return a function of plain numbers; a quantity with a dimension is refused by pint itself."""

    def called(*arguments):
        numbers = [q.m_as("") if isinstance(q, Quantity) else q for q in arguments]
        return mpmath.re(function(*numbers))  # no float: Γ is soon too large for one

    return called


def in_one_unit(choose):
    """Return `max` or `min` of quantities, where a bare zero has the unit of the others: it loses none if chosen."""

    def called(*arguments):
        unit = next((q.units for q in arguments if isinstance(q, Quantity)), units.unit(""))
        return choose(q if isinstance(q, Quantity) or q else Quantity(0, unit) for q in arguments)

    return called


NAMES = ("exp", "log", "gamma", "loggamma", "erf", "erfc", "floor", "ceil", "factorial", "binomial")
SPACE = {name: plain(getattr(mpmath, name)) for name in NAMES}
SPACE |= {"LambertW": plain(mpmath.lambertw), "uppergamma": plain(mpmath.gammainc)}
CHOICES = {"max": in_one_unit(max), "min": in_one_unit(min)}
# SymPy prints the capital names inside a function that Python lacks
SPACE |= CHOICES | {name.capitalize(): choose for name, choose in CHOICES.items()}
SPACE |= {"lowergamma": plain(lambda a, x: mpmath.gammainc(a, 0, x)), "sqrt": lambda q: q**0.5}
PRINTER = PythonCodePrinter({"strict": False, "allow_unknown_functions": True, "fully_qualified_modules": False})


def by_quantities(formula, row):
    """Return the value at a point as pint finds it, from quantities in declared units."""
    marks = {one: sympy.Symbol(f"unit_{i}") for i, one in enumerate(sorted(formula.rhs.atoms(One), key=str))}
    as_symbols = {v: sympy.Symbol(f"symbol_{i}", positive=True) for i, v in enumerate(formula.inputs)}
    expression = formula.rhs.xreplace({**marks, **as_symbols}).doit()
    function = sympy.lambdify([*as_symbols.values(), *marks.values()], expression, [SPACE], printer=PRINTER)
    given = [Quantity(x, units.unit(v.unit)) for x, v in zip(row, formula.inputs, strict=True)]
    found = function(*given, *(Quantity(1, units.unit(one.unit)) for one in marks))
    found = found if isinstance(found, Quantity) else Quantity(found, units.unit(""))
    return float(found.m_as(units.unit(formula.lhs.unit)))


def in_quantities(case):
    """Yield where pint finds another value, at the first point where it is not zero and no terms cancel."""
    for row, ours in zip(case.good.tolist(), case.scalars, strict=True):
        if ours and largest_term(case.formula, row) <= 1e3 * abs(ours):
            break
    else:
        return
    found = by_quantities(case.formula, row)
    # a unit slip is never this small, and plain arithmetic loses the digits that the core keeps
    if not math.isclose(found, ours, rel_tol=1e-6):
        yield f"{case.address} at {row}: quantities alone give {found!r}, the core {ours!r}"


def test_scalars_arrays_copies_digits_and_quantities_agree(computed):
    """Compare in one case, for all share the points and what scalars give there."""
    found = collected(computed, few, refusals, in_arrays, copied, in_many_digits)
    assert found + collected([case for case in computed if case.stated], in_quantities) == []


# ---------------------------------------------------------------- bad input, one argument at a time


def bad(variable):
    """Yield `(kind, value)` for what an argument must refuse; what a plain number may be is left out."""
    unit = units.unit(variable.unit)
    for number in (math.nan, math.inf, -math.inf, *beyond(variable)):
        yield f"{number!r}", Quantity(number, unit)
    wrong = "GB" if variable.dimension != units.unit("GB").dimensionality else "h"
    yield "another dimension", Quantity(middle(variable), units.unit(wrong))
    yield "another dimension as a text", f"{middle(variable)} {wrong}"
    if variable.dimension:
        bare = 2.5 if variable.dimension in units.COUNTS else middle(variable)  # 2048 devices are a count
        yield "a bare number", bare
        yield "a text without a unit", f"{bare}"
        yield "a list without a unit", [bare, bare]
    yield "an array with one bad element", Quantity(np.array([middle(variable), math.nan]), unit)
    yield from (("None", None), ("a word", "fast"), ("an unknown unit", "4 parsec"))
    yield from (("a list with one bad element", [middle(variable), "fast"]), ("a bool", True), ("an empty list", []))


def beyond(variable):
    """Yield numbers next to the range, or inside it where only whole ones belong."""
    low, high = variable.bounds
    if low >= 0:
        yield from (-1.0, -5e-324)
    if not variable.admits(0.0):
        yield 0.0
    if low > 0:
        yield math.nextafter(low, 0)
    if math.isfinite(high):
        yield math.nextafter(high, math.inf)
    if variable.integer_only:
        yield middle(variable) + 0.5


def let_in(formula, variable, tried):
    """Yield each bad value of a symbol that gives a number, or whose refusal does not name the symbol."""
    good = {v.name: Quantity(middle(v), units.unit(v.unit)) for v in formula.inputs}
    for kind, value in tried:
        try:
            yield variable.name, kind, formula.at({**good, variable.name: value})
        except ArgumentError as error:
            if f"{variable.name} (" not in error.message:
                yield variable.name, kind, error.message


def test_bad_input_never_gives_a_number_and_is_named(computed):
    wrong, seen = [], set()
    for case in computed:
        for variable in case.formula.inputs:
            if variable not in seen:  # what is no number is refused before any formula
                wrong += let_in(case.formula, variable, bad(variable))
            elif case.stated:
                numbers = [math.nan, *beyond(variable)]
                tried = [(f"{x!r}", Quantity(x, units.unit(variable.unit))) for x in numbers]
                wrong += let_in(case.formula, variable, tried)
            seen.add(variable)
    assert wrong == []


# ---------------------------------------------------------------- what would be found


def case_of(formula, **changed):
    return replace(Computed("a", formula, *table(formula)), **changed)


def test_deviation_in_the_twelfth_digit_is_found():
    case = case_of(interval)
    off = [value * (1 + 2e-12) for value in case.scalars]
    assert list(deviations(case, case.scalars, "the same")) == []
    assert len(list(deviations(case, off, "Node"))) == COUNT
    assert "Node nan" in next(deviations(case, [math.nan] * COUNT, "Node"))


def spoiled(formula, factor):
    """Return a formula whose computed value differs from its statement."""
    other = replace(formula)
    vars(other)["numeric"] = factor * formula.numeric
    return other


def test_slip_of_the_core_is_found_by_digits_and_by_quantities():
    assert collected([case_of(transfer)], in_many_digits, in_quantities) == []
    slipped = case_of(spoiled(transfer, 60))
    assert len(list(in_many_digits(slipped))) == COUNT and len(list(in_quantities(slipped))) == 1
    hardly = case_of(spoiled(transfer, 1 + sympy.Rational(2, 10**12)))
    assert len(list(in_many_digits(hardly))) == COUNT


def test_only_a_step_that_a_float_cannot_see_is_left_out():
    steps = Formula(w, sympy.ceiling(x))
    assert [at_a_step(steps, [value]) for value in (3.0, 3.0000000000000004, 3.1)] == [False, True, False]
    assert not at_a_step(interval, [240.0, 28800.0])


def test_array_or_copy_that_differs_is_found():
    case = case_of(interval)
    vars(case)["scalars"] = [value * (1 + 2e-12) for value in case.scalars]
    assert len(list(in_arrays(case))) == COUNT and len(list(copied(case))) == 1


def test_point_that_is_refused_wrongly_is_found():
    case = case_of(Formula(tau, M - C))
    assert len(case.bad) and collected([case], few, refusals) == []
    swapped = replace(case, good=case.bad, bad=case.good)
    assert len(list(refusals(swapped))) == len(case.bad) + COUNT
    assert list(few(swapped)) == [f"a: only {len(case.bad)} points with a value were found"]


def test_number_of_the_browser_that_must_not_be_is_found():
    case = case_of(Formula(tau, M - C))
    assert list(refused_there(case, [math.nan] * len(case.bad))) == []
    assert len(list(refused_there(case, [1e9] * len(case.bad)))) == len(case.bad)


def test_bad_input_that_is_let_in_is_found():
    tried = [("fine", "4 min"), ("no number", "x")]
    assert [found[:2] for found in let_in(interval, C, tried)] == [("C", "fine")]
    assert len(list(bad(C))) > 12


def test_corners_of_the_range_are_among_the_points():
    good, _ = table(interval)
    assert set(map(tuple, corners(interval, None)[1:])) <= set(map(tuple, good.tolist()))
    assert {(c, m) for c in C.bounds for m in M.bounds} <= set(map(tuple, good.tolist()))


def test_script_defines_every_formula_and_every_mistake():
    for name in FIRST:
        text = chapter_script(name)
        assert text.startswith(f"// Generated from the statements of mathcore.chapters.{name}.")
        for address, formula in functions(name).items():
            assert text.count(f'"{address}": {{args: ') == 1 and isinstance(formula, Formula)


def test_overflow_is_refused():
    formula = library.find("young_daly.completion_time")
    _, without = table(formula)
    assert len(without) and all(math.isnan(value) for value in values_of(formula, without))


def test_missing_node_fails(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(pytest.fail.Exception, match="there is no Node: `make setup` brings one"):
        node()


@pytest.mark.node
@pytest.mark.parametrize(("degree", "found"), [(8, [32, ""]), (7, [None, "must be an integer"])])
def test_page_refuses_a_result_that_is_no_integer(degree, found):
    asked = '[mc.call, mc.domainError].map((f) => f("parallelism.data_degree", data))'
    scripts = ["mc-core.js", "mc-special.js", chapter_script("parallelism")]
    value, why = in_page(asked, scripts, {"N": 256, "t": degree, "p": 1, "e": 1})  # NaN is null in JSON
    assert value == found[0] and found[1] in why and bool(why) == bool(found[1])
