"""Words for the cores of a capture, of which some may have no complete iteration."""

from __future__ import annotations

import pandas as pd

from components.counts import part_text
from components.numbers import count_text


def traced_cores(tracks: pd.DataFrame) -> int:
    """Count the traced cores in frame `tracks`, with or without kernels."""
    return int((tracks["kind"] == "core").sum())


def timed_cores_text(timed: int, traced: int) -> str:
    """Count the cores that a number covers: `4 cores`, or `3 of 4 traced cores` if some of the
    traced cores are left out.
    """
    if timed < traced:
        return f"{part_text(timed, traced, 'traced core')}"
    return count_text(timed, "core")
