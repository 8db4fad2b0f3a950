"""Paths of files that mathbook needs besides its modules: npm packages, scripts and style sheets, locks.

In a checkout they are those of the repository: `node_modules` and `book/_static`. A wheel contains copies within the
package, made by `hatch_build.py`.
"""

import functools
from importlib import metadata
from pathlib import Path

import platformdirs

DISTRIBUTION = "mathematics-of-ml-systems"
PACKAGE = Path(__file__).absolute().parent
VENDORED = PACKAGE / "_vendor"


class MissingResource(LookupError):
    """A file that mathbook needs is absent; `what` names it and `remedy` is what to run."""

    def __init__(self, what: str, remedy: str) -> None:
        self.what, self.remedy = what, remedy
        super().__init__(f"{what}: {remedy}")

    def __reduce__(self) -> tuple:
        return type(self), (self.what, self.remedy)


def checkout_folder() -> Path | None:
    """Return the folder of the repository, or None for an installation from a wheel."""
    return None if VENDORED.is_dir() else PACKAGE.parents[2]


def npm_path(package: str, *parts: str) -> Path:
    """Return the path of the file `parts` of the npm package `package`.

    Raises: MissingResource.
    """
    path = _npm_folder().joinpath(package, *parts)
    if not path.exists():
        where = f"{_npm_folder() / package}"
        wanted = f"{'/'.join(parts)} of the npm package {package}" if parts else f"the npm package {package}"
        raise MissingResource(f"{wanted} was expected in {where} and is not there", _remedy())
    return path


def has_npm(package: str) -> bool:
    """Return whether the files of the npm package `package` are there."""
    return (_npm_folder() / package).is_dir()


def _npm_folder() -> Path:
    root = checkout_folder()
    return VENDORED if root is None else root / "node_modules"


def _remedy() -> str:
    root = checkout_folder()
    if root is None:
        return f"install {DISTRIBUTION} again, as in `pip install --force-reinstall '{DISTRIBUTION}[book]'`"
    return f"run `make setup`, or `npm ci` in {root}"


def static_folder() -> Path:
    """Return the folder of the hand-written scripts, style sheets and pictures.

    Raises: MissingResource.
    """
    root = checkout_folder()
    folder = PACKAGE / "static" if root is None else root / "book" / "_static"
    if not folder.is_dir():
        raise MissingResource(f"the scripts and style sheets were expected in {folder} and are not there", _remedy())
    return folder


def lock_files() -> list[Path]:
    """Return the paths of the lock files: Python's first, npm's last.

    Raises: MissingResource.
    """
    root = checkout_folder()
    if root is None:
        return [VENDORED / "package-lock.json"]
    paths = [root / "requirements.lock", root / "package-lock.json"]
    for path in paths:
        if not path.is_file():
            what = f"{path.name} was expected in {root} and is not there"
            raise MissingResource(what, f"`git checkout {path.name}` restores it, `make lock` makes a new one")
    return paths


def cache_folder() -> Path:
    """Return the folder of cached results: in the checkout, or in the user's cache folder."""
    root = checkout_folder()
    return Path(platformdirs.user_cache_path("mathbook")) if root is None else root / "_build" / "cache"


def display_path(path: Path) -> str:
    """Return a path as messages print it: relative to the checkout if it is inside."""
    root = checkout_folder()
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else str(path)


@functools.cache
def installed_version() -> str:
    """Return the version of the installed distribution."""
    return metadata.version(DISTRIBUTION)
