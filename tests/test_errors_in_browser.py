"""Protects the browser's refusals: at any state of a calculator it has a number exactly where Python has one."""

import pytest
from browser.calculator_element import figures
from mathbook.functions import chapter_script
from page_functions import in_page

from mathcore import ArgumentError, DeclarationError, Formula, find, library, units
from mathcore.teaching import Calculator

STATES, FEW = 200, 60  # of a calculator: nightly, and on every push
CALCULATORS = [address for address, each in library.current_library.walk() if isinstance(each, Calculator)]
SCRIPTS = [f"mc-{name}.js" for name in ("core", "special", "chart", "panels")]
FIGURES = """data.map(([spec, states]) => states.map((env) => {
  const all = mc.panels.figures(spec, env);
  const cautions = mc.panels.cautions(mc.panels.warnings(all));
  return { figures: all.map(([label, f, at]) => [label, mc.domainError(f, at)]), cautions };
}))"""


class Here:
    """The formulas of a calculator at one state; a value that Python refuses is None."""

    def __init__(self, calculator, state):
        self.calculator, self.state = calculator, {v.name: quantity for v, quantity in state.items()}

    def value(self, x, /, **own):
        if not isinstance(x, Formula):
            return self.state[x.name]
        given = self.state | own
        try:
            return x.evaluate({v.name: given[v.name] for v in x.inputs})[0]
        except (ArgumentError, DeclarationError):
            return None

    def refused_figures(self):
        found = figures(self.calculator, self.value)
        return [[label, self.value(formula, **own) is None] for label, formula, own in found]


def figures_of_page(asked, alter=str):
    """Return the results of the pages' code for `[(spec, states)]`; `alter` changes the generated functions."""
    chapters = sorted(
        {library.current_library.split(f.address)[0] for _, _, calculator in asked for f in calculator.formulas}
    )
    cases = [(calculator.spec(), [numbers(state) for state in states]) for _, states, calculator in asked]
    return in_page(FIGURES, [*SCRIPTS, *(alter(chapter_script(chapter)) for chapter in chapters)], cases)


def numbers(state):
    return {v.name: float(quantity.m_as(units.unit(v.unit))) for v, quantity in state.items()}


def asked_of(*addresses, count=STATES):
    return [(address, list(find(address).states(count, seed=41)), find(address)) for address in addresses]


def disagreements(asked, found):
    """Return where the browser has a number and Python none, or the other way round."""
    apart = []
    for (address, states, calculator), answers in zip(asked, found, strict=True):
        for state, answer in zip(states, answers, strict=True):
            here = [[label, bool(message)] for label, message in answer["figures"]]
            if (wanted := Here(calculator, state).refused_figures()) != here:
                apart.append((address, numbers(state), wanted, here))
    return apart


pytestmark = [pytest.mark.node, pytest.mark.slow]


@pytest.mark.parametrize("count", [FEW, pytest.param(STATES, marks=pytest.mark.extended)])
def test_browser_refuses_exactly_where_python_does(count):
    asked = asked_of(*CALCULATORS, count=count)
    apart = disagreements(asked, figures_of_page(asked))
    assert apart[:1] == []


def test_state_beyond_a_condition_is_reported_in_words():
    asked = asked_of("goodput.progress.explorer")
    [answers] = figures_of_page(asked)
    refused = [answer for answer in answers if any(message for _, message in answer["figures"])]
    assert refused and all("No value</b> of " in answer["cautions"] for answer in refused)
    assert not any("No value" in answer["cautions"] for answer in answers if answer not in refused)


def test_function_that_forgets_its_condition_is_found():
    asked = asked_of("goodput.progress.explorer")
    found = figures_of_page(asked, lambda text: text.replace("holds: [[", "forgotten: [["))
    assert disagreements(asked, found)
