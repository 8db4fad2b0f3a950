"""The kind of a quantity, which determines its colour throughout the book: time, bytes, money or energy."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathcore.units import Quantity


# Which dimension says it, in this order: a price of energy is money, power is energy, a rate of bytes is bytes.
KIND_BY_DIMENSION = {"[money]": "money", "[energy]": "energy", "[carbon]": "energy", "[information]": "bytes"}


def quantity_kind(quantity: "Quantity") -> str | None:
    """Return the kind of a quantity, or None if it has no colour of its own.

    >>> from mathcore.units import Quantity
    >>> [quantity_kind(Quantity(2.0, unit)) for unit in ("min", "GB / s", "USD / gpu / h", "kW", "1 / s", "FLOP")]
    ['time', 'bytes', 'money', 'energy', None, None]
    """
    powers = dict(quantity.dimensionality)
    named = next((name for dimension, name in KIND_BY_DIMENSION.items() if dimension in powers), None)
    return named or ("time" if powers == {"[time]": 1} else None)
