"""What `python -m mathcore` says: a statement in words, the report on all of them, and what is missing for either."""


def missing_dependency(error: ModuleNotFoundError) -> str:
    """Return what has to be installed before a statement can be told or judged.

    >>> missing_dependency(ModuleNotFoundError(name="scipy"))
    'scipy is not installed; simulations and what was measured need numpy and scipy: pip install numpy scipy'
    """
    package = str(error.name).partition(".")[0]
    if package in ("numpy", "scipy"):
        needed = "simulations and what was measured need numpy and scipy: pip install numpy scipy"
        return f"{package} is not installed; {needed}"
    return f"{package} is not installed: pip install {package}"
