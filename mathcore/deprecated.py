"""Names of version 0.1 that still work in 0.2, each with a DeprecationWarning; 0.3 will not have this module."""

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from mathcore.errors import OutsideValidity

FORMULA_FIELDS = {
    "when": "assumptions", "valid": "domain", "regime": "validity", "lifts": "drops_assumptions",
    "shown": "display_form"
}  # fmt: skip
CLASSES = {"OutOfRegime": OutsideValidity}
P = ParamSpec("P")
R = TypeVar("R")


def _warn(old: str, new: str) -> None:
    """Warn the caller of the calling function that the name `old` has become `new`."""
    warnings.warn(f"`{old}` is called `{new}` since version 0.2", DeprecationWarning, stacklevel=3)


def keywords(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that accepts keyword arguments under former names, `old="new"`, too.

    Raises (when called): TypeError for an argument that is given under both names.

    >>> area = keywords(wide="width")(lambda width, height: width * height)
    >>> area(width=2, height=3)
    6
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def accepting(*arguments: P.args, **named: P.kwargs) -> R:
            for old in names.keys() & named.keys():
                if (new := names[old]) in named:
                    raise TypeError(f"`{old}` is the former name of `{new}`: give one of them")
                _warn(old, new)
                named[new] = named.pop(old)
            return function(*arguments, **named)

        return accepting

    return decorate


def fields(names: Mapping[str, str]) -> Callable[[type[R]], type[R]]:
    """Return a class decorator: fields of a dataclass may be given and read under former names, `{old: new}`, too."""

    def read(instance: object, name: str) -> Any:
        if name not in names:
            raise AttributeError(f"{type(instance).__name__!r} object has no attribute {name!r}")
        _warn(f".{name}", f".{names[name]}")
        return getattr(instance, names[name])

    def decorate(kind: type[R]) -> type[R]:
        kind.__init__ = keywords(**names)(kind.__init__)  # type: ignore[method-assign,misc]
        kind.__getattr__ = read  # type: ignore[attr-defined]
        return kind

    return decorate


def attribute(old: str, new: str) -> property:
    """Return a property that reads the attribute, or the method, `new` and warns that `old` is its former name."""

    def read(instance: object) -> Any:
        _warn(f".{old}", f".{new}")
        return getattr(instance, new)

    return property(read)


def class_named(name: str) -> type:
    """Return the class whose former name is `name`: the `__getattr__` of the package.

    Raises: AttributeError for any other name.
    """
    if name not in CLASSES:
        raise AttributeError(f"module 'mathcore' has no attribute {name!r}")
    _warn(name, CLASSES[name].__name__)
    return CLASSES[name]
