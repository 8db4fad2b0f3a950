"""Successors of addresses that were renamed, from the table `moved.csv` of the current library."""

from collections.abc import Mapping

from mathcore.library import book


def table() -> dict[str, str]:
    """Return `{old: new}`: an old address, or a module as a prefix that ends in a dot, with its successor."""
    return book.moved()


def successor(address: str, renamed: Mapping[str, str] | None = None) -> str:
    """Return the address that follows `address`, itself where nothing was renamed: that of the longest known prefix.

    >>> successor("serving.queues.load", {"serving.queues.": "serving.queues.", "serving.queues.t": "serving.t"})
    'serving.queues.load'
    >>> successor("serving.queues.t", {"serving.queues.": "serving.queues.", "serving.queues.t": "serving.t"})
    'serving.t'
    """
    renamed = table() if renamed is None else renamed
    for old in (address, *_prefixes(address)):
        if old in renamed:
            return renamed[old] + address[len(old) :]
    return address


def predecessor(address: str, renamed: Mapping[str, str] | None = None) -> str:
    """Return the first address of what is at `address` now, itself where nothing was renamed.

    >>> predecessor("serving.queues.load", {"serving.queues.": "serving.queues."})
    'serving.queues.load'
    """
    renamed = table() if renamed is None else renamed
    for new in (address, *_prefixes(address)):
        for old, other in renamed.items():
            if other == new:
                return old + address[len(new) :]
    return address


def _prefixes(address: str) -> list[str]:
    """Return the beginnings of an address that end in a dot, the longest first."""
    parts = address.split(".")
    return [".".join(parts[:count]) + "." for count in range(len(parts) - 1, 0, -1)]
