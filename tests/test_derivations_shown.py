"""Protects readers from a step that leans on what no page shows: it must be shown, or told with the step."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from mathbook import formulas, shown
from statements import everything
from sympy import sqrt

from mathcore import Derivation, Formula, Variable

PAGES = shown.on_pages()
SHOWN = [pytest.param(f, id=a) for a, f in everything(Formula) if a in PAGES and f.derivation is not None]
C = Variable("C", "s", "time to write")
M = Variable("M", "s", "time between failures")
tau = Variable("tau", "s", "work between checkpoints")
k = Variable("k", "", "a share")


class Scribe:
    """Writes into no page."""

    def __init__(self, *addresses):
        self.env = SimpleNamespace(temp_data={"mathbook:on_pages": set(addresses)})

    def prose(self, text, letters=()):
        return [nodes.Text(text)]


def written(derivation, scribe):
    """Return the mathematics of a derivation as a page has it: its lines, and what is put into them."""
    page = formulas._steps(scribe, derivation)
    return [node.astext() for kind in (nodes.math_block, nodes.math) for node in page.findall(kind)]


def quoted(derivation):
    """Yield the formulas that a derivation rests on, near or far, and that no page shows."""
    for step in derivation.steps:
        for formula in step.sources:
            if formula.address not in PAGES:
                yield formula
                yield from quoted(formula.derivation) if formula.derivation is not None else ()


@pytest.mark.parametrize("formula", SHOWN)
def test_what_a_derivation_quotes_stands_on_a_page(formula):
    hidden = list(quoted(formula.derivation))
    lines = set(written(formula.derivation, Scribe(*PAGES))) if hidden else set()
    for earlier in hidden:
        assert earlier.latex() in lines, earlier
        assert {step.latex() for step in getattr(earlier.derivation, "steps", ())} <= lines, earlier


@pytest.mark.parametrize("formula", SHOWN)
def test_letters_of_a_derivation_are_among_its_symbols(formula):
    table = formulas._symbols(Scribe(*PAGES), "test", formula)
    named = {node.astext() for node in table.findall(nodes.math)}
    letters = formulas._letters(formula.derivation.steps)
    assert {letter.tex for letter in (formula.lhs, *formula.inputs, *letters)} <= named


def test_formula_that_no_page_shows_is_told_with_the_step_that_puts_it_in():
    first = (
        Derivation.balance(C / tau, tau / (2 * M), "equal").solve_for(tau, sqrt(2 * C * M), "root").formula()
    )
    second = Derivation.start(k, C / tau, "a share").use(first, "at that interval")
    assert written(second, Scribe()) == [
        second.steps[0].latex(),
        second.steps[1].latex(),
        *(step.latex() for step in first.derivation.steps),
        first.latex(),
    ]


def test_model_that_no_page_shows_is_told_with_the_step_that_puts_it_in():
    chain = Derivation.start(k, C / M, "a share").use(Formula(M, 2 * C, when="say"), "put in")
    assert written(chain, Scribe())[2:] == [r"M = 2 C"]
    assert "a model: say" in formulas._steps(Scribe(), chain).astext()


def test_formula_of_a_page_is_not_told_again():
    (seen,) = (f for a, f in everything(Formula) if a == "young_daly.interval")
    assert len(written(Derivation.start(seen), Scribe(seen.address))) == 1
    assert len(written(Derivation.start(seen), Scribe())) > len(seen.derivation.steps)


def test_letter_that_only_a_step_uses_is_in_the_table_of_symbols():
    put_in = Derivation.start(k, C / tau, "a share").use({tau: M}, "say").formula()
    table = formulas._symbols(Scribe(), "test", put_in)
    assert tau.tex in {node.astext() for node in table.findall(nodes.math)}
