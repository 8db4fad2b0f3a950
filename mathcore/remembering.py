"""Verdicts already given, kept in `_build/cache/verdicts`, so that a chapter loads in a second.

A verdict is found again only under the same claim, the same letters with their units and ranges,
the same engine and the same sympy; anything else is judged anew. Refusals are never kept. The
check of the whole book (`python -m mathcore verify`) judges everything anew and keeps the result.
"""

import functools
import hashlib
import json
import os
import tempfile
from pathlib import Path

import mpmath
import sympy

from mathcore.errors import ENGINE, ROOT
from mathcore.variables import Variable

FOLDER = ROOT / "_build" / "cache" / "verdicts"
_state = {"trusting": True}


def distrust():
    """Judge everything anew from now on, in this process."""
    _state["trusting"] = False


@functools.cache
def _engine():
    """Return a checksum of what gives verdicts: the engine's modules, sympy, mpmath."""
    text = hashlib.sha256(f"{sympy.__version__} {mpmath.__version__}".encode())
    for path in sorted(ENGINE.glob("*.py")):
        text.update(path.read_bytes())
    return text.hexdigest()


def remembered(pack, unpack):
    """Return a decorator for a judge; `pack` and `unpack` turn its result into JSON and back.

    The judge's arguments are expressions, a place that does not count, and what `repr` tells apart.
    """

    def decorate(judge):
        @functools.wraps(judge)
        def judged(*arguments, **named):
            path = FOLDER / f"{_key(judge.__name__, arguments, named)}.json"
            if _state["trusting"] and (known := _read(path)) is not None:
                return unpack(known)
            result = judge(*arguments, **named)
            _keep(path, pack(result))
            return result

        return judged

    return decorate


def recalled(kind, checksum, compute, keep=lambda result: True):
    """Return what `compute` gave when its sources had this checksum, as JSON knows it.

    Only what `keep` accepts is kept; the engine is part of the checksum.
    """
    path = FOLDER / f"{hashlib.sha256(f'{_engine()} {kind} {checksum}'.encode()).hexdigest()}.json"
    if _state["trusting"] and (known := _read(path)) is not None:
        return known
    result = compute()
    if keep(result):
        _keep(path, result)
    return result


def _key(name, arguments, named):
    parts = [_engine(), name]
    for value in (*arguments, *sorted(named.items(), key=str)):
        parts.append(_described(value))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _described(value):
    if isinstance(value, sympy.Basic):
        letters = sorted(value.atoms(Variable), key=lambda v: (v.name, v.unit))
        stated = [(v.name, v.unit, v.bounds, sorted(map(str, v.assumptions0.items()))) for v in letters]
        return f"{sympy.srepr(value)} {value} {stated}"
    if isinstance(value, dict):
        return repr(sorted((_described(k), _described(v)) for k, v in value.items()))
    if isinstance(value, (tuple, list)):
        return repr([_described(part) for part in value])
    # A place such as `chapter.py:12` moves with every edit above it, and proves nothing.
    return "" if isinstance(value, str) and ":" in value else repr(value)


def _read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _keep(path, result):
    """Write a result beside its place and move it there, so that no reader sees half of it."""
    if not (ROOT / "pyproject.toml").exists():
        return  # an installed core has no folder of its own to write to
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=FOLDER)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(result, file)
        Path(draft).replace(path)
    except OSError:
        return  # a read-only checkout judges anew each time
