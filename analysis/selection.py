"""The one selection that every view sets and shows."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Selection:
    """What is selected in a run; None means everything.

    `window` and `duration` are half-open tick ranges (start, end). `program` is one of frame `programs`; `kernel` is
    the position in frame `kernels` of the one execution that is looked at, and restricts nothing.
    """

    track: str | None = None
    iteration: int | None = None
    window: tuple[int, int] | None = None
    duration: tuple[int, int] | None = None
    kind: str | None = None
    program: int | None = None
    kernel: int | None = None

    def is_empty(self) -> bool:
        """Return whether nothing is selected."""
        return self == Selection()


def select_kernels(kernels: pd.DataFrame, selection: Selection) -> pd.DataFrame:
    """Return the rows of frame `kernels` that the selection covers; a kernel is in a window when it overlaps it."""
    mask = pd.Series(True, index=kernels.index)
    if selection.track is not None:
        mask &= kernels["track"] == selection.track
    if selection.iteration is not None:
        mask &= (kernels["iteration"] == selection.iteration).fillna(False).astype(bool)
    if selection.kind is not None:
        mask &= kernels["name"] == selection.kind
    if selection.program is not None:
        known = kernels["program"] if "program" in kernels else pd.Series(pd.NA, index=kernels.index, dtype="Int64")
        mask &= (known == selection.program).fillna(False).astype(bool)
    if selection.window is not None:
        begin, end = selection.window
        start = kernels["start"].fillna(kernels["end"])
        stop = kernels["end"].fillna(kernels["start"])
        overlaps = (stop > begin) | ((stop == start) & (start == begin))  # what has no length is where it stands
        mask &= ((start < end) & overlaps).fillna(False).astype(bool)
    if selection.duration is not None:
        low, high = selection.duration
        mask &= ((kernels["duration"] >= low) & (kernels["duration"] < high)).fillna(False).astype(bool)
    return kernels[mask]
