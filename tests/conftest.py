"""What all tests share: how many run at once, no visit for nothing, no walk through what stays until the end.

Sympy, the chapters and the tests themselves are some million objects that nothing lets go of. Python looks
through all of them again and again for what could be, which costs a tenth of a run.
"""

import gc
import os

import passed_pages

PASSED = {}


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
    """Leave out the visits that passed when all that they look at was as it is now."""
    items[:], known = passed_pages.left(items, config.cache.get(passed_pages.KEY, {}))
    config.hook.pytest_deselected(items=known)
    for item in items if config.getoption("loadgroup", False) else ():
        if group := item.get_closest_marker("xdist_group"):  # xdist marks it at a place where pytest no longer looks
            item._id = type(item._id).parse(f"{item.nodeid}@{group.args[0]}")


def pytest_runtest_setup(item):
    """Say what a visit looks at, beside its outcome."""
    if checksum := passed_pages.digest(item):
        item.user_properties.append(("page", checksum))


def pytest_runtest_logreport(report):
    """Note which visits pass."""
    passed_pages.noted(PASSED, report)


def pytest_sessionstart(session):
    """Recall which visits passed before."""
    PASSED.update(session.config.cache.get(passed_pages.KEY, {}))


def pytest_sessionfinish(session):
    """Keep which visits passed; those who run beside each other tell it the one who asked them."""
    if not hasattr(session.config, "workerinput"):
        session.config.cache.set(passed_pages.KEY, PASSED)
