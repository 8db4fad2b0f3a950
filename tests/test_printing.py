"""Protects what readers see: numbers, units and mathematics print the same object that is computed."""

import math

import pytest
import sympy
from error_assertions import expect_error
from sample_formulas import C, M, N, V, b, m, tau, w, waste, x
from sympy import Add, Derivative, Integral, LambertW, Max, Mul, Piecewise, Rational, exp, log, sqrt

from mathcore import ArgumentError, Variable, quantity, walk
from mathcore.commands.text_output import step_equation
from mathcore.examples import quantity_latex, substituted_text
from mathcore.number_format import number_text, unit_text
from mathcore.printing import combine_roots, to_latex, to_text
from mathcore.teaching.symbol_markup import symbol_html, symbol_text
from mathcore.units import natural_unit, quantity_text

NARROW = "\u202f"


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (61.9677, 3, "62.0"), (0.129099, 3, "0.129"), (9.995, 3, "9.99"), (9.9951, 3, "10.0"),
        (0.0999999, 3, "0.100"), (1234.5, 3, "1,230"), (9999.4, 4, "9,999"), (12345.0, 5, "12,345"),
        (1297321.0, 7, "1,297,321"), (9.994e6, 3, "9,990,000"),
        (1e7, 3, "1.00·10⁷"), (1.2e-5, 2, "1.2·10⁻⁵"), (0.00123, 3, "0.00123"), (0.000999, 3, "9.99·10⁻⁴"),
        (-61.97, 3, "−62.0"), (-1.2e-5, 2, "−1.2·10⁻⁵"), (0.0, 3, "0"), (-0.0, 3, "0"),
        (5e-324, 3, "4.94·10⁻³²⁴"), (1.7e308, 3, "1.70·10³⁰⁸"), (4.0, None, "4"), (0.5, None, "0.5"),
        (16384.0, None, "16,384"), (-0.4, 0, "0"), (2.5, 1, "2"), (3.5, 1, "4"), (0.125, 2, "0.12"),
    ],
)  # fmt: skip
def test_number_prints_with_its_significant_digits(value, digits, text):
    assert number_text(value, digits) == text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_number_that_should_not_exist_is_not_printed(value):
    with expect_error(ArgumentError, code="not-finite"):
        number_text(value)


def test_printed_number_reads_back_as_itself():
    for power in range(-12, 13):
        for mantissa in (1.0, 1.234567, 4.5, 9.87654):
            value = mantissa * 10.0**power
            text = number_text(value, 6).replace(",", "").replace("−", "-")
            head, _, tail = text.partition("·10")
            digits = tail.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
            assert float(f"{head}e{digits or 0}") == pytest.approx(value, rel=5e-6), text


@pytest.mark.parametrize(
    ("given", "unit", "text"),
    [
        ("3718 s", "min", "62.0 min"), ("0.1291", "%", "12.9 %"), ("200 gpu h", None, "200 GPU-hours"),
        ("3e9 B/s", "GB/s", "3.00 GB/s"),
    ],
)  # fmt: skip
def test_quantity_prints_with_a_space_that_never_breaks(given, unit, text):
    assert quantity_text(quantity(given), unit) == text.replace(" ", NARROW)


@pytest.mark.parametrize(
    ("seconds", "unit"),
    [
        (0, "s"), (5, "s"), (119, "s"), (120, "min"), (7199, "min"), (7200, "h"), (172_799, "h"),
        (172_800, "d"), (-7200, "h"),
    ],
)  # fmt: skip
def test_duration_prints_in_the_unit_one_would_say(seconds, unit):
    assert natural_unit(quantity(f"{seconds} s"), "s") == unit


@pytest.mark.parametrize(("unit", "text"), [("gpu * h", "gpu·h"), ("percent", "%"), ("GB / s", "GB/s"), ("", "")])
def test_unit_prints_as_pages_have_it(unit, text):
    assert unit_text(unit) == text


@pytest.mark.parametrize(
    ("given", "text"),
    [("4 min", r"4\,\mathrm{min}"), ("16.46 %", r"16.46\,\mathrm{\%}"),
     ("16384 gpu", r"16{,}384\,\mathrm{GPU}"), ("200 gpu h", r"200\,\mathrm{GPU\,h}"),
     ("70000000000 token", r"70\cdot 10^{9}\,\mathrm{token}"), ("17179869184 B", r"17{,}179{,}869{,}184\,\mathrm{B}"),
     ("1.5e-7", r"1.50\cdot 10^{-7}"), ("3.14e23 FLOP", r"3.14\cdot 10^{23}\,\mathrm{FLOP}"), ("419", "419")],
)  # fmt: skip
def test_quantity_in_latex(given, text):
    assert quantity_latex(quantity(given)) == text


@pytest.mark.parametrize(
    ("tex", "text", "html"),
    [
        ("M", "M", "<i>M</i>"),
        (r"\gamma", "γ", "<i>γ</i>"),
        (r"\tau_{\mathrm{Y}}", "τ_Y", "<i>τ</i><sub>Y</sub>"),
        (r"\tau_{\mathrm{a}}^{\mathrm{exact}}", "τ_aexact", "<i>τ</i><sub>a</sub><sup>exact</sup>"),
        (r"w_{\theta}^{\min}", "w_θmin", "<i>w</i><sub><i>θ</i></sub><sup>min</sup>"),
        (r"f_{\mathrm{late},1}", "f_late,1", "<i>f</i><sub>late,1</sub>"),
        (r"k_{\mathrm{CO_2}}", "k_CO_2", "<i>k</i><sub>CO<sub>2</sub></sub>"),
        (r"\operatorname{PUE}_1", "PUE_1", "PUE<sub>1</sub>"),
        (r"\bar{t}_{\max}", "t̄_max", "<i>t̄</i><sub>max</sub>"),
        (r"\Delta w", "Δw", "Δ<i>w</i>"),
        ("B^{*}", "B*", "<i>B</i><sup>*</sup>"),
        (r"\langle B^2\rangle", "⟨B2⟩", "⟨<i>B</i><sup>2</sup>⟩"),
    ],
)
def test_symbol_as_text_and_as_html(tex, text, html):
    assert (symbol_text(tex), symbol_html(tex)) == (text, html)


def test_no_symbol_of_the_book_leaves_latex_behind():
    texts = {e.tex: symbol_html(e.tex) for _, e in walk() if isinstance(e, Variable)}
    assert texts
    assert [tex for tex, html in texts.items() if set(html) & set("\\{}_^")] == []


@pytest.mark.parametrize(("value", "text"), [(4.0, "4"), (18.4, "18"), (16384.0, "16,384"), (-3.0, "−3")])
def test_number_without_stated_digits_is_an_integer(value, text):
    assert number_text(value, 0) == text


# ---------------------------------------------------------------- mathematics


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (sqrt(2 * C * M), r"\sqrt{2 C M}"),
        (sqrt(C / (2 * M)), r"\sqrt{\frac{C}{2 M}}"),
        (sqrt(C * M), r"\sqrt{C M}"),
        (x * sqrt(C), r"\sqrt{C} x"),
        (waste.rhs, r"\frac{C}{\tau} + \frac{\tau}{2 M}"),
        (1 - exp(-C / M), r"1 - e^{- \frac{C}{M}}"),
        (M * (1 + LambertW(-exp(-1 - C / M))), r"M \left(1 + W_0\left(- e^{-1 - \frac{C}{M}}\right)\right)"),
        (x - x**2 / 3 + x**3 / 36, r"x - \frac{x^{2}}{3} + \frac{x^{3}}{36}"),
        (Derivative(w, tau), r"\frac{\mathrm{d} w}{\mathrm{d} \tau}"),
        (Derivative(w, (tau, 2)), r"\frac{\mathrm{d}^{2} w}{\mathrm{d} \tau^{2}}"),
        (Integral(C / tau, (C, 0, tau)), r"\int_{0}^{\tau} \frac{C}{\tau} \, \mathrm{d}C"),
        (log(x), r"\ln{\left(x \right)}"),
        (Mul(Rational(1, 2), Add(x, 1 / x, evaluate=False), evaluate=False), r"\frac{x + \frac{1}{x}}{2}"),
    ],
    ids=lambda e: str(e)[:30],
)
def test_expression_in_latex(expression, text):
    assert to_latex(expression) == text


def test_numbers_are_substituted_for_symbols_in_latex():
    values = {C: r"4\,\mathrm{min}", M: r"8\,\mathrm{h}"}
    assert to_latex(sqrt(2 * C * M), values) == r"\sqrt{2 \cdot 4\,\mathrm{min} \cdot 8\,\mathrm{h}}"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (sqrt(2 * C * M), "√(2 · {C} · {M})"),
        (waste.rhs, "{C} / {tau} + {tau} / (2 · {M})"),
        (sqrt(V / b), "√({V} / {b})"),
        (sqrt(2 * C * M) - C, "√(2 · {C} · {M}) − {C}"),
        (m / N, "{m} / {N}"),
        (6 * 10**9 * x, "6·10⁹ · {x}"),
        (10**6 / x, "10⁶ / {x}"),
        (120000 * x, "120000 · {x}"),
        (x**2 + 1 / x, "1 / {x} + {x}²"),
        (Max(V / b, C), "max({C}, {V} / {b})"),
        (Piecewise((C, C < M), (M, True)), "{C} if {C} < {M}; else {M}"),
        (M * log(x), "{M} · ln({x})"),
        (x**N, "{x}^{N}"),
        (2**w, "2^{w}"),
        (tau**3, "({tau})^3"),
        (x ** Rational(1, 3), "{x}^(1/3)"),
        (x ** (w + 1), "{x}^(1 + {w})"),
    ],
    ids=lambda e: str(e)[:30],
)
def test_expression_as_a_line_with_slots(expression, text):
    assert to_text(expression) == text


def test_line_is_filled_with_the_givens():
    givens = {C: quantity("4 min"), M: quantity("8 h"), tau: quantity("30 min")}
    found = substituted_text(waste, givens, "16.5 %").replace(NARROW, " ")
    assert found == "4 min / 30 min + 30 min / (2 · 8 h) = 16.5 %"


def test_display_never_changes_the_value():
    y = Variable("y", "", "another", low="0.1", high="7")
    for expression in (
        sqrt(2 * x * y), sqrt(x / (2 * y)), sqrt(2) / 2, sqrt(x) * sqrt(y) / sqrt(3), exp((-x - y) / 2),
        -sqrt(x * y) + x, (x + y) / sqrt(6 * x), 3 / sqrt(3 * y),
    ):  # fmt: skip
        for at in ({x: 0.3, y: 5.1}, {x: 40.0, y: 0.2}):
            printed = sympy.N(combine_roots(expression).subs(at))
            assert printed == pytest.approx(float(expression.subs(at)), rel=1e-13), expression


@pytest.mark.exhaustive
def test_every_step_of_the_book_is_a_line_of_text():
    derivations = [each.derivation for _, each in walk() if getattr(each, "derivation", None)]
    lines = [step_equation(step) for derivation in derivations for step in derivation.steps]
    assert len(lines) > 1500 and [line for line in lines if "\\" in line or "\n" in line] == []
