"""Relative paths made from names that other machines chose."""

from __future__ import annotations

import re
from pathlib import Path

_MAX_PARTS = 8
"""Maximum number of parts of a path, counted from its end, that are used."""
_MAX_PART = 100
"""Maximum number of characters of a part of a path."""
_UNSAFE = re.compile(r"[^\w.,+=@()\[\] -]", re.ASCII)
"""Characters that are replaced in names."""


def safe_path(name: str) -> Path:
    """Return a relative path that stays below its folder, `file` if `name` has no usable part.

    Harmless characters of `name` are kept, other characters become underscores; at most the last 8
    parts of at most 100 characters each.
    """
    parts = [
        _UNSAFE.sub("_", part) for part in re.split(r"[/\\]+", name) if part not in ("", ".", "..")
    ]
    # Shorten in the middle, because the end of a name is its suffix.
    short = [
        part if len(part) <= _MAX_PART else part[:20] + part[20 - _MAX_PART :] for part in parts
    ]
    return Path(*(short[-_MAX_PARTS:] or ["file"]))
