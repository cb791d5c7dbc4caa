"""Heartbeat of a search: the server that supervises it touches a file in its folder."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

BEAT = "beat"
"""Name of the file that is touched."""
_STALE_S = 15.0
"""Seconds without a heartbeat after which a search counts as abandoned."""


def is_stale(folder: Path) -> bool:
    """Whether the search of this folder has had no heartbeat for _STALE_S (15 s); True if the
    folder does not exist.
    """
    # a folder that was created a moment ago has no heartbeat yet
    for path in (folder / BEAT, folder):
        with contextlib.suppress(OSError):
            return time.time() - path.stat().st_mtime > _STALE_S
    return True
