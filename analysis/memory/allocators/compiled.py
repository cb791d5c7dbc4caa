"""Functions that numba compiles where it is installed, and that Python runs as they are where it is not.

What is compiled is kept in a folder whose name has a hash of this package's sources: numba itself looks at the file of
a function alone, and would go on with what it compiled of another file's functions before they changed.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

from analysis.memory.allocators.compiler import CACHE_VARIABLE

Function = TypeVar("Function", bound=Callable[..., object])


def _imported() -> Any:  # noqa: ANN401 - a module without types
    """Return numba, None where it is missing or does not go with the numpy that is there."""
    try:
        return importlib.import_module("numba")
    except ImportError:
        return None


_NUMBA = _imported()


def compiled(function: Function) -> Function:
    """Have a function compiled at its first call, and kept; it may make no arrays, nor slices of them."""
    if _NUMBA is None:
        return function
    folder = kept_in()
    if folder is not None:
        _NUMBA.config.CACHE_DIR = str(folder)
    # Counting references to arrays, for threads that share them, took twice the time of the search itself.
    return cast("Function", _NUMBA.njit(cache=folder is not None, nogil=True, _nrt=False)(function))


def inlined(function: Function) -> Function:
    """Have a function compiled into those that call it: records of arrays cost more to hand over than to use."""
    return function if _NUMBA is None else cast("Function", _NUMBA.njit(inline="always", _nrt=False)(function))


def is_compiled() -> bool:
    """Return whether there is a compiler."""
    return _NUMBA is not None


def is_kept(function: Callable[..., object]) -> bool:
    """Return whether an earlier process compiled a function, so that its first call is quick."""
    folder = kept_in()
    return folder is not None and any(folder.rglob(f"*.{getattr(function, '__name__', '')}-*.nbi"))


@cache
def kept_in() -> Path | None:
    """Return the folder for what is compiled; None where no folder can be written.

    That is the first that can be written of the one that the environment names, one beside the sources, and one in the
    user's own cache. What lies there is run: who names one sees to it that others cannot write it.
    """
    places = [Path(__file__).parent / "__pycache__", *_own_cache()]
    if asked := os.environ.get(CACHE_VARIABLE):
        places.insert(0, Path(asked))
    folders = (place / f"compiled-{_hash_of_sources()}" for place in places)
    return next((folder for folder in folders if _can_be_written(folder)), None)


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
    return sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:16]


def _can_be_written(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True
