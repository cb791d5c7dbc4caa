"""Record of a file that a walk of the frame store finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FoundFile:
    """A file found by a walk: path relative to the place, size in bytes, last change in seconds
    since 1970.
    """

    path: str
    size: int
    modified_s: float
