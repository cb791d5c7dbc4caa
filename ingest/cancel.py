"""Cancel an ingest that runs: files that are not read yet have no run."""

from __future__ import annotations

from collections.abc import Callable

IsCancelled = Callable[[], bool]
"""Type of functions that return whether the user has cancelled the ingest; called often."""
CANCELLED = "cancelled before it was read"
"""Reason why a file has no run, as the end of a sentence about the file."""


class IngestCancelledError(Exception):
    """The user cancelled the ingest before any file was read."""


def never() -> bool:
    """Return False: an ingest that nobody can cancel."""
    return False
