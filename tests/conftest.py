"""What all tests share: no walk through what stays until the end.

Sympy, the chapters and the tests themselves are some million objects that nothing lets go of. Python looks
through all of them again and again for what could be, which costs a tenth of a run.
"""

import gc


def pytest_configure():
    """Look for garbage less often: collecting the tests makes hardly any."""
    gc.set_threshold(100_000, 20, 50)


def pytest_collection_finish():
    """Leave out of the search what has been loaded; what tests make from now on is looked through."""
    gc.collect()
    gc.freeze()
