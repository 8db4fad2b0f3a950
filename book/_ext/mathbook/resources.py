"""Paths of the files that mathbook uses beside its modules: npm packages, hand-written scripts and sheets, locks.

In a checkout they are those of the repository: `node_modules` and `book/_static`. A wheel holds copies of them
within the package, which `hatch_build.py` put there.
"""

import functools
from importlib import metadata
from pathlib import Path

import platformdirs

DISTRIBUTION = "mathematics-of-ml-systems"
PACKAGE = Path(__file__).absolute().parent
VENDORED = PACKAGE / "_vendor"


class MissingResource(LookupError):
    """A file that mathbook needs is absent; `what` names it and `remedy` says what to run."""

    def __init__(self, what, remedy):
        self.what, self.remedy = what, remedy
        super().__init__(f"{what}: {remedy}")

    def __reduce__(self):
        return type(self), (self.what, self.remedy)


def checkout():
    """Return the repository's folder, or None where mathbook was installed from a wheel."""
    return None if VENDORED.is_dir() else PACKAGE.parents[2]


def npm(package, *parts):
    """Return the path of the file `parts` of the npm package `package`.

    Raises: MissingResource.
    """
    path = _npm_folder().joinpath(package, *parts)
    if not path.exists():
        where = f"{_npm_folder() / package}"
        wanted = f"{'/'.join(parts)} of the npm package {package}" if parts else f"the npm package {package}"
        raise MissingResource(f"{wanted} was expected in {where} and is not there", _remedy())
    return path


def has_npm(package):
    """Return whether the files of the npm package `package` are there."""
    return (_npm_folder() / package).is_dir()


def _npm_folder():
    root = checkout()
    return VENDORED if root is None else root / "node_modules"


def _remedy():
    root = checkout()
    if root is None:
        return f"install {DISTRIBUTION} again, as in `pip install --force-reinstall '{DISTRIBUTION}[book]'`"
    return f"run `make setup`, or `npm ci` in {root}"


def static():
    """Return the folder of the hand-written scripts, style sheets and pictures.

    Raises: MissingResource.
    """
    root = checkout()
    folder = PACKAGE / "static" if root is None else root / "book" / "_static"
    if not folder.is_dir():
        raise MissingResource(f"the scripts and style sheets were expected in {folder} and are not there", _remedy())
    return folder


def locks():
    """Return the paths of the locks: Python's first, npm's last."""
    root = checkout()
    if root is None:
        return [VENDORED / "package-lock.json"]
    return [root / "requirements.lock", root / "package-lock.json"]


def cache_folder():
    """Return the folder in which results of earlier builds are kept: in the checkout, or the user's own."""
    root = checkout()
    return Path(platformdirs.user_cache_path("mathbook")) if root is None else root / "_build" / "cache"


def display_path(path):
    """Return a path as messages print it: relative to the checkout where it lies in it."""
    root = checkout()
    inside = root is not None and Path(path).is_relative_to(root)
    return Path(path).relative_to(root).as_posix() if inside else str(path)


@functools.cache
def version():
    """Return the version of the installed distribution."""
    return metadata.version(DISTRIBUTION)
