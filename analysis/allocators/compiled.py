"""Functions that numba compiles where it is installed, and that Python runs as they are where it is not."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

from analysis.allocators.compiler import UNCOMPILED_VARIABLE, kept_in

Function = TypeVar("Function", bound=Callable[..., object])


def _import_numba() -> Any:  # noqa: ANN401 - a module without types
    """Return numba, None where it is missing, is not wanted, or does not go with the numpy that is there."""
    if os.environ.get(UNCOMPILED_VARIABLE):
        return None
    try:
        return importlib.import_module("numba")
    except ImportError:
        return None


_NUMBA = _import_numba()


def compile_kept(function: Function) -> Function:
    """Have a function compiled at its first call, and kept; it may make no arrays, nor slices of them."""
    if _NUMBA is None:
        return function
    folder = kept_in()
    if folder is not None:
        _NUMBA.config.CACHE_DIR = str(folder)
    # Counting references to arrays, for threads that share them, took twice the time of the search itself.
    return cast("Function", _NUMBA.njit(cache=folder is not None, nogil=True, _nrt=False)(function))


def compile_inline(function: Function) -> Function:
    """Have a function compiled into those that call it: records of arrays cost more to hand over than to use."""
    return function if _NUMBA is None else cast("Function", _NUMBA.njit(inline="always", _nrt=False)(function))


def is_compiled() -> bool:
    """Return whether there is a compiler."""
    return _NUMBA is not None
