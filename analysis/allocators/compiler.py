"""State of the compiler and of its cache folder, without loading numba.

The folder's name contains a hash of this package's sources. numba itself checks only the file of
the compiled function, and would go on using machine code of changed functions from other files.
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
"""Environment variable with the folder for machine code."""
UNCOMPILED_VARIABLE = "TILESCOPE_UNCOMPILED"
"""Environment variable that makes a process run all functions in Python, without a compiler."""
NO_COMPILER = f"the search needs numba, which is not installed (install {FULL}); all other strategies work without it"

_BESIDE = Path(__file__).parent / "__pycache__"
"""Folder next to the sources, which an image may fill in advance."""
SEARCH, PLACE = "go_on", "place"
"""Names of the functions whose machine code exists if the search, or the simple strategies, have
been compiled.
"""


def can_compile() -> bool:
    """Whether numba is installed, found without loading it; an incompatible version counts too."""
    return find_spec("numba") is not None


def is_prepared() -> bool:
    """Whether the machine code of the search and of the simple strategies is cached, so that a run
    need not wait for the compiler.
    """
    return is_cached(SEARCH) and is_cached(PLACE)


def is_cached(function: str) -> bool:
    """Whether the cache folder has machine code of the function of this name, so that its first
    call is quick; False if no cache folder is writable.
    """
    folder = find_cache_folder()
    return folder is not None and any(folder.rglob(f"*.{function}-*.nbi"))


@cache
def find_cache_folder() -> Path | None:
    """Return the path of the cache folder for machine code, which is created if necessary; `None`
    if no folder is writable.

    It is in the first writable folder of: the folder in CACHE_VARIABLE, a folder next to the
    sources, and the user's own cache. Its files are executed: the administrator who sets the
    variable has to protect the folder against other writers.
    """
    places = [_BESIDE, *_own_cache()]
    if variable := os.environ.get(CACHE_VARIABLE):
        places.insert(0, Path(variable))
    name = f"compiled-{_hash_of_sources()}"
    folder = next((place / name for place in places if _can_be_written(place / name)), None)
    if folder is not None:
        _copy_precompiled(_BESIDE / name, folder)
    return folder


def _copy_precompiled(ahead: Path, folder: Path) -> None:
    """Copy machine code that was compiled in advance from folder `ahead`, next to read-only
    sources, into `folder` if that has no machine code yet. Errors of the file system are ignored.
    """
    if folder == ahead or not any(ahead.rglob("*.nbi")) or any(folder.rglob("*.nbi")):
        return
    with contextlib.suppress(OSError):
        shutil.copytree(ahead, folder, dirs_exist_ok=True)


@contextmanager
def alone() -> Iterator[None]:
    """Context that locks the cache folder while a process compiles; other processes wait, and then
    find the machine code there. Without a writable folder there is no lock.
    """
    folder = find_cache_folder()
    if folder is None:
        yield
        return
    # The kernel releases the lock even if the process is killed while it compiles.
    with (folder / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        yield


def cache_note() -> str:
    """Explain in a sentence why machine code is not cached in the configured folder; "" if it is,
    or without a configured folder if some folder is writable.
    """
    variable = os.environ.get(CACHE_VARIABLE)
    folder = find_cache_folder()
    if folder is None:
        return f"no cache folder is writable, so every process compiles the search again: set {CACHE_VARIABLE}"
    if variable and folder.parent != Path(variable):
        return f"{CACHE_VARIABLE}={variable} is not writable: compiled code is cached in {folder.parent}"
    return ""


def _own_cache() -> list[Path]:
    """List the user's cache folder for Tilescope, a single path; [] for a user without a home
    directory.
    """
    try:
        return [Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tilescope"]
    except RuntimeError:
        return []


def _hash_of_sources() -> str:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    parts = [*(source.read_bytes() for source in sources), _compiler_version().encode()]
    return sha256(b"\0".join(parts)).hexdigest()[:16]


def _compiler_version() -> str:
    """Version of numba as text, which ignores machine code of another version; "" if it is not
    installed.
    """
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
