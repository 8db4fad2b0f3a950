"""Successors of addresses that were renamed: `redirects.csv` of a library, and the one way in which it is looked up.

`Library.find` uses it, and what reads ledgers and question banks of an earlier version; `mc-migrate.js` does the same
in a browser. A line is `old,new`: an address, or a module with a dot at the end of both names. A successor is an
address of today: where it is renamed again, its line is changed, because nothing is looked up twice.
"""

import csv
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path


def read_redirects(path: Path) -> dict[str, str]:
    """Return `{old: new}` from the file at `path`, nothing where there is none."""
    return _read_cached(path, path.stat().st_mtime_ns) if path.exists() else {}


@functools.cache
def _read_cached(path: Path, _written: int) -> dict[str, str]:
    return {row["old"]: row["new"] for row in csv.DictReader(path.read_text("utf-8").splitlines())}


def successor(address: str, renamed: Mapping[str, str]) -> str:
    """Return the address that follows `address`, itself where nothing was renamed: that of the longest known beginning.

    >>> renamed = {"serving_queue.": "serving.queues.", "serving_queue.t": "serving.t"}
    >>> successor("serving_queue.load", renamed), successor("serving_queue.t", renamed)
    ('serving.queues.load', 'serving.t')
    >>> successor("serving_queue.t.derivation", renamed), successor("serving_queue.times", renamed)
    ('serving.t.derivation', 'serving.queues.times')
    """
    known = next((beginning for beginning in _beginnings(address) if beginning in renamed), "")
    return renamed[known] + address[len(known) :] if known else address


def predecessor(address: str, renamed: Mapping[str, str]) -> str:
    """Return the first address of the statement that is at `address` now; the same one if it was not renamed.

    >>> renamed = {"serving_queue.": "serving.queues.", "serving_queue.t": "serving.t"}
    >>> predecessor("serving.queues.load", renamed), predecessor("serving.t", renamed)
    ('serving_queue.load', 'serving_queue.t')
    """
    former: dict[str, str] = {}
    for old, new in renamed.items():
        former.setdefault(new, old)
    return successor(address, former)


def _beginnings(address: str) -> Iterator[str]:
    """Yield an address and its prefixes of whole words, longest first, with and without the dot that follows.

    >>> list(_beginnings("a.b.c"))
    ['a.b.c', 'a.b.', 'a.b', 'a.', 'a']
    """
    yield address
    for end in reversed([place for place, sign in enumerate(address) if sign == "."]):
        yield address[: end + 1]
        yield address[:end]
