"""Version of the tiles of a run's timeline: it changes if any of them may."""

from __future__ import annotations

import hashlib

from analysis.derive import ANALYSIS_VERSION
from storage.stored_run import StoredRun

_DIGITS = 16


def tile_version(stored: StoredRun) -> str:
    """Hash the stored content of a run and the version of the analysis; 16 hex digits."""
    # The date or commit of a capture changes without its events, so they are not part of it.
    return version_of_prefix(stored.prefix)


def version_of_prefix(prefix: str) -> str:
    """Hash the prefix of a run's stored files and the version of the analysis; 16 hex digits."""
    return hashlib.sha256(f"{prefix} {ANALYSIS_VERSION}".encode()).hexdigest()[:_DIGITS]
