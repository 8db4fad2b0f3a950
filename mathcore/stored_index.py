"""Store the search index of a library between runs: to load all chapters takes longer than a reader waits.

The index lies in the user's cache folder, under a hash of the sources of the library and of this package. A folder that
cannot be written to, or a damaged file, costs time but no result.
"""

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from mathcore.search_ranking import Entry, Index

SOURCES = (".py", ".toml", ".csv")
CORE = Path(__file__).parent
STARTED = time.time()
_loaded: dict[str, tuple[str, Index]] = {}  # package → hash of its sources, and its index


def load(package: str, folders: Sequence[str], build: Callable[[], Index]) -> Index:
    """Return the index of a package whose modules lie in `folders`; `build` makes it if a source has changed."""
    sources = _find_sources(CORE, *map(Path, folders))
    stamp = _hash_of(sources)
    if package not in _loaded or _loaded[package][0] != stamp:
        _loaded[package] = stamp, _read_stored(package, stamp) or _write(package, stamp, sources, build())
    return _loaded[package][1]


def _find_sources(*folders: Path) -> list[Path]:
    return sorted({path for folder in folders for path in folder.rglob("*") if path.suffix in SOURCES})


def _hash_of(paths: Sequence[Path]) -> str:
    texts = hashlib.sha256()
    for path in paths:
        texts.update(f"{path}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return texts.hexdigest()[:16]


def _folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("mathcore", appauthor=False))


def _read_stored(package: str, stamp: str) -> Index | None:
    try:
        entries, weights = json.loads((_folder() / f"search-{package}-{stamp}.json").read_bytes())
        return Index([Entry(*each) for each in entries], weights)
    except (OSError, ValueError, TypeError):  # not there, or damaged
        return None


def _write(package: str, stamp: str, sources: Sequence[Path], index: Index) -> Index:
    """Return the index, stored in place of earlier ones unless what is loaded may be older than the sources."""
    if max(path.stat().st_mtime for path in sources) >= STARTED:
        return index
    with contextlib.suppress(OSError):
        _folder().mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=_folder(), suffix=".part", delete=False) as file:
            json.dump(index, file)
        for old in _folder().glob(f"search-{package}-*.json"):
            old.unlink(missing_ok=True)
        os.replace(file.name, _folder() / f"search-{package}-{stamp}.json")
    return index
