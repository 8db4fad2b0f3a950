"""Which files a chapter's statements come from, and the checksum of all of them.

A chapter depends on the chapters that it names, by an import or by an address in a text, on those
that they name, and on the simulations. What was found for a checksum holds until one of the files
changes: so an edit of one chapter is checked in seconds, and the others are not even loaded.
"""

import hashlib
import pkgutil
import re
from pathlib import Path

from mathcore import chapters
from mathcore.errors import ENGINE

_NAMED = re.compile(r"\b([a-z][a-z_0-9]*)\.[A-Za-z]|import\s+\(?([\w\s,]+)")
SIMULATIONS = ENGINE / "simulations"


def chapter_files():
    """Return `{name: path}` of all chapter modules.

    >>> chapter_files()["young_daly"].name
    'young_daly.py'
    """
    found = pkgutil.iter_modules(chapters.__path__)
    return {module.name: Path(module.module_finder.path) / f"{module.name}.py" for module in found}


def named_in(text, known):
    """Return the chapters that a text names: imported, or at the head of an address.

    >>> sorted(named_in("import audit, models; {val}`roofline.ridge`", {"audit", "roofline", "spot"}))
    ['audit', 'roofline']
    """
    words = set()
    for address, imported in _NAMED.findall(text):
        words |= {address} | set(re.findall(r"\w+", imported))
    return words & set(known)


def checksum(text, files=None):
    """Return the checksum of a text and of all chapters that it leads to, with the simulations."""
    files = chapter_files() if files is None else files
    texts, waiting = {}, sorted(named_in(text, files))
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = files[name].read_text(encoding="utf-8")
            waiting += sorted(named_in(texts[name], files) - texts.keys())
    whole = hashlib.sha256(text.encode())
    for name in sorted(texts):
        whole.update(f"{name}\n{texts[name]}".encode())
    for path in sorted(SIMULATIONS.glob("*.py")):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def chapter_checksum(name):
    """Return the checksum of a chapter and of everything that its statements come from."""
    return checksum(f"{name}.py\n" + chapter_files()[name].read_text(encoding="utf-8"))
