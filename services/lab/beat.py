"""Whether somebody looks after a search: who does touches a file in its folder."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

BEAT = "beat"
"""The file that is touched."""
_STALE_S = 15.0


def is_stale(folder: Path) -> bool:
    """Return whether nobody looks after a search any more."""
    for path in (folder / BEAT, folder):  # a folder that was made this moment has no beat yet
        with contextlib.suppress(OSError):
            return time.time() - path.stat().st_mtime > _STALE_S
    return True
