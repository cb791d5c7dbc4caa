"""Decorators that compile functions by numba if it is installed, and leave them to Python
otherwise.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

from analysis.allocators.compiler import UNCOMPILED_VARIABLE, find_cache_folder

Function = TypeVar("Function", bound=Callable[..., object])


def _import_numba() -> Any:  # noqa: ANN401 - a module without types
    """Import numba and return the module; `None` if it is missing, disabled by UNCOMPILED_VARIABLE,
    or incompatible with the installed numpy.
    """
    if os.environ.get(UNCOMPILED_VARIABLE):
        return None
    try:
        return importlib.import_module("numba")
    except ImportError:
        return None


_NUMBA = _import_numba()


def compile_cached(function: Function) -> Function:
    """Return a version of the function that numba compiles when it is first called, with its
    machine code cached on disk; without numba the function itself.

    The function must not create arrays or slices of arrays.
    """
    if _NUMBA is None:
        return function
    folder = find_cache_folder()
    if folder is not None:
        _NUMBA.config.CACHE_DIR = str(folder)
    # Counting references to arrays, for threads that share them, took twice the time of the search.
    return cast("Function", _NUMBA.njit(cache=folder is not None, nogil=True, _nrt=False)(function))


def compile_inline(function: Function) -> Function:
    """Return a version of the function that numba compiles into its callers, because to pass
    records of arrays costs more than to use them; without numba the function itself.
    """
    return (
        function
        if _NUMBA is None
        else cast("Function", _NUMBA.njit(inline="always", _nrt=False)(function))
    )


def is_compiled() -> bool:
    """Whether numba is loaded, so that decorated functions run as machine code; False if it is
    missing, disabled or incompatible.
    """
    return _NUMBA is not None
