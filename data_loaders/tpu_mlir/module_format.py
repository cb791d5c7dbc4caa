"""Recognize a module with addresses by the first bytes of a file."""

from __future__ import annotations

_STATE = b'module.state = "TPU_ADDRESSED"'


def is_module(head: bytes) -> bool:
    """Whether `head`, the first bytes of a file, contains `module @` and `module.state =
    "TPU_ADDRESSED"`: a module with addresses.
    """
    return b"module @" in head and _STATE in head
