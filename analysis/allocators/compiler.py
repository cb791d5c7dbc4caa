"""What is known of the compiler of the search without loading it, and where what it compiled is kept.

That is a folder whose name has a hash of this package's sources: numba itself looks at the file of a function alone,
and would go on with what it compiled of another file's functions before they changed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from schema.command import FULL

CACHE_VARIABLE = "NUMBA_CACHE_DIR"
"""Variable of the environment that names the folder for what is compiled."""
UNCOMPILED_VARIABLE = "TILESCOPE_UNCOMPILED"
"""Variable of the environment by which a process runs everything as Python does, without a compiler."""
NO_COMPILER = f"the search needs numba, which is not installed ({FULL} has it); all other strategies work without it"

_BESIDE = Path(__file__).parent / "__pycache__"
SEARCH, PLACE = "go_on", "place"
"""Functions of which there is code once the search, or the simple strategies, have been compiled."""


def can_compile() -> bool:
    """Return whether there is a compiler, without loading it."""
    return find_spec("numba") is not None


def is_prepared() -> bool:
    """Return whether search and simple strategies are compiled, so that none of them waits for that."""
    return is_kept(SEARCH) and is_kept(PLACE)


def is_kept(function: str) -> bool:
    """Return whether an earlier process compiled a function of that name, so that its first call is quick."""
    folder = kept_in()
    return folder is not None and any(folder.rglob(f"*.{function}-*.nbi"))


@cache
def kept_in() -> Path | None:
    """Return the folder for what is compiled; None where no folder can be written.

    That is the first that can be written of the one that the environment names, one beside the sources, and one in the
    user's own cache. What lies there is run: who names one sees to it that others cannot write it.
    """
    places = [_BESIDE, *_own_cache()]
    if asked := os.environ.get(CACHE_VARIABLE):
        places.insert(0, Path(asked))
    name = f"compiled-{_hash_of_sources()}"
    folder = next((place / name for place in places if _can_be_written(place / name)), None)
    if folder is not None:
        _take_over(_BESIDE / name, folder)
    return folder


def _take_over(ahead: Path, folder: Path) -> None:
    """Copy what was compiled ahead, beside sources that nobody can write, into a folder that is still empty."""
    if folder == ahead or not any(ahead.rglob("*.nbi")) or any(folder.rglob("*.nbi")):
        return
    with contextlib.suppress(OSError):
        shutil.copytree(ahead, folder, dirs_exist_ok=True)


@contextmanager
def alone() -> Iterator[None]:
    """Keep other processes from compiling the same at the same time: they wait, and find it there."""
    folder = kept_in()
    if folder is None:
        yield
        return
    with (folder / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        yield


def cache_note() -> str:
    """Return a sentence about what is compiled and not kept where it was asked to be; empty where all is well."""
    asked, folder = os.environ.get(CACHE_VARIABLE), kept_in()
    if folder is None:
        return f"no folder can be written, so that every process compiles the search again: set {CACHE_VARIABLE}"
    if asked and folder.parent != Path(asked):
        return f"{CACHE_VARIABLE}={asked} cannot be written: what is compiled is kept in {folder.parent}"
    return ""


def _own_cache() -> list[Path]:
    """Return the user's cache, none for a user without a home."""
    try:
        return [Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tilescope"]
    except RuntimeError:
        return []


def _hash_of_sources() -> str:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    parts = [*(source.read_bytes() for source in sources), _compiler_version().encode()]
    return sha256(b"\0".join(parts)).hexdigest()[:16]


def _compiler_version() -> str:
    """Return the version of numba, which compiles anew what another one kept; empty without it."""
    try:
        return version("numba")
    except PackageNotFoundError:
        return ""


def _can_be_written(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True
