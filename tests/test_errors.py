"""Protects the fields of errors: each is there for programs, and is the same in a copy and in another process."""

import ast
import copy
import pickle
import re
import subprocess
import sys
import typing

import pytest
from error_assertions import check_fields, expect_error
from mathbook.processes import parallel_map
from sample_formulas import interval

from mathcore import ArgumentError, DeclarationError, MathcoreError, UnknownAddress, errors, find
from mathcore.errors import ENGINE

FIELDS = ("code", "got", "expected", "hint", "where", "message")


def failed(call, *arguments, **named):
    """Return the error that a call raises."""
    with pytest.raises(MathcoreError) as caught:
        call(*arguments, **named)
    return caught.value


def wrong_name():
    return interval.at(C="4 min", Mm="8 h")


def fields(error):
    return {name: getattr(error, name) for name in FIELDS}


def test_error_has_its_parts_as_fields():
    error = failed(interval.at, C="4 GB", M="8 h")
    assert (error.code, error.got, error.expected) == ("dimension", "4 GB", "time")
    assert re.fullmatch(r"tests/test_errors\.py:\d+", error.where)
    assert str(error) == f"{error.where}: {error.message}" and error.message.endswith(error.hint) and error.hint


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_error_survives_pickling(protocol):
    for error in (failed(wrong_name), failed(find, "young_daly.intervall"), ArgumentError("odd", "")):
        again = pickle.loads(pickle.dumps(error, protocol))
        assert (type(again), str(again), again.args) == (type(error), str(error), error.args)
        assert fields(again) == fields(error)


def test_error_survives_copying():
    error = failed(wrong_name)
    assert fields(copy.copy(error)) == fields(copy.deepcopy(error)) == fields(error)


def test_error_of_another_process_names_the_line_of_its_author():
    error = failed(parallel_map, lambda: wrong_name(), [()])
    assert str(error) == str(failed(wrong_name)) and "connection.py" not in str(error)


def test_pickled_error_is_read_by_a_process_that_has_not_raised_it():
    text = "import pickle, sys; error = pickle.load(sys.stdin.buffer); print(error); print(error.code)"
    error = failed(wrong_name)
    result = subprocess.run([sys.executable, "-c", text], input=pickle.dumps(error), capture_output=True, check=True)
    assert result.stdout.decode().splitlines() == [str(error), "unknown-argument"]


def test_error_passed_to_another_process_keeps_its_fields():
    first = failed(wrong_name)
    moved = DeclarationError.of(first, "chapter.toml:7", "the slot x: ")
    assert str(moved) == f"chapter.toml:7: the slot x: {first.message}" and type(moved) is DeclarationError
    assert fields(moved) | {"where": "", "message": ""} == fields(first) | {"where": "", "message": ""}


def test_error_in_a_data_file_keeps_its_fields(tmp_path):
    from mathcore.teaching import Exercise, toml_schema

    path = tmp_path / "exercises.toml"
    path.write_text('[one]\nformula = "young_daly.intervall"\ngiven = {C = "4 min", M = "8 h"}\n', "utf-8")
    error = failed(toml_schema.read_statements, path, Exercise, "nowhere")
    check_fields(error, code="unknown-address", got="young_daly.intervall", hint="young_daly.interval")
    assert (error.where, type(error)) == (f"{path}:2", DeclarationError)


def test_every_code_is_raised_somewhere():
    sources = "".join(path.read_text("utf-8") for path in errors.ENGINE.rglob("*.py"))
    spare = [code for code in typing.get_args(errors.Code) if sources.count(f'"{code}"') < 2]
    assert spare == []


def test_unknown_address_is_caught_as_either():
    with expect_error(UnknownAddress, code="unknown-address", hint="`young_daly.interval`"):
        find("young_daly.intervall")
    with pytest.raises(LookupError):
        find("young_daly.intervall")


def raised_without_a_code(source):
    """Return the lines of a module on which a general error of the engine is made without saying what went wrong."""
    own = ("MathcoreError", "DeclarationError", "ArgumentError", "_error")  # the others say it by their class
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    named = [c for c in calls if getattr(c.func, "attr", getattr(c.func, "id", "")) in own]
    return [call.lineno for call in named if not {"code", None} & {keyword.arg for keyword in call.keywords}]


def test_every_error_of_teaching_and_measured_says_what_went_wrong():
    folders = (ENGINE / folder for folder in ("teaching", "measured", "solution"))
    for path in (*(path for folder in folders for path in folder.glob("*.py")), ENGINE / "decisions.py"):
        assert raised_without_a_code(path.read_text("utf-8")) == [], path
    assert raised_without_a_code('raise DeclarationError("no value")') == [1]
