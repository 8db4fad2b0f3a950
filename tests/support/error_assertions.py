"""How a refusal and an issue are tested: class, fields, culprits, and that both point at the author's line.

What can be seen at once is refused where it is stated; what has to be computed or checked is an
issue of the statement, which `verify` and the build ask for.
"""

from pathlib import Path

from mathcore import MathcoreError

TESTS = Path(__file__).resolve().parents[1]


def expect_error(error, *culprits, place=True, **fields):
    """Return a context in which an error of this class must be raised, whose message names all these culprits.

    `fields` are `code`, which must be equal, and what `got`, `expected` and `hint` must contain. Unless `place` is
    false, the error must also name the file and line of the statement in the test.
    """
    return _ExpectedError(error, culprits, place, fields)


def check_fields(error, **fields):
    """Compare the fields of an error with the expected ones: its code is equal, the others contain a text."""
    for name, text in fields.items():
        found = getattr(error, name)
        assert text == found if name == "code" else text in found, f"{name} is `{found}`, not `{text}`: {error}"


def first_issue(state, *arguments, **stated):
    """Return the error of a statement: its refusal, or else its first issue, or nothing.

    Both must begin with the line on which the statement is made.
    """
    try:
        statement = state(*arguments, **stated)
    except MathcoreError as error:
        place, message = _author(error.__traceback__), str(error)
    else:
        place, message = statement.where, next(iter(statement.issues()), "")
    assert not message or message.startswith(f"{place}: "), f"{place} is missing in: {message}"
    return message


class _ExpectedError:
    def __init__(self, error, culprits, place, fields):
        self.error, self.culprits, self.place, self.fields = error, culprits, place, fields

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        assert error is not None, f"nothing was refused, but {self.error.__name__} was expected"
        if not isinstance(error, self.error):
            return False
        for word in self.culprits:
            assert word in error.message, f"`{word}` is missing in: {error}"
        check_fields(error, **self.fields)
        if self.place:
            assert error.where == _author(traceback), f"{_author(traceback)} is missing in: {error}"
        self.message, self.raised = str(error), error
        return True


def _author(traceback):
    """Return `file:line` of the last frame before the engine's."""
    last = traceback
    while traceback is not None and TESTS in Path(traceback.tb_frame.f_code.co_filename).parents:
        last, traceback = traceback, traceback.tb_next
    return f"{Path(last.tb_frame.f_code.co_filename).relative_to(TESTS.parent)}:{last.tb_lineno}"
