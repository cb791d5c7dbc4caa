"""What is known of the compiler of the search without loading it."""

from __future__ import annotations

from importlib.util import find_spec

CACHE_VARIABLE = "NUMBA_CACHE_DIR"
"""Variable of the environment that names the folder for what is compiled."""
NO_COMPILER = "the search needs numba, which is not installed (pip install numba); all other strategies work without it"


def can_compile() -> bool:
    """Return whether there is a compiler, without loading it."""
    return find_spec("numba") is not None
