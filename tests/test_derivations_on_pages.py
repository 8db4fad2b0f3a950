"""Protects readers from a step that leans on what no page shows: it must be on the page or printed with the step."""

from types import SimpleNamespace

import pytest
from chapter_params import chapters, of_kind
from docutils import nodes
from mathbook import formulas, visible_statements
from sympy import sqrt

from mathcore import Derivation, Formula, Variable, find

PAGES = visible_statements.addresses_on_pages()
C = Variable("C", "s", "time to write")
M = Variable("M", "s", "time between failures")
tau = Variable("tau", "s", "work between checkpoints")
k = Variable("k", "", "a share")


class FakeContext:
    """Writes into no page."""

    def __init__(self, *addresses):
        self.env = SimpleNamespace(temp_data={"mathbook:on_pages": set(addresses)})

    def inline(self, text, symbols=()):
        return [nodes.Text(text)]


def derivation_tex(derivation, ctx):
    """Return the mathematics of a derivation as a page has it: its lines, and what is put into them."""
    page = formulas.render_derivation_steps(ctx, derivation)
    return [node.astext() for kind in (nodes.math_block, nodes.math) for node in page.findall(kind)]


def hidden_sources(derivation):
    """Yield the formulas that a derivation rests on, near or far, and that no page shows."""
    for step in derivation.steps:
        for formula in step.sources:
            if formula.address not in PAGES:
                yield formula
                yield from hidden_sources(formula.derivation) if formula.derivation is not None else ()


def derived_formulas(chapter):
    """Return the formulas of a chapter that a page shows with their derivations."""
    found = of_kind(chapter, Formula)
    return [f for address, f in found if address in PAGES and f.derivation is not None]


def sources_not_named(formula):
    """Yield what a derivation rests on and its page does not name."""
    hidden = list(hidden_sources(formula.derivation))
    lines = set(derivation_tex(formula.derivation, FakeContext(*PAGES))) if hidden else set()
    for earlier in hidden:
        needed = {earlier.latex(), *(step.latex() for step in getattr(earlier.derivation, "steps", ()))}
        yield from (f"{formula.address}: {earlier.address}: {line}" for line in needed - lines)


def unnamed_symbols(formula):
    """Yield the symbols of a derivation that its table of symbols leaves out."""
    table = formulas._render_symbol_table(FakeContext(*PAGES), "test", formula)
    named = {node.astext() for node in table.findall(nodes.math)}
    sides = (side for step in formula.derivation.steps for side in (step.left, step.right))
    used = set().union(*(side.free_symbols for side in sides)) | {formula.lhs, *formula.inputs}
    return [f"{formula.address}: {v}" for v in used if isinstance(v, Variable) and v.tex not in named]


@pytest.mark.parametrize("chapter", chapters(pytest.mark.slow))
def test_quoted_formulas_and_symbols_of_a_derivation_are_on_its_page(chapter):
    found = derived_formulas(chapter)
    assert [line for formula in found for line in sources_not_named(formula)] == []
    assert [line for formula in found for line in unnamed_symbols(formula)] == []


def test_missing_symbol_or_line_is_found(monkeypatch):
    formula = Derivation.start(k, C / M, "a share").apply(Formula(M, 2 * C, assumptions="say"), "put in").formula()
    assert list(sources_not_named(formula)) == unnamed_symbols(formula) == []
    monkeypatch.setattr(formulas, "_symbols_in", lambda steps: [])
    assert unnamed_symbols(formula)
    monkeypatch.setattr(formulas, "render_derivation_steps", lambda ctx, derivation: nodes.container())
    assert list(sources_not_named(formula))


def test_formula_on_no_page_is_printed_with_the_step_that_substitutes_it():
    first = Derivation.balance(C / tau, tau / (2 * M), "equal").solve_for(tau, sqrt(2 * C * M), "root").formula()
    second = Derivation.start(k, C / tau, "a share").apply(first, "at that interval")
    assert derivation_tex(second, FakeContext()) == [
        second.steps[0].latex(),
        second.steps[1].latex(),
        *(step.latex() for step in first.derivation.steps),
        first.latex(),
    ]


def test_model_on_no_page_is_printed_with_the_step_that_substitutes_it():
    chain = Derivation.start(k, C / M, "a share").apply(Formula(M, 2 * C, assumptions="say"), "put in")
    assert derivation_tex(chain, FakeContext())[2:] == [r"M = 2 C"]
    assert "a model: say" in formulas.render_derivation_steps(FakeContext(), chain).astext()


def test_formula_of_a_page_is_not_printed_again():
    seen = find("young_daly.interval")
    assert len(derivation_tex(Derivation.start(seen), FakeContext(seen.address))) == 1
    assert len(derivation_tex(Derivation.start(seen), FakeContext())) > len(seen.derivation.steps)


def test_symbol_that_only_a_step_uses_is_in_the_table_of_symbols():
    put_in = Derivation.start(k, C / tau, "a share").apply({tau: M}, "say").formula()
    table = formulas._render_symbol_table(FakeContext(), "test", put_in)
    assert tau.tex in {node.astext() for node in table.findall(nodes.math)}
