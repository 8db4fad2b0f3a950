"""Visits are made again as soon as anything is another one that they look at."""

from types import SimpleNamespace as Given

import pytest
import visits


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Make a small repository with a built site; return its folder."""
    for name in ("_build/html/book/one.html", "_build/html/book/two.html", "_build/html/_static/mc.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    for name in ("_build/html/_static/mc-index.js", "mathcore/units.py", "mathcore/chapters/one.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    for name in ("tests/built_site.py", "tests/browser/test_one.py", "tests/test_other.py", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    for name in ("requirements.lock", "package-lock.json"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(visits, "ROOT", tmp_path)
    monkeypatch.setattr(visits, "SITE", tmp_path / "_build" / "html")
    monkeypatch.setattr(visits, "_stated", lambda chapters: f"{chapters} {(tmp_path / 'stated').exists()}")
    monkeypatch.setattr(visits, "BROWSERS", ("a-browser",))
    monkeypatch.setattr(visits.shutil, "which", lambda _: tmp_path / "a-browser")
    (tmp_path / "a-browser").write_text("a browser")
    forget()
    yield tmp_path
    forget()


def forget():
    """Look at all files anew, as another run would."""
    visits._shared.cache_clear()
    visits._checksum.cache_clear()


def visit(*patterns, **parameters):
    """Return a test as pytest collects it."""
    mark = Given(args=patterns)
    return Given(
        nodeid="a visit",
        callspec=Given(params=parameters),
        get_closest_marker=lambda name: mark if name == "visit" else None,
    )


ONE, BOTH = visit(page="book/one.html", width=390), visit("book/*.html")


@pytest.mark.parametrize("item", [ONE, BOTH], ids=["of one page", "of a pattern"])
@pytest.mark.parametrize(
    "changed",
    [
        "_build/html/book/one.html",
        "_build/html/_static/mc.js",
        "mathcore/units.py",
        "tests/built_site.py",
        "tests/browser/test_one.py",
        "pyproject.toml",
        "requirements.lock",
        "package-lock.json",
        "a-browser",
    ],
)
def test_visit_is_made_again_when_what_it_looks_at_is_changed(site, item, changed):
    before = visits.digest(item)
    forget()
    assert visits.digest(item) == before
    (site / changed).write_text("something else")
    forget()
    assert visits.digest(item) != before


@pytest.mark.parametrize(
    "changed", ["_build/html/book/two.html", "_build/html/_static/mc-index.js", "tests/test_other.py"]
)
def test_visit_is_not_made_again_for_what_its_page_does_not_show(site, changed):
    before = visits.digest(ONE)
    (site / changed).write_text("something else")
    forget()
    assert visits.digest(ONE) == before


def test_visit_beside_statements_is_made_again_when_these_are_changed(site):
    before, alone = visits.digest(BOTH), visits.digest(ONE)
    (site / "stated").touch()
    assert visits.digest(BOTH) != before
    assert visits.digest(ONE) == alone


def test_what_is_no_visit_of_a_page_is_always_made(site):
    plain = Given(nodeid="plain", get_closest_marker=lambda name: None)
    assert visits.digest(plain) is None
    assert visits.digest(visit(planted="a fault")) is None
    assert visits.left([plain], {"plain": None}) == ([plain], [])


def test_visit_that_passed_is_left_out_until_it_fails():
    passed = {}
    report = Given(nodeid="a visit", user_properties=[("visit", "one")], when="call", passed=True, failed=False)
    visits.noted(passed, report)
    assert passed == {"a visit": "one"}
    assert visits.left([ONE], passed, lambda _: "one") == ([], [ONE])
    assert visits.left([ONE], passed, lambda _: "another") == ([ONE], [])
    visits.noted(passed, Given(**{**vars(report), "passed": False, "failed": True}))
    assert passed == {}


def test_visit_whose_setup_alone_passed_is_not_left_out():
    passed = {}
    for when, found in (("setup", True), ("call", False), ("teardown", True)):
        said = [("visit", "one")]
        report = Given(nodeid="a visit", user_properties=said, when=when, passed=found, failed=not found)
        visits.noted(passed, report)
    assert passed == {}


@pytest.mark.xdist_group("one process")
def test_tests_of_a_group_go_to_one_process(request):
    assert not request.config.getoption("loadgroup", False) or request.node.nodeid.endswith("@one process")
