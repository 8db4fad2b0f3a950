"""Relations that a sentence of the book depends on: ``{mc:assert}`lab.interval > 1.5 * lab.optimum` `` beside it.

A side is a sum of products: addresses as the role `val` takes them, quantities such as `90 min`, and plain
numbers, parted by ` + `, ` - `, ` * ` and ` / ` with spaces around. Sides are compared by `<`, `>`, `≤`, `≥`,
and `≈`, which allows a tenth: "about". A chain such as `1 < a < b` says that each of its relations holds.
"""

import operator
import re
from functools import reduce

from mathbook.values import InvalidValue, value
from mathcore import UnknownAddress, units

ASSERT_ROLE = re.compile(r"\{mc:assert\}`([^`]+)`")
APPROX_TOLERANCE = 0.1  # what "about" allows, of the right side
OPERATORS = {
    "<=": operator.le,
    ">=": operator.ge,
    "≤": operator.le,
    "≥": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "≈": lambda a, b: abs(a - b) <= APPROX_TOLERANCE * abs(b),
}
_SIGN = re.compile(r"\s*(<=|>=|[≤≥<>≈])\s*")
_SUM = re.compile(r" ([+-]) ")
_PRODUCT = re.compile(r" ([*/]) ")
_ADDRESS = re.compile(r"[a-z]\w*(\.\w+)+(\s*@\s*[a-z]\w*(\.\w+)+)?$")


def issue(relation):
    """Return what is wrong with a relation as `what: what to do`, or an empty text if it holds.

    >>> print(issue("young_daly.act_one < 1 h").replace("\\u202f", " "))
    `young_daly.act_one < 1 h` no longer holds: young_daly.act_one = 62.0 min: mend the sentence that says so
    >>> issue("0.5 h < young_daly.act_one < 2 h")
    ''
    """
    parts = _SIGN.split(relation.strip())
    if len(parts) < 3 or not all(parts):
        return f"`{relation}` is no relation: write one such as `roofline.ridge > 100 FLOP/B`"
    try:
        found = [_evaluate_side(side) for side in parts[::2]]
        holds = [_holds(*each) for each in zip(found, parts[1::2], found[1:], strict=False)]
    except (InvalidValue, UnknownAddress, ValueError) as error:
        return f"`{relation}` cannot be checked, {getattr(error, 'message', error)}: mend the relation"
    if all(holds):
        return ""
    values = ", ".join(f"{address} = {value(address).text}" for address in addresses(relation))
    return f"`{relation}` no longer holds: {values}: mend the sentence that says so"


def addresses(relation):
    """Return the addresses in a relation, each once.

    >>> addresses("2 * a.x + 3 min > a.x / b.y @ c.d")
    ['a.x', 'b.y @ c.d']
    """
    terms = re.split(r" [-+*/] ", " * ".join(_SIGN.split(relation.strip())[::2]))
    return list(dict.fromkeys(term.strip() for term in terms if _ADDRESS.match(term.strip())))


def _holds(left, sign, right):
    if left.dimensionality != right.dimensionality:
        raise InvalidValue(f"{left:~} and {right:~} are of different kinds")
    return OPERATORS[sign](left.to_base_units().magnitude, right.to_base_units().magnitude)


def _evaluate_side(text):
    return _evaluate(_SUM, _evaluate_product, text)


def _evaluate_product(text):
    return _evaluate(_PRODUCT, _evaluate_term, text)


def _evaluate(signs, part, text):
    """Return the value of parts joined by signs, from left to right."""
    first, *rest = signs.split(text)
    does = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
    return reduce(
        lambda so_far, pair: does[pair[0]](so_far, part(pair[1])), zip(rest[::2], rest[1::2], strict=True), part(first)
    )


def _evaluate_term(text):
    text = text.strip()
    return value(text).quantity if _ADDRESS.match(text) else units.quantity(text)
