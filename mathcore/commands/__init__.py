"""Output of `python -m mathcore`: a statement as text, the verification report, and missing packages."""


def missing_dependency(error: ModuleNotFoundError) -> str:
    """Return which package has to be installed, as text.

    >>> missing_dependency(ModuleNotFoundError(name="scipy"))
    'scipy is not installed; simulations and what was measured need numpy and scipy: pip install numpy scipy'
    """
    package = str(error.name).partition(".")[0]
    if package in ("numpy", "scipy"):
        needed = "simulations and what was measured need numpy and scipy: pip install numpy scipy"
        return f"{package} is not installed; {needed}"
    return f"{package} is not installed: pip install {package}"
