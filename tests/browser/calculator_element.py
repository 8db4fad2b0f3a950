"""A calculator in the browser and the same calculator in Python: every text it shows, compared.

`CalculatorElement(page, address)` moves sliders and choices and reads cards, lines, table, status, bars, the
descriptions of charts, and failures with their ways out. `follows_python` compares all of them at many
states. Where Python refuses to compute, the page must show a dash, not a number.
"""

import math
import re

from mathcore import ArgumentError, find, units
from mathcore.formulas import Formula
from mathcore.number_format import number_text, spell_quantity, unit_text
from mathcore.printing import to_text
from mathcore.teaching.calculators import Chart, unit_and_factor
from mathcore.teaching.symbol_markup import symbol_html, symbol_text
from mathcore.units import quantity_text

FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SET = """
const box = document.querySelector(`mc-explorer[data-address="${arguments[0]}"]`);
for (const [name, value] of Object.entries(arguments[1])) {
  for (const field of box.querySelectorAll(`[data-input="${name}"] :is([type=number], [type=radio])`)) {
    if (field.type === "radio" && Number(field.value) !== value) continue;
    if (field.type === "radio") field.checked = true; else field.value = value;
    field.dispatchEvent(new Event(field.type === "radio" ? "change" : "input", {bubbles: true}));
  }
}
"""
READ = """
const own = document.querySelector(`mc-explorer[data-address="${arguments[0]}"]`);
const all = (selector, within = own) => [...within.querySelectorAll(selector)];
const texts = (selector, within) => all(selector, within).map((each) => each.textContent);
// Raised exponents as Python's text has them: after a caret, in brackets unless they are a number.
const written = (line) => {
  const copy = line.cloneNode(true), before = document.createRange();
  for (const power of copy.querySelectorAll("sup")) {
    before.setStart(copy, 0);
    before.setEndBefore(power);
    if (!before.toString().includes(" = ")) continue;  // part of a symbol
    power.textContent = /^[\\d.,]+$/.test(power.textContent) ? `^${power.textContent}` : `^(${power.textContent})`;
  }
  return copy.textContent;
};
const shown = {
  cards: all(".mc-card").map((card) => [...card.children].map((each) => each.textContent)),
  lines: all(".mc-substituted").map(written),
  cautions: texts(".mc-validity-warning").map((text) => text.split(" This concerns ")),
  table: all("tbody tr").map((row) => texts("th, td", row)),
  status: texts(".mc-status").join(),
  charts: all(".mc-plot, .mc-panel").map((part) => texts("desc", part)[0]).filter(Boolean),
  bars: all(".mc-bars").map((list) => all("li", list).map((bar) => texts("span:first-child, b", bar))),
  failures: all(".mc-failure").map((each) => texts("p", each)),
  ways: all(".mc-failure").map((each) => all("li", each).map((item) => {
    const button = item.querySelector(".mc-way");
    const says = item.firstChild.textContent.trim();
    return [says, button && button.dataset.sets, button && Number(button.dataset.value)];
  })),
};
"""
# `hurried(walk)` awaits `walk(frames)`, in which `frames()` runs at once what waits for the next two frames: those of
# the screen come every 17 ms, and words do not depend on them.
HURRIED = f"""
const hurried = async (walk) => {{
  await {FRAMES};
  const screen = [window.requestAnimationFrame, window.cancelAnimationFrame], waiting = new Map();
  let count = 0;
  window.requestAnimationFrame = (call) => {{ waiting.set(count += 1, call); return count; }};
  window.cancelAnimationFrame = (id) => waiting.delete(id);
  try {{
    return await walk(async () => {{
      for (let i = 0; i < 2; i += 1) {{
        await null;
        for (const [id, call] of [...waiting]) if (waiting.delete(id)) call(performance.now());
      }}
    }});
  }} finally {{
    [window.requestAnimationFrame, window.cancelAnimationFrame] = screen;
    for (const call of waiting.values()) requestAnimationFrame(call);
  }}
}};
"""
# Move to each state in turn, let it be drawn, and read.
WALK = f"""
const set = function () {{ {SET} }}, read = function () {{ {READ} return shown; }};
{HURRIED}
const [address, states] = arguments, found = [];
return hurried(async (frames) => {{
  for (const state of states) {{
    set(address, state);
    await frames();
    found.push(read(address));
  }}
  return found;
}});
"""
OPEN_LOCKS = """
for (const lock of document.querySelectorAll(".mc-lock:not([hidden])")) {
  [...lock.querySelectorAll("button")].at(-1)?.click();
}
"""


def figures(calculator, value):
    """Yield every figure that a calculator shows, as (label, formula, what is put in for sliders by name)."""
    charts = [calculator, *(panel for panel in calculator.panels if isinstance(panel, Chart))]
    yield from ((card.label, card.formula, {}) for card in calculator.cards)
    yield from ((failure.title, failure.violation, {}) for failure in calculator.failures)
    for part in charts:
        yield from (
            (mark.label, mark.on, {part.x.what.name: entered(part.x.what, value(mark.x))}) for mark in part.markers
        )
    for bars in (panel for panel in calculator.panels if not isinstance(panel, Chart)):
        yield from ((label, formula, {}) for label, formula in bars.bars.items())
    for each in calculator.lines:
        formula, results = getattr(each, "formula", each), getattr(each, "values", {})
        yield symbol_text(formula.lhs.tex), formula, {v.name: value(f) for v, (f, _) in results.items()}
    for row in calculator.rows:
        for column, at in (calculator.columns or {}).items():
            yield (
                f"{row.label} ({column})",
                row.formula,
                {calculator.x.what.name: entered(calculator.x.what, value(at))},
            )


def as_printed(formula, caution):
    """Return the text of a page for a warning of Python: a sentence, with symbols as they are printed."""
    for relation, text in formula.validity:
        if caution == f"outside {formula.condition_text(relation)}: {text}":
            return f"Outside {formula.condition_text(relation, lambda v: symbol_text(v.tex))}: {text}."
    raise AssertionError(f"{formula.label} does not say of its regime: {caution}")


def entered(symbol, quantity):
    """Return a computed value as the number of a symbol: an integer where required; None outside its range."""
    if quantity is None:
        return None
    number = float(quantity.m_as(units.unit(symbol.unit)))
    number = math.floor(number + 0.5) if symbol.integer_only else number
    return units.Quantity(number, units.unit(symbol.unit)) if symbol.admits(number) else None


def unlock(page):
    """Open everything that waits for an answer, without answering."""
    page.run(OPEN_LOCKS)
    page.rest()


class CalculatorElement:
    """A calculator of the open page, and its values in Python."""

    def __init__(self, page, address):
        """Find both."""
        self.page, self.address, self.calculator = page, address, find(address)

    # ---- in the browser --------------------------------------------------------------------------

    def set(self, state):
        """Move inputs to a state, `{name: number in the input's unit}`, and wait for the drawing."""
        self.page.run(f"{SET} return {FRAMES};", self.address, state)

    def texts(self):
        """Return every text that the page shows of the calculator."""
        return self.page.run(f"{READ} return shown;", self.address)

    def texts_at(self, *states):
        """Return every text that the page shows at each state, in one go."""
        return self.page.run(WALK, self.address, states)

    def state(self):
        """Return where the inputs stand, `{name: number}`."""
        return self.page.run(
            "return document.querySelector(`mc-explorer[data-address='${arguments[0]}']`).state", self.address
        )

    def take_way(self, index, failure=0):
        """Press the button of a way out and return what it set, `(name, value)`."""
        _, name, value = self.texts()["ways"][failure][index]
        failures = "document.querySelectorAll(`mc-explorer[data-address='${arguments[0]}'] .mc-failure`)"
        press = f"{failures}[arguments[1]].querySelectorAll('li')[arguments[2]].querySelector('.mc-way').click()"
        self.page.run(f"{press}; return {FRAMES}", self.address, failure, index)
        return name, value

    # ---- in Python -------------------------------------------------------------------------------

    @property
    def opening(self):
        """Return the declared opening state."""
        return {s.variable.name: s.default for s in self.calculator.sliders}

    def random_states(self, count, seed=1974):
        """Return `count` random states that sliders and choices can take, the opening state first."""
        found = self.calculator.states(count, seed)
        return [
            {s.variable.name: state[s.variable].m_as(units.unit(s.unit)) for s in self.calculator.sliders}
            for state in found
        ]

    def expected(self, state):
        """Return what Python computes for a state: the same parts that `shown` returns, but for the ways."""
        at = _Texts(self.calculator, state)
        panels = self.calculator.panels
        return {
            "cards": [at.card(card) for card in self.calculator.cards],
            "lines": [at.line(formula) for formula in self.calculator.lines],
            "cautions": at.cautions(),
            "table": at.table(),
            "status": at.status(),
            "charts": [at.chart(part) for part in (self.calculator, *(p for p in panels if isinstance(p, Chart)))],
            "bars": [at.bars(part) for part in panels if not isinstance(part, Chart)],
            "failures": [at.failure(each) for each in self.calculator.failures if at.fails(each)],
        }

    def fails(self, title, state):
        """Return whether the failure with this title is there, as Python sees it."""
        failure = next(each for each in self.calculator.failures if each.title == title)
        return _Texts(self.calculator, state).fails(failure)

    def fails_at_all(self, state):
        """Return whether any failure is there, as Python sees it."""
        return any(self.fails(each.title, state) for each in self.calculator.failures)

    def compare(self, *states):
        """Move to each state and compare every text with Python; each offered remedy must work."""
        for state, texts in zip(states, self.texts_at(*states), strict=True):
            for part, wanted in self.expected(state).items():
                assert texts[part] == wanted, f"{self.address}, {part} at {state}"
            for (title, _), offered in zip(texts["failures"], texts["ways"], strict=True):
                for says, name, value in offered:
                    assert "{" not in says, says
                    if name is not None:
                        assert not self.fails(title, {**state, name: value}), f"{title}: {says} at {state}"


CALM_WITHIN = 1000  # random states among which there is one without a failure


def follows_python(page, address, count=200, seed=1974):
    """Compare a calculator of the open page with Python at `count` states, and return how many failed.

    That is: how many of them were in a failure state, so that a test can ask for some of both.
    """
    unlock(page)
    element = CalculatorElement(page, address)
    states = element.random_states(count, seed)
    if element.calculator.failures and all(map(element.fails_at_all, states)):  # calm ones are rare: look for one
        further = element.random_states(CALM_WITHIN, seed + 1)
        states[-1] = next((state for state in further if not element.fails_at_all(state)), states[-1])
    element.compare(*states)
    return sum(map(element.fails_at_all, states))


class _Texts:
    """The texts of a calculator at a state, from Python's formulas and formats."""

    def __init__(self, calculator, state):
        self.calculator, self.state = calculator, state
        self.values = {
            s.variable: units.Quantity(float(state[s.variable.name]), units.unit(s.unit)) for s in calculator.sliders
        }

    def value(self, x, /, **own):
        """Return a quantity, or None where Python refuses; `own` puts other inputs in, by name."""
        if not isinstance(x, Formula):
            return {v.name: q for v, q in self.values.items()}[x.name]
        found = self.evaluated(x, **own)
        return found and found[0]

    def evaluated(self, formula, /, **own):
        """Return the value of a formula and its cautions, or None where Python refuses."""
        given = {v.name: q for v, q in self.values.items()} | own
        try:
            return formula.evaluate({v.name: given[v.name] for v in formula.inputs})
        except ArgumentError:
            return None

    def number(self, x, unit, /, **own):
        """Return a value in `unit` by one division, so that a tie falls as it does in the page, or None."""
        found, variable = self.value(x, **own), getattr(x, "lhs", x)
        if found is None:
            return None
        return float(found.m_as(units.unit(variable.unit))) / unit_and_factor(variable, unit)["factor"]

    def text(self, x, unit, digits=3, /, **own):
        """Return the text of a value, a dash where there is none."""
        return self._written(self.number(x, unit, **own), unit, digits)

    def quantity_text(self, variable, quantity, unit):
        """Return the text of the quantity of a symbol, a dash if there is none."""
        number = math.nan if quantity is None else float(quantity.m_as(units.unit(variable.unit)))
        return self._written(None if quantity is None else number / unit_and_factor(variable, unit)["factor"], unit)

    def _written(self, found, unit, digits=3):
        if found is None:
            return spell_quantity("–", unit_text(unit))
        return quantity_text(units.Quantity(found, units.unit(unit)), unit, digits)

    def stated(self, variable, unit):
        value = self.values[variable].m_as(units.unit(unit))
        return quantity_text(units.Quantity(float(f"{value:.12g}"), units.unit(unit)), unit, None)

    def inputs(self):
        return {s.variable.name: self.stated(s.variable, s.unit) for s in self.calculator.sliders}

    def card(self, card):
        found = self.number(card.formula, card.unit)
        grade = 0 if found is None else sum(found > edge for edge in card.edges)
        return [card.label, self.text(card.formula, card.unit, card.digits), card.labels[grade]]

    def line(self, each):
        formula, results = getattr(each, "formula", each), getattr(each, "values", {})
        display_units = {s.variable: s.unit for s in self.calculator.sliders}
        own = {v.name: self.value(f) for v, (f, _) in results.items()}
        known = {v.name: self.text(f, unit) for v, (f, unit) in results.items()}
        known |= {
            v.name: self.stated(v, display_units.get(v, v.display_unit)) for v in formula.inputs if v not in results
        }
        head = re.sub(r"<[^>]*>", "", symbol_html(formula.lhs.tex))
        body = to_text(formula.display_form).format(**known)
        return f"{head} = {body} = {self.text(formula, formula.lhs.display_unit, **own)}"

    def cautions(self):
        """Return the warnings outside the validity of formulas, and the figures concerned."""
        found = {}
        for label, formula, own in figures(self.calculator, self.value):
            got = self.evaluated(formula, **own)
            for text in got[1] if got else []:
                labels = found.setdefault(as_printed(formula, text), [])
                labels += [label] * (label not in labels)
        return [[text, f"{', '.join(labels)}."] for text, labels in found.items()]

    def table(self):
        x = self.calculator.x.what.name
        columns = [
            entered(self.calculator.x.what, self.value(each)) for each in (self.calculator.columns or {}).values()
        ]
        return [
            [row.label, *(self.text(row.formula, row.unit, row.digits, **{x: at}) for at in columns)]
            for row in self.calculator.rows
        ]

    def status(self):
        bands = self.calculator.bands
        if not bands:
            return ""
        value = self.value(bands.ratio).magnitude
        grade = sum(value > edge for edge in bands.edges)
        own = next((m for m in self.calculator.markers if m.x == self.calculator.x.what), None)
        one = next((m for m in self.calculator.markers if bands.scale and m.x == bands.scale), None)
        usual = f"{{{own.x.name}}} is {{value}} of the {one.label}: {{label}}" if own and one else "{label}"
        label = bands.labels[grade].replace(": ", ", ", 1)
        return (bands.template or usual).format(value=number_text(value, 2), label=label, **self.inputs())

    def chart(self, part):
        x, y = part.x, part.y
        parts = [f"{', '.join(c.label for c in part.curves)} against {x.label or x.what.meaning}"]
        for mark in part.markers:
            at = entered(x.what, self.value(mark.x))
            own = not isinstance(mark.x, Formula)
            place = self.stated(mark.x, x.unit) if own else self.quantity_text(x.what, at, x.unit)
            parts.append(f"{mark.label}: {self.text(mark.on, y.unit, **{x.what.name: at})} at {place}")
        parts += [f"{v.label} {self.text(v.at, y.unit)}" for v in part.levels if not v.vertical]
        return "; ".join(parts) + "."

    def bars(self, part):
        found = [self.value(formula) for formula in part.bars.values()]
        pick = {"least": min, "greatest": max}.get(part.best)
        first = found.index(pick(found)) if pick else -1
        return [
            [label, self.text(formula, part.unit) + (f", the {part.best}" if i == first else "")]
            for i, (label, formula) in enumerate(part.bars.items())
        ]

    def fails(self, failure):
        violation = self.value(failure.violation)
        return violation is not None and violation.magnitude > 0

    def failure(self, failure):
        slots = {name: self.text(f, unit) for name, (f, unit) in failure.slots.items()}
        return [failure.title, failure.text.format(**self.inputs(), **slots)]
