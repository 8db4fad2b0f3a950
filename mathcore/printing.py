"""An expression as LaTeX, as a line of text with slots, and as Python, numpy or JavaScript.

All print the object that is computed. `combine_roots` gathers what sympy splits: √2·√C·√M becomes √(2CM).
`numerically_stable` writes what floating point would lose in the functions that keep it: exp(x) − 1, ln(1 + x),
(1 + x)ⁿ, 1 + W₀(−e^(−1−y)), log₂ x, and factorials, which overflow, as exp(ln Γ). Code comes from a closed
list of functions: one outside the list is refused, not guessed.
"""

import functools
from collections.abc import Callable, Mapping

import sympy
from sympy.codegen.cfunctions import log1p, log2
from sympy.codegen.rewriting import expm1_opt, optimize
from sympy.printing.codeprinter import CodePrinter, PrintMethodNotImplementedError
from sympy.printing.jscode import JavascriptCodePrinter
from sympy.printing.latex import LatexPrinter
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.pycode import PythonCodePrinter
from sympy.printing.str import StrPrinter

from mathcore import special
from mathcore.errors import DeclarationError
from mathcore.number_format import TO_SUPERSCRIPT
from mathcore.symbols import One

RELATION_SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠", "<": "<", ">": ">"}  # sympy's `rel_op` → as printed


def combine_roots(expression: sympy.Expr) -> sympy.Expr:
    """Return the expression with each product of square roots under one root.

    >>> a, b = sympy.symbols("a b", positive=True)
    >>> combine_roots(sympy.sqrt(2 * a * b))
    sqrt(2*a*b)
    """
    if not expression.args or expression.is_Relational:
        return expression
    expression = _merge_roots(_as_log2(expression)) if expression.is_Mul else expression
    expression = _factor_out_content(expression)
    terms = ordered_terms(expression) if expression.is_Add else expression.args
    parts = [combine_roots(_move_minus_out(expression, part)) for part in terms]
    if all(new is old for new, old in zip(parts, expression.args, strict=True)):
        return expression
    if expression.is_Mul:  # one level, so that a fraction prints as one
        parts = [factor for part in parts for factor in sympy.Mul.make_args(part)]
    as_stated = isinstance(expression, (sympy.Add, sympy.Mul, sympy.Pow, sympy.Max, sympy.Min))
    return expression.func(*parts, **({"evaluate": False} if as_stated else {}))


def _move_minus_out(whole: sympy.Expr, part: sympy.Expr) -> sympy.Expr:
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


def _is_negative(factor: sympy.Expr) -> bool:
    number = factor.as_coeff_Mul()[0]
    return all(map(_is_negative, factor.args)) if factor.is_Add else number.is_negative


def _factor_out_content(expression: sympy.Expr) -> sympy.Expr:
    """Write 2p − 2 as 2(p − 1), and its 2 before the other factors of a product."""
    content: sympy.Expr = sympy.S.One
    parts: list[sympy.Expr] = []
    for part in sympy.Mul.make_args(expression):
        plain = part.is_Add and part.args == sympy.Add(*part.args).args
        common, rest = part.primitive() if plain else (sympy.S.One, part)
        whole = common.is_Integer and common > 1 and abs(rest.as_coeff_Add()[0]) == 1
        content, parts = (content * common, [*parts, rest]) if whole else (content, [*parts, part])
    if content == 1:
        return expression
    content, parts = (content * parts[0], parts[1:]) if parts[0].is_Rational else (content, parts)
    return sympy.Mul(*([] if content == 1 else [content]), *parts, evaluate=False)


def _as_log2(product: sympy.Expr) -> sympy.Expr:
    """Write ln x/ln 2 as log₂ x."""
    logs = [f for f in product.args if isinstance(f, sympy.log) and not f.is_number]
    if not logs or 1 / sympy.log(2) not in product.args:
        return product
    rest = [f for f in product.args if f not in (logs[0], 1 / sympy.log(2))]
    logarithm = log2(logs[0].args[0])
    return sympy.Mul(*rest, logarithm, evaluate=False) if rest else logarithm


def _merge_roots(product: sympy.Expr) -> sympy.Expr:
    roots = [f for f in product.args if f.is_Pow and f.exp.is_Rational and f.exp.q == 2]
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


class BookLatexPrinter(LatexPrinter):
    """Print LaTeX; `values` maps symbols to the LaTeX that replaces them."""

    def __init__(self, values: Mapping | None = None) -> None:
        """Set the printer up as the book writes mathematics."""
        super().__init__({"ln_notation": True, "mul_symbol": r" \cdot " if values else None})
        self.values = values or {}

    def _print_Variable(self, symbol: sympy.Symbol) -> str:
        return self.values.get(symbol, symbol.tex)

    def parenthesize(self, item: sympy.Expr, level: int, is_neg: bool = False, strict: bool = False) -> str:
        """Return an item with the parentheses it needs; a quantity under a power needs them."""
        text = super().parenthesize(item, level, is_neg, strict)
        measured = item.is_Symbol and r"\," in self.values.get(item, "")
        return rf"\left({text}\right)" if measured and level >= PRECEDENCE["Pow"] else text

    def _print_Integer(self, e: sympy.Expr) -> str:
        """Return an integer, a large one with its zeros as a power of ten or in groups of three digits."""
        digits = str(e).rstrip("0")
        if (zeros := len(str(e)) - len(digits)) > 5:
            power = f"10^{{{zeros}}}"
            return {"1": power, "-1": f"-{power}"}.get(digits, rf"{digits} \cdot {power}")
        return str(e) if abs(e) < 10**6 else f"{int(e):,}".replace(",", "{,}")

    def _print_Rational(self, e: sympy.Expr) -> str:
        if e.q == 1:
            return f"{e.p}"
        above, below = (self._print(sympy.Integer(part)) for part in (abs(e.p), e.q))
        return rf"{'- ' if e.p < 0 else ''}\frac{{{above}}}{{{below}}}"

    def _print_LambertW(self, e: sympy.Expr, exp: sympy.Expr | None = None) -> str:
        text = rf"W_0\left({self._print(e.args[0])}\right)"
        return rf"{text}^{{{exp}}}" if exp else text

    def _print_log2(self, e: sympy.Expr, exp: sympy.Expr | None = None) -> str:
        argument = self._print(e.args[0])
        text = rf"\log_2 {argument}" if e.args[0].is_Symbol else rf"\log_2\left({argument}\right)"
        return rf"\left({text}\right)^{{{exp}}}" if exp else text

    def _print_Derivative(self, e: sympy.Expr) -> str:
        (symbol, count), *_ = e.variable_count
        power = f"^{{{count}}}" if count > 1 else ""
        body = self._print(e.expr)
        body = body if e.expr.is_Symbol else rf"\left({body}\right)"
        return rf"\frac{{\mathrm{{d}}{power} {body}}}{{\mathrm{{d}} {self._print(symbol)}{power}}}"

    def _print_Integral(self, e: sympy.Expr) -> str:
        (symbol, low, high), *_ = e.limits
        bounds = rf"\int_{{{self._print(low)}}}^{{{self._print(high)}}}"
        return rf"{bounds} {self.parenthesize(e.function, 30, strict=True)} \, \mathrm{{d}}{self._print(symbol)}"

    def _print_Add(self, e: sympy.Expr, order: object = None) -> str:
        texts = [self._print(term) for term in e.args]
        return texts[0] + "".join(f" - {t[1:].strip()}" if t.startswith("-") else f" + {t}" for t in texts[1:])


def ordered_terms(total: sympy.Expr) -> list:
    """Return the terms of a sum as the book writes them.

    A number leads, powers ascend, no sum starts with a minus that can be avoided, and a sum made
    with `evaluate=False` keeps its author's order.

    >>> x = sympy.Symbol("x", positive=True)
    >>> ordered_terms(sympy.exp(x) - 1), ordered_terms(x - x**2 / 3 + 1)
    ([exp(x), -1], [1, x, -x**2/3])
    """
    if total.args != sympy.Add(*total.args).args:
        return list(total.args)
    terms = sorted(total.as_ordered_terms(), key=lambda t: (not (t.is_number and t.is_positive), _degree(t)))
    lead = next((t for t in terms if not t.could_extract_minus_sign()), terms[0])
    return [lead, *(t for t in terms if t is not lead)]


def _degree(term: sympy.Expr) -> sympy.Expr:
    powers = term.as_powers_dict().items()
    return sum(power for base, power in powers if not base.is_number and power.is_Rational and power > 0)


def to_latex(expression: sympy.Expr, values: Mapping | None = None) -> str:
    """Return the LaTeX of an expression, with `values` (symbol to LaTeX) substituted."""
    return BookLatexPrinter(values).doprint(combine_roots(sympy.sympify(expression)))


class TextPrinter(StrPrinter):
    """Print one line of plain text with a slot `{name}` for each symbol."""

    def _print_Variable(self, symbol: sympy.Symbol) -> str:
        return "{" + symbol.name + "}"

    def _print_Add(self, e: sympy.Expr, order: object = None) -> str:
        texts = [self._print(term) for term in e.args]
        return texts[0] + "".join(f" − {t[1:]}" if t.startswith("−") else f" + {t}" for t in texts[1:])

    def _print_Mul(self, e: sympy.Expr) -> str:
        if e.could_extract_minus_sign():
            return "−" + self._print(-e)
        top, bottom = sympy.fraction(e, exact=True)
        return self._factors(top) + (f" / {self._factors(bottom, wrap=True)}" if bottom != 1 else "")

    def _factors(self, e: sympy.Expr, wrap: bool = False) -> str:
        parts = [f"({self._print(p)})" if p.is_Add else self._print(p) for p in sympy.Mul.make_args(e)]
        text = " · ".join(parts)
        return f"({text})" if wrap and len(parts) > 1 else text

    def _print_Pow(self, e: sympy.Expr, rational: bool = False) -> str:
        base = f"({self._print(e.base)})"
        power = self._print(e.exp)
        power = power if e.exp.is_Symbol or e.exp.is_Integer else f"({power})"
        if e.exp == sympy.S.Half:
            return f"√{base}"
        if e.exp.could_extract_minus_sign():
            return f"1 / {self._factors(1 / e, wrap=True)}"
        if e.base.is_Integer or (e.base.is_Symbol and not getattr(e.base, "unit", "")):
            base = self._print(e.base)  # of a symbol with a unit: (30 min)², not 30 min²
        return f"{base}²" if e.exp == 2 else f"{base}^{power}"

    def _print_Piecewise(self, e: sympy.Expr) -> str:
        *cases, (other, _) = e.args
        text = "; ".join(f"{self._print(v)} if {self._print(c)}" for v, c in cases)
        return f"{text}; else {self._print(other)}"

    def _print_Derivative(self, e: sympy.Expr) -> str:
        power = {1: "", 2: "²"}.get(e.derivative_count, f"^{e.derivative_count}")
        return f"d{power}{self._print(e.expr)} / d{self._print(e.variables[0])}{power}"

    def _print_EulerGamma(self, e: sympy.Expr) -> str:
        return "γ"

    def _print_Pi(self, e: sympy.Expr) -> str:
        return "π"

    def _print_Integer(self, e: sympy.Expr) -> str:
        digits = str(e).rstrip("0")
        zeros = len(str(e)) - len(digits)
        text = f"{digits}·10{str(zeros).translate(TO_SUPERSCRIPT)}" if zeros > 5 else str(e)
        return text.removeprefix("1·").replace("-", "−")

    def _print_Function(self, e: sympy.Expr) -> str:
        name = FUNCTION_NAMES.get(e.func.__name__, e.func.__name__)
        return f"{name}({', '.join(map(self._print, e.args))})"

    _print_Max = _print_Min = _print_exp = _print_log = _print_LambertW = _print_Function


FUNCTION_NAMES = {"LambertW": "W₀", "log": "ln", "log2": "log₂", "Max": "max", "Min": "min"}


def to_text(expression: sympy.Expr) -> str:
    """Return an expression as one line of text with slots, `√(2 · {C} · {M})`."""
    expression = sympy.sympify(expression)
    ones = {one: sympy.S.One for one in expression.atoms(One)}  # the numbers put in bring their units
    return TextPrinter().doprint(combine_roots(expression.xreplace(ones)))


one_plus_lambertw0 = sympy.Function("one_plus_lambertw0", nonnegative=True)
neg_inv_lambertw0_minus1 = sympy.Function("neg_inv_lambertw0_minus1", nonnegative=True)
log_gamma = sympy.Function("log_gamma", real=True)
gammainc_regularized = sympy.Function("gammainc_regularized", nonnegative=True)
_ln = sympy.Function("ln", real=True)  # a logarithm that sympy leaves alone inside an exponential


@functools.lru_cache(4096)  # languages and guards ask for the same ones
def numerically_stable(expression: sympy.Expr) -> sympy.Expr:
    """Return the expression in the form that loses no digits in floating point."""
    if expression.is_Relational:
        return expression.func(numerically_stable(expression.lhs), numerically_stable(expression.rhs), evaluate=False)
    kinds = {type(part) for part in sympy.preorder_traversal(expression)}  # to find nothing to replace takes long
    if sympy.LambertW in kinds:
        expression = expression.replace(lambda e: e.is_Pow and e.exp == -1, _stable_lambert_inverse)
        expression = expression.replace(sympy.LambertW, _stable_lambert)
    if not kinds.isdisjoint(GAMMAS):
        expression = _use_log_gamma(expression)
    expression = expression.replace(lambda e: e.is_Pow and _is_near_one(e.base), _stable_power)
    return combine_roots(_use_expm1(expression.replace(sympy.log, _stable_log) if sympy.log in kinds else expression))


def _use_expm1(expression: sympy.Expr) -> sympy.Expr:
    """Write exp(x) − 1 as expm1; exponents are replaced by symbols, because sympy would expand them."""
    if not any(sum_.has(sympy.exp) for sum_ in expression.atoms(sympy.Add)):  # sympy takes long to find nothing
        return expression
    symbols: dict[sympy.Expr, sympy.Symbol] = {}

    def hidden(exponent: sympy.Expr) -> sympy.Expr:
        sign, size = (-1, -exponent) if exponent.could_extract_minus_sign() else (1, exponent)
        return sympy.exp(sign * symbols.setdefault(size, sympy.Dummy(real=True)))

    optimized = optimize(expression.replace(sympy.exp, hidden), [expm1_opt])
    for size, symbol in reversed(symbols.items()):  # an exponent may contain another one
        optimized = optimized.xreplace({symbol: size})
    return optimized


def _use_log_gamma(expression: sympy.Expr) -> sympy.Expr:
    """Write Γ and its relatives by their logarithm, and incomplete ones by their share of Γ."""
    expression = expression.replace(sympy.uppergamma, lambda a, x: gammainc_regularized(a, x, 1) * sympy.gamma(a))
    expression = expression.replace(sympy.lowergamma, lambda a, x: gammainc_regularized(a, x, 0) * sympy.gamma(a))
    expression = expression.replace(sympy.binomial, _binomial).replace(sympy.loggamma, log_gamma)
    expression = expression.replace(sympy.factorial, lambda n: sympy.gamma(n + 1))
    expression = expression.replace(sympy.gamma, lambda x: sympy.exp(log_gamma(x)))
    return expression.replace(lambda e: e.is_Mul and e.has(log_gamma), _merge_exponentials)


def _merge_exponentials(product: sympy.Expr) -> sympy.Expr:
    """Write μᵏ·e^(−μ)/Γ(k + 1) as one exponential: its factors alone overflow."""
    powers = [f for f in product.args if isinstance(f, sympy.exp) or _is_power(f)]
    exponents = [f.exp * _ln(f.base) if _is_power(f) else f.args[0] for f in powers]
    rest = sympy.Mul(*(f for f in product.args if f not in powers))
    return rest * sympy.exp(sympy.Add(*exponents))


def _is_power(factor: sympy.Expr) -> bool:
    return factor.is_Pow and not factor.exp.is_Rational and bool(factor.base.is_positive)


GAMMAS = (sympy.gamma, sympy.loggamma, sympy.factorial, sympy.binomial, sympy.uppergamma, sympy.lowergamma)


def _binomial(n: sympy.Expr, k: sympy.Expr) -> sympy.Expr:
    return sympy.exp(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1))


def _stable_log(argument: sympy.Expr) -> sympy.Expr:
    """Write ln(1 + x) with log1p, also where the 1 hides in a fraction, (M + x)/M, or in an exponential."""
    for form in (argument, sympy.expand(argument)):
        if _is_near_one(form) or (form.is_Add and any(isinstance(t, sympy.exp) for t in form.args)):
            return log1p(form - 1)
    return sympy.log(argument)


def _stable_power(power: sympy.Expr) -> sympy.Expr:
    """Write (1 − p)ⁿ as exp(n·log1p(−p)): a probability of 10⁻¹⁶ would be lost when added to 1."""
    return power if power.exp.is_number else sympy.exp(power.exp * log1p(power.base - 1))


def _is_near_one(argument: sympy.Expr) -> bool:
    return argument.is_Add and argument.as_coeff_Add()[0] == 1


def _stable_lambert(argument: sympy.Expr, branch: sympy.Expr = sympy.S.Zero) -> sympy.Expr:
    inner = -argument
    if branch == 0 and isinstance(inner, sympy.exp):
        return one_plus_lambertw0(-1 - inner.args[0]) - 1
    return sympy.LambertW(argument, branch)


def _stable_lambert_inverse(power: sympy.Expr) -> sympy.Expr:
    """Write 1/W₀(−e^(−1−y)) so that neither a small y nor a large one loses digits."""
    inner = -power.base.args[0] if isinstance(power.base, sympy.LambertW) and len(power.base.args) == 1 else None
    return -1 - neg_inv_lambertw0_minus1(-1 - inner.args[0]) if isinstance(inner, sympy.exp) else power


def _binary_printer(function: str) -> Callable:
    """Return the printer of a function that takes any number of arguments in sympy, but two in the language."""

    def printed(self: CodePrinter, e: sympy.Expr) -> str:
        *parts, last = map(self._print, e.args)
        return functools.reduce(lambda text, part: f"{function}({part}, {text})", reversed(parts), last)

    return printed


def _piecewise_printer(form: str) -> Callable:
    """Return the printer of a case distinction, `form` with slots for condition, value and the rest."""

    def printed(self: CodePrinter, e: sympy.Expr) -> str:
        text = self._print(e.args[-1].expr)
        for value, condition in reversed(e.args[:-1]):
            text = form.format(self._print(condition), self._print(value), text)
        return text

    return printed


class _Exact:
    """What all languages print alike: π and its like as the nearest double."""

    def _print_NumberSymbol(self, e: sympy.Expr) -> str:
        return repr(float(e))


class _Python(_Exact, PythonCodePrinter):
    def _print_Exp1(self, e: sympy.Expr) -> str:
        return "exp(1)"  # so that a symbol may be called e


class _Numpy(_Python):
    _print_Max, _print_Min = _binary_printer("maximum"), _binary_printer("minimum")
    _print_And, _print_Or = _binary_printer("logical_and"), _binary_printer("logical_or")
    _print_Piecewise = _piecewise_printer("where({}, {}, {})")

    def _print_Not(self, e: sympy.Expr) -> str:
        return f"logical_not({self._print(e.args[0])})"  # Python's own asks a whole array for one truth


class _JavaScript(_Exact, JavascriptCodePrinter):
    _print_Piecewise = _piecewise_printer("(({}) ? ({}) : ({}))")


def _printer_settings(**functions: str) -> dict[str, object]:
    return {"user_functions": functions, "allow_unknown_functions": False}


BUILT_IN = ("expm1", "log1p", "log2")
PYTHON_FUNCTIONS = {name: name for name in (*special.FUNCTIONS, *BUILT_IN)} | {"ln": "log"}
JAVASCRIPT_FUNCTIONS = {f: f"mc.{f}" for f in special.FUNCTIONS} | {f: f"Math.{f}" for f in BUILT_IN}
JAVASCRIPT_FUNCTIONS |= {"ln": "Math.log"}
PRINTERS: dict[str, CodePrinter] = {
    "python": _Python({"fully_qualified_modules": False, **_printer_settings(**PYTHON_FUNCTIONS)}),
    "numpy": _Numpy({"fully_qualified_modules": False, **_printer_settings(**PYTHON_FUNCTIONS)}),
    "javascript": _JavaScript(_printer_settings(**JAVASCRIPT_FUNCTIONS)),
}


@functools.lru_cache(8192)  # a function, its guards and the text to copy ask for the same ones
def to_source(expression: sympy.Expr, language: str) -> str:
    """Return an expression as code in `python`, `numpy` or `javascript`.

    Raises: DeclarationError for a function outside the closed list of that language.
    """
    try:
        return PRINTERS[language].doprint(numerically_stable(expression)).replace("\n", " ")
    except PrintMethodNotImplementedError as error:  # a function that sympy's printer of the language does not know
        text = f"{expression} cannot be written in {language}: {str(error).splitlines()[0]}"
        hint = "use functions of the closed list in mathcore/printing.py"
        raise DeclarationError(text, code="unsupported", got=expression, hint=hint) from error
