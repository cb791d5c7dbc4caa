"""A tinygrad capture of December 2025, between two releases, as the writer that the tests use lays it out."""

from __future__ import annotations

import gzip
from pathlib import Path

from tests.support.tinygrad_capture import training

_STEPS, _SIDE = 6, 64


def write_capture(folder: Path) -> Path:
    """Write the profile.pkl and the rewrites.pkl of a small training; return the former."""
    maker = training("2025", steps=_STEPS, size=_SIDE)
    folder.mkdir(parents=True, exist_ok=True)
    profile = folder / "profile.pkl.gz"
    profile.write_bytes(gzip.compress(maker.profile(), 9, mtime=0))
    (folder / "rewrites.pkl.gz").write_bytes(gzip.compress(maker.rewrites(), 9, mtime=0))
    return profile
