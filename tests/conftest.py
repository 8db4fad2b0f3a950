"""What all tests share: how many run at once, groups that stay in one process, fewer searches for garbage.

Sympy, the chapters and the tests themselves are some million objects that nothing lets go of. Python looks
through all of them again and again for what could be, which costs a tenth of a run.
"""

import gc
import os

import pytest


def pytest_xdist_auto_num_workers():
    """Run one more at once than there are processors: a browser waits a third of its time for a frame to come."""
    return (os.cpu_count() or 2) + 1


def pytest_configure():
    """Look for garbage less often: collecting the tests makes hardly any."""
    gc.set_threshold(100_000, 20, 50)


def pytest_collection_finish():
    """Leave out of the search what has been loaded; what tests make from now on is looked through."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config, items):
    """Add the groups of tests to their identifiers, by which xdist sends each to one process."""
    for item in items if config.getoption("loadgroup", False) else ():
        if group := item.get_closest_marker("xdist_group"):  # xdist marks it at a place where pytest no longer looks
            item._id = type(item._id).parse(f"{item.nodeid}@{group.args[0]}")


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """Return a project whose good tiny book has been built once: what a second would build first takes long."""
    from test_tiny_book_build import Project

    project = Project(tmp_path_factory.mktemp("project"))
    code, output = project.build()
    assert code == 0, output
    return project
