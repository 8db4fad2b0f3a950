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
    """Return the lines of mathematics of a derivation as a page has them."""
    return [node.astext() for node in formulas._steps(scribe, derivation).findall(nodes.math_block)]


def quoted(derivation):
    """Yield the derived formulas that a derivation rests on, near or far."""
    for step in derivation.steps:
        for formula in step.sources:
            if formula.kind == "derived":
                yield formula
                if formula.address not in PAGES:
                    yield from quoted(formula.derivation)


@pytest.mark.parametrize("formula", SHOWN)
def test_what_a_derivation_quotes_stands_on_a_page(formula):
    hidden = [f for f in quoted(formula.derivation) if f.address not in PAGES]
    lines = written(formula.derivation, Scribe(*PAGES)) if hidden else []
    for earlier in hidden:
        assert {step.latex() for step in earlier.derivation.steps} <= set(lines), earlier


@pytest.mark.parametrize("formula", SHOWN)
def test_letters_of_a_derivation_are_among_its_symbols(formula):
    table = formulas._symbols(Scribe(*PAGES), "test", formula)
    named = {node.astext() for node in table.findall(nodes.math)}
    letters = formulas._letters(formula.derivation.steps)
    assert {letter.tex for letter in (formula.lhs, *formula.inputs, *letters)} <= named


def test_formula_that_no_page_shows_is_told_with_the_step_that_puts_it_in():
    first = Derivation.balance(C / tau, tau / (2 * M), "equal").solve_for(tau, sqrt(2 * C * M), "root").formula()
    second = Derivation.start(k, C / tau, "a share").use(first, "at that interval")
    assert written(second, Scribe()) == [
        second.steps[0].latex(),
        second.steps[1].latex(),
        *(step.latex() for step in first.derivation.steps),
    ]


def test_formula_of_a_page_and_a_model_are_not_told_again():
    model = Formula(M, C, when="say")
    chain = Derivation.start(k, C / M, "a share").use(model, "put in")
    assert len(written(chain, Scribe())) == 2
    (seen,) = (f for a, f in everything(Formula) if a == "young_daly.interval")
    assert len(written(Derivation.start(seen), Scribe(seen.address))) == 1
    assert len(written(Derivation.start(seen), Scribe())) == 1 + len(seen.derivation.steps)


def test_letter_that_only_a_step_uses_is_in_the_table_of_symbols():
    put_in = Derivation.start(k, C / tau, "a share").use({tau: M}, "say").formula()
    table = formulas._symbols(Scribe(), "test", put_in)
    assert tau.tex in {node.astext() for node in table.findall(nodes.math)}
