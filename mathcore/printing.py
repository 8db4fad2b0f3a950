"""An expression as LaTeX, and as a line of text with a slot for each letter.

Both print the object that is computed. `display` gathers what sympy splits: √2·√C·√M becomes √(2CM).
"""

import sympy
from sympy.codegen.cfunctions import log2
from sympy.printing.latex import LatexPrinter
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from mathcore.formatting import SUPERSCRIPT
from mathcore.one import One


def display(expression):
    """Return the expression with each product of square roots under one root.

    >>> a, b = sympy.symbols("a b", positive=True)
    >>> display(sympy.sqrt(2 * a * b))
    sqrt(2*a*b)
    """
    if not expression.args or expression.is_Relational:
        return expression
    expression = _gather(_as_log2(expression)) if expression.is_Mul else expression
    expression = _without_content(expression)
    terms = ordered(expression) if expression.is_Add else expression.args
    parts = [display(_minus_first(expression, part)) for part in terms]
    if all(new is old for new, old in zip(parts, expression.args, strict=True)):
        return expression
    if expression.is_Mul:  # one level, so that a fraction prints as one
        parts = [factor for part in parts for factor in sympy.Mul.make_args(part)]
    kept = isinstance(expression, (sympy.Add, sympy.Mul, sympy.Pow, sympy.Max, sympy.Min))
    return expression.func(*parts, **({"evaluate": False} if kept else {}))


def _minus_first(whole, part):
    """Write exp((−a − b)/c) as exp(−(a + b)/c), and exp(−a·(b − 1)) as exp(a·(1 − b))."""
    if not isinstance(whole, sympy.exp) or not part.is_Mul:
        return part
    number, rest = part.as_coeff_Mul()
    factors = list(sympy.Mul.make_args(rest))
    for i, factor in enumerate(factors):
        lowered = factor.is_Add and len(factor.args) == 2 and factor.as_coeff_Add()[0].is_negative
        if (factor.is_Add and _is_negative(factor)) or (lowered and number.is_negative):
            number, factors[i] = -number, -factor
    return sympy.Mul(*([] if number == 1 else [number]), *factors, evaluate=False)


def _is_negative(factor):
    number = factor.as_coeff_Mul()[0]
    return all(map(_is_negative, factor.args)) if factor.is_Add else number.is_negative


def _without_content(expression):
    """Write 2p − 2 as 2(p − 1), and its 2 before the other factors of a product."""
    content, parts = sympy.S.One, []
    for part in sympy.Mul.make_args(expression):
        common, rest = part.primitive() if _is_plain_sum(part) else (sympy.S.One, part)
        whole = common.is_Integer and common > 1 and abs(rest.as_coeff_Add()[0]) == 1
        content, parts = (content * common, [*parts, rest]) if whole else (content, [*parts, part])
    if content == 1:
        return expression
    content, parts = (content * parts[0], parts[1:]) if parts[0].is_Rational else (content, parts)
    return sympy.Mul(*([] if content == 1 else [content]), *parts, evaluate=False)


def _is_plain_sum(part):
    return part.is_Add and part.args == sympy.Add(*part.args).args


def _as_log2(product):
    """Write ln x/ln 2 as log₂ x."""
    logs = [f for f in product.args if isinstance(f, sympy.log) and not f.is_number]
    if not logs or 1 / sympy.log(2) not in product.args:
        return product
    rest = [f for f in product.args if f not in (logs[0], 1 / sympy.log(2))]
    found = log2(logs[0].args[0])
    return sympy.Mul(*rest, found, evaluate=False) if rest else found


def _gather(product):
    roots = [f for f in product.args if _is_root(f)]
    if len(roots) < 2 and not (roots and product.args[0].is_Rational and roots[0].base.is_Rational):
        return product
    rest = [f for f in product.args if f not in roots]
    inside = sympy.Mul(*(f.base ** (2 * f.exp) for f in roots))
    number = rest[0] if rest and rest[0].is_Rational else sympy.S.One
    shared = sympy.gcd(sympy.numer(inside.as_coeff_Mul()[0]), number.q)
    if shared > 1:  # √2/2 reads better as √(1/2)
        inside, rest = inside / shared**2, [number * shared, *rest[1:]]
    below = sympy.numer(inside) == 1
    root = sympy.Pow(1 / inside if below else inside, sympy.S.Half, evaluate=False)
    root = sympy.Pow(root, -1, evaluate=False) if below else root
    rest = [f for f in rest if f != 1]
    return sympy.Mul(*rest, root, evaluate=False) if rest else root


def _is_root(factor):
    return factor.is_Pow and factor.exp.is_Rational and factor.exp.q == 2


class Latex(LatexPrinter):
    """Print LaTeX; `values` maps a letter to the LaTeX that stands for it."""

    def __init__(self, values=None):
        """Set the printer up as the book writes mathematics."""
        super().__init__({"ln_notation": True, "mul_symbol": r" \cdot " if values else None})
        self.values = values or {}

    def _print_Variable(self, letter):
        return self.values.get(letter, letter.tex)

    def parenthesize(self, item, level, is_neg=False, strict=False):
        """Return an item with the parentheses it needs; a quantity under a power needs them."""
        text = super().parenthesize(item, level, is_neg, strict)
        measured = item.is_Symbol and r"\," in self.values.get(item, "")
        return rf"\left({text}\right)" if measured and level >= PRECEDENCE["Pow"] else text

    def _print_LambertW(self, e, exp=None):
        text = rf"W_0\left({self._print(e.args[0])}\right)"
        return rf"{text}^{{{exp}}}" if exp else text

    def _print_log2(self, e, exp=None):
        argument = self._print(e.args[0])
        text = rf"\log_2 {argument}" if e.args[0].is_Symbol else rf"\log_2\left({argument}\right)"
        return rf"\left({text}\right)^{{{exp}}}" if exp else text

    def _print_Derivative(self, e):
        (letter, count), *_ = e.variable_count
        power = f"^{{{count}}}" if count > 1 else ""
        body = self._print(e.expr)
        body = body if e.expr.is_Symbol else rf"\left({body}\right)"
        return rf"\frac{{\mathrm{{d}}{power} {body}}}{{\mathrm{{d}} {self._print(letter)}{power}}}"

    def _print_Integral(self, e):
        (letter, low, high), *_ = e.limits
        bounds = rf"\int_{{{self._print(low)}}}^{{{self._print(high)}}}"
        return (
            rf"{bounds} {self.parenthesize(e.function, 30, strict=True)} \, \mathrm{{d}}{self._print(letter)}"
        )

    def _print_Add(self, e, order=None):
        texts = [self._print(term) for term in e.args]
        return texts[0] + "".join(
            f" - {t[1:].strip()}" if t.startswith("-") else f" + {t}" for t in texts[1:]
        )


def ordered(total):
    """Return the terms of a sum as the book writes them.

    A number leads, powers ascend, no sum starts with a minus that can be avoided, and a sum made
    with `evaluate=False` keeps its author's order.

    >>> x = sympy.Symbol("x", positive=True)
    >>> ordered(sympy.exp(x) - 1), ordered(x - x**2 / 3 + 1)
    ([exp(x), -1], [1, x, -x**2/3])
    """
    if total.args != sympy.Add(*total.args).args:
        return list(total.args)
    terms = sorted(total.as_ordered_terms(), key=lambda t: (not (t.is_number and t.is_positive), _degree(t)))
    lead = next((t for t in terms if not t.could_extract_minus_sign()), terms[0])
    return [lead, *(t for t in terms if t is not lead)]


def _degree(term):
    powers = term.as_powers_dict().items()
    return sum(power for base, power in powers if not base.is_number and power.is_Rational and power > 0)


def latex(expression, values=None):
    """Return the LaTeX of an expression, with `values` (letter to LaTeX) put in if given."""
    return Latex(values).doprint(display(sympy.sympify(expression)))


class Line(StrPrinter):
    """Print one line of plain text with a slot `{name}` for each letter."""

    def _print_Variable(self, letter):
        return "{" + letter.name + "}"

    def _print_Add(self, e, order=None):
        texts = [self._print(term) for term in e.args]
        return texts[0] + "".join(f" − {t[1:]}" if t.startswith("−") else f" + {t}" for t in texts[1:])

    def _print_Mul(self, e):
        if e.could_extract_minus_sign():
            return "−" + self._print(-e)
        top, bottom = sympy.fraction(e, exact=True)
        return self._factors(top) + (f" / {self._factors(bottom, wrap=True)}" if bottom != 1 else "")

    def _factors(self, e, wrap=False):
        parts = [f"({self._print(p)})" if p.is_Add else self._print(p) for p in sympy.Mul.make_args(e)]
        text = " · ".join(parts)
        return f"({text})" if wrap and len(parts) > 1 else text

    def _print_Pow(self, e, rational=False):
        base = f"({self._print(e.base)})"
        power = self._print(e.exp)
        power = power if e.exp.is_Symbol or e.exp.is_Integer else f"({power})"
        if e.exp == sympy.S.Half:
            return f"√{base}"
        if e.exp.could_extract_minus_sign():
            return f"1 / {self._factors(1 / e, wrap=True)}"
        if e.base.is_Integer or (e.base.is_Symbol and not getattr(e.base, "unit", "")):
            base = self._print(e.base)  # of a letter with a unit: (30 min)², not 30 min²
        return f"{base}²" if e.exp == 2 else f"{base}^{power}"

    def _print_Piecewise(self, e):
        *cases, (other, _) = e.args
        text = "; ".join(f"{self._print(v)} if {self._print(c)}" for v, c in cases)
        return f"{text}; else {self._print(other)}"

    def _print_EulerGamma(self, e):
        return "γ"

    def _print_Pi(self, e):
        return "π"

    def _print_Integer(self, e):
        digits = str(e).rstrip("0")
        zeros = len(str(e)) - len(digits)
        text = f"{digits}·10{str(zeros).translate(SUPERSCRIPT)}" if zeros > 5 else str(e)
        return text.removeprefix("1·").replace("-", "−")

    def _print_Function(self, e):
        name = NAMES.get(e.func.__name__, e.func.__name__)
        return f"{name}({', '.join(map(self._print, e.args))})"

    _print_Max = _print_Min = _print_exp = _print_log = _print_LambertW = _print_Function


def line_of(formula):
    """Return the right side of a formula as one line of text with slots, in the form that is shown."""
    return line(formula.rhs if formula.shown is None else formula.shown)


NAMES = {"LambertW": "W₀", "log": "ln", "log2": "log₂", "Max": "max", "Min": "min"}


def line(expression):
    """Return an expression as one line of text with slots, `√(2 · {C} · {M})`."""
    expression = sympy.sympify(expression)
    ones = {one: sympy.S.One for one in expression.atoms(One)}  # the numbers put in bring their units
    return Line().doprint(display(expression.xreplace(ones)))
