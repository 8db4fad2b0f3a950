"""An expression as code: Python, numpy, JavaScript, each from a closed list of functions.

`computable` writes what floating point would lose in the functions that keep it: exp(x) − 1,
ln(1 + x), (1 + x)ⁿ, 1 + W₀(−e^(−1−y)), log₂ x, and factorials, which overflow, as exp(ln Γ). A
function outside the list is refused, not guessed.
"""

import sympy
from sympy.codegen.cfunctions import log1p
from sympy.codegen.rewriting import expm1_opt, log2_opt, optimize
from sympy.printing.jscode import JavascriptCodePrinter
from sympy.printing.pycode import PythonCodePrinter

from mathcore import special
from mathcore.errors import DeclarationError, where
from mathcore.printing import display

lambert_gap = sympy.Function("lambert_gap", nonnegative=True)
log_gamma = sympy.Function("log_gamma", real=True)
gamma_share = sympy.Function("gamma_share", nonnegative=True)
_ln = sympy.Function("ln", real=True)  # a logarithm that sympy leaves alone inside an exponential


def computable(expression):
    """Return the expression in the form that loses no digits in floating point."""
    expression = _without_gamma(expression.replace(sympy.LambertW, _stable_lambert))
    if expression.is_Relational:
        return expression.func(computable(expression.lhs), computable(expression.rhs), evaluate=False)
    expression = expression.replace(lambda e: e.is_Pow and _is_near_one(e.base), _stable_power)
    return display(_optimized(expression.replace(sympy.log, _stable_log)))


def _optimized(expression):
    """Write exp(x) − 1 and log₂ x as such; exponents go in as letters, for sympy would expand them."""
    wanted = [log2_opt] * expression.has(sympy.log(2)) + [expm1_opt] * expression.has(sympy.exp)
    if not wanted:  # sympy takes long to find nothing
        return expression
    letters = {}

    def hidden(exponent):
        sign, size = (-1, -exponent) if exponent.could_extract_minus_sign() else (1, exponent)
        return sympy.exp(sign * letters.setdefault(size, sympy.Dummy(real=True)))

    found = optimize(expression.replace(sympy.exp, hidden), wanted)
    for size, letter in reversed(letters.items()):  # an exponent may hold a further one
        found = found.xreplace({letter: size})
    return found


def _without_gamma(expression):
    """Write Γ and its relatives by their logarithm, and incomplete ones by their share of Γ."""
    expression = expression.replace(sympy.uppergamma, lambda a, x: gamma_share(a, x, 1) * sympy.gamma(a))
    expression = expression.replace(sympy.lowergamma, lambda a, x: gamma_share(a, x, 0) * sympy.gamma(a))
    if not expression.has(*GAMMAS):
        return expression
    expression = expression.replace(sympy.binomial, _binomial).replace(sympy.loggamma, log_gamma)
    expression = expression.replace(sympy.factorial, lambda n: sympy.gamma(n + 1))
    expression = expression.replace(sympy.gamma, lambda x: sympy.exp(log_gamma(x)))
    return expression.replace(lambda e: e.is_Mul and e.has(log_gamma), _one_exponential)


def _one_exponential(product):
    """Write μᵏ·e^(−μ)/Γ(k + 1) as one exponential: its factors alone overflow."""
    powers = [f for f in product.args if isinstance(f, sympy.exp) or _is_grown(f)]
    exponents = [f.exp * _ln(f.base) if _is_grown(f) else f.args[0] for f in powers]
    rest = sympy.Mul(*(f for f in product.args if f not in powers))
    return rest * sympy.exp(sympy.Add(*exponents))


def _is_grown(factor):
    return factor.is_Pow and not factor.exp.is_Rational and bool(factor.base.is_positive)


GAMMAS = (sympy.gamma, sympy.loggamma, sympy.factorial, sympy.binomial)


def _binomial(n, k):
    return sympy.exp(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1))


def _stable_log(argument):
    """Write ln(1 + x) with log1p, also where the 1 hides in a fraction, (M + x)/M, or in an exponential."""
    for form in (argument, sympy.expand(argument)):
        if _is_near_one(form) or (form.is_Add and any(isinstance(t, sympy.exp) for t in form.args)):
            return log1p(form - 1)
    return sympy.log(argument)


def _stable_power(power):
    """Write (1 − p)ⁿ as exp(n·log1p(−p)): a chance of 10⁻¹⁶ would be lost beside the 1."""
    return power if power.exp.is_number else sympy.exp(power.exp * log1p(power.base - 1))


def _is_near_one(argument):
    return argument.is_Add and argument.as_coeff_Add()[0] == 1


def _stable_lambert(argument, branch=sympy.S.Zero):
    inner = -argument
    if branch == 0 and isinstance(inner, sympy.exp):
        return lambert_gap(-1 - inner.args[0]) - 1
    return sympy.LambertW(argument, branch)


class _Python(PythonCodePrinter):
    def _print_NumberSymbol(self, e):
        return repr(float(e))

    def _print_Exp1(self, e):
        return "exp(1)"  # so that a letter may be called e

    def _print_Max(self, e):
        return f"max({', '.join(map(self._print, e.args))})"

    def _print_Min(self, e):
        return f"min({', '.join(map(self._print, e.args))})"


class _Numpy(_Python):
    def _print_Max(self, e):
        return _nested("maximum", [self._print(a) for a in e.args])

    def _print_Min(self, e):
        return _nested("minimum", [self._print(a) for a in e.args])

    def _print_Piecewise(self, e):
        text = self._print(e.args[-1].expr)
        for value, condition in reversed(e.args[:-1]):
            text = f"where({self._print(condition)}, {self._print(value)}, {text})"
        return text

    def _print_And(self, e):
        return _nested("logical_and", [self._print(a) for a in e.args])

    def _print_Or(self, e):
        return _nested("logical_or", [self._print(a) for a in e.args])

    def _print_Not(self, e):
        return f"logical_not({self._print(e.args[0])})"


class _JavaScript(JavascriptCodePrinter):
    def _print_NumberSymbol(self, e):
        return repr(float(e))

    def _print_Piecewise(self, e):
        text = self._print(e.args[-1].expr)
        for value, condition in reversed(e.args[:-1]):
            text = f"(({self._print(condition)}) ? ({self._print(value)}) : ({text}))"
        return text


def _nested(function, parts):
    return parts[0] if len(parts) == 1 else f"{function}({parts[0]}, {_nested(function, parts[1:])})"


def _settings(**functions):
    return {"user_functions": functions, "allow_unknown_functions": False}


BUILT_IN = ("expm1", "log1p", "log2")
OWN = {name: name for name in (*special.FUNCTIONS, *BUILT_IN)} | {"ln": "log"}
BROWSER = {f: f"mc.{f}" for f in special.FUNCTIONS} | {f: f"Math.{f}" for f in BUILT_IN}
BROWSER |= {"ln": "Math.log"}
PRINTERS = {
    "python": _Python({"fully_qualified_modules": False, **_settings(**OWN)}),
    "numpy": _Numpy({"fully_qualified_modules": False, **_settings(**OWN)}),
    "javascript": _JavaScript(_settings(**BROWSER)),
}


def code(expression, language):
    """Return an expression as code in `python`, `numpy` or `javascript`.

    Raises: DeclarationError for a function outside the closed list of that language.
    """
    try:
        return PRINTERS[language].doprint(computable(expression)).replace("\n", " ")
    except NotImplementedError as error:
        raise DeclarationError(
            f"{expression} cannot be written in {language}: {str(error).splitlines()[0]}; "
            "use functions of the closed list in mathcore/codegen.py",
            where(),
        ) from error
