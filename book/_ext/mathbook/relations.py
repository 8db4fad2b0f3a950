"""Relations that a sentence of the book depends on: ``{mc:assert}`lab.interval > 1.5 * lab.optimum` `` next to it.

They are written in the grammar of calculations (`mathcore.teaching.grammar`); an address is resolved as the role
`mc:value` does, and `≈` allows a tenth.
"""

import re

from mathbook.values import InvalidValue, resolve_value
from mathcore import UnknownAddress
from mathcore.teaching import grammar
from mathcore.teaching.expressions import evaluate_relations

ASSERT_ROLE = re.compile(r"\{mc:assert\}`([^`]+)`")


def relation_issue(relation: str) -> str:
    """Return the error in a relation as `what: what to do`, or an empty text if it holds.

    >>> print(relation_issue("young_daly.act_one < 1 h").replace("\\u202f", " "))
    `young_daly.act_one < 1 h` no longer holds: young_daly.act_one = 62.0 min: correct the sentence
    >>> relation_issue("0.5 h < young_daly.act_one<2 h")
    ''
    """
    try:
        if all(each.holds for each in evaluate_relations(relation, value_at=lambda path: resolve_value(path).quantity)):
            return ""
    except (InvalidValue, UnknownAddress, ValueError) as error:
        return f"`{relation}` cannot be evaluated, {getattr(error, 'message', error)}: correct the relation"
    values = ", ".join(f"{address} = {resolve_value(address).text}" for address in relation_addresses(relation))
    return f"`{relation}` no longer holds: {values}: correct the sentence"


def relation_addresses(relation: str) -> list[str]:
    """Return the addresses in a relation, each once, in the notation of `mc:value`."""
    try:
        return grammar.addresses_in(relation)
    except SyntaxError:  # `relation_issue` reports it
        return []
