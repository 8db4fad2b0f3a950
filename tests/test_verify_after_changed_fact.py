"""Shows that a changed fact stops no import, and that `verify` lists all that it made stale at once."""

import json
import re
import subprocess
import sys

import pytest

from mathcore import find
from mathcore.errors import ROOT

# What a file would say after the edit, the constructor is made to say: nothing else is touched. Judged is as the build
# does it: a statement that says what it stated when it was last checked is not checked again.
CHANGED = """
import json, sys
sys.path[:0] = ["book/_ext"]
from mathcore import Fact, find
from mathcore.library import current_library
from mathcore.commands.verification import Report, check_module
from mathbook import cache, checks
address, given, meaning, new, *chapters = sys.argv[1:]
stated = Fact.__post_init__
def altered(fact):
    if (fact.given, fact.meaning) == (given, meaning):
        object.__setattr__(fact, "given", new)
    stated(fact)
Fact.__post_init__ = altered
cache.persist_verdicts()
report = Report()
for name in current_library.names():
    if not chapters or name.partition(".")[0] in chapters:
        report.add(name, check_module(current_library, name, checks._check_statement))
print(json.dumps([find(address).given, report.issues]))
"""
VALUES = re.compile(r"gives (.+), but (.+) was expected|`.*` is wrong \(.*; computed .+\)|gives .+, within tolerance")


def changed(address, new, chapters):
    """Return a fact as the book states it once it has been changed, and what is found then in chapters, or in all."""
    fact = find(address)
    command = [sys.executable, "-c", CHANGED, address, fact.given, fact.meaning, new, *chapters]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "new", "expected", "chapters"),
    [
        pytest.param(
            "hardware.h100_bf16",
            "990 TFLOP/s",
            ["roofline.h100_peak gives 989.4298\u202fTFLOP/s, but 990.0000\u202fTFLOP/s was expected"],
            [],
            marks=pytest.mark.extended,  # half of the book hangs on it
        ),
        (
            "young_daly.lab_write",
            "5 min",
            [
                "`its root is 62.0 min` is wrong (1.12 times too small; computed 69.3\u202fmin)",
                "`a write of 4 min every 30 min is an overhead of 13.3 %` is wrong",
                "`at the optimum the overhead is 6.5 %` is wrong",
                "`10 min are 6.2 times too frequent` is wrong",
            ],
            ["young_daly", "claims"],
        ),
    ],
)
def test_changed_fact_lists_all_that_is_stale_with_values_and_cause(address, new, expected, chapters):
    given, issues = changed(address, new, chapters)
    assert given == new, "the change did not reach the book"
    for words in expected:
        assert sum(words in issue for issue in issues) == 1, issues
    for issue in issues:
        assert re.match(r"mathcore/[\w./]+\.(py|toml):\d+: ", issue), issue
        assert VALUES.search(issue), f"old and new value are missing in: {issue}"
        assert re.search(rf"\b{re.escape(address)}\b", issue), f"the cause is missing in: {issue}"
