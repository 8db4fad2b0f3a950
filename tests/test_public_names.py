"""Protects what chapters and other people's tools import: these names, and no others."""

import inspect
import re
import sys
import types
from pathlib import Path

import pytest

import mathcore
from mathcore import measured, teaching

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("package", [mathcore, measured, teaching], ids=lambda package: package.__name__)
def test_list_of_names_is_what_can_be_imported(package):
    found = {n for n, v in vars(package).items() if not n.startswith("_") and not isinstance(v, types.ModuleType)}
    assert sorted(found) == sorted(package.__all__) == package.__all__


def called(each):
    """Yield the functions, methods and properties that a public name gives, by name."""
    if inspect.isfunction(each):
        yield each.__name__, each
    for name, member in vars(each).items() if inspect.isclass(each) else ():
        function = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(function):
            yield f"{each.__name__}.{name}", function


EXPLAINED = re.compile(r"`([a-z_]+)` (?:is|are|says?|states?|maps?|names?|selects?|returns?|means?)\b")


def unknown_names(thing):
    """Return the names that the docstring of a class or function explains and that it does not have."""
    module = vars(sys.modules[thing.__module__])
    known = {*inspect.signature(thing).parameters, *(dir(thing) if inspect.isclass(thing) else ()), *module}
    return [name for name in EXPLAINED.findall(inspect.getdoc(thing) or "") if name not in known]


def test_docstrings_explain_parameters_that_there_are():
    public = [getattr(package, name) for package in (mathcore, measured, teaching) for name in package.__all__]
    things = {each.__name__: each for each in public if inspect.isclass(each) and not issubclass(each, Exception)}
    things |= {name: function for each in public for name, function in called(each)}
    assert {name: found for name, each in things.items() if (found := unknown_names(each))} == {}


def test_name_of_no_parameter_is_found():
    def area(width, height):
        """Return the area; `width` is in m, `depth` is not used."""

    assert unknown_names(area) == ["depth"]
