"""The one selection that every view sets and shows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

_MARK = "~"
_LONGEST, _LEAD = 120, 40


@dataclass(frozen=True)
class Selection:
    """What is selected in a run; None means everything. `kind` is the key of a kernel's name, see `name_key`.

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


def select_kernels(kernels: pd.DataFrame, selection: Selection) -> pd.DataFrame:
    """Return the rows of frame `kernels` that the selection covers; a kernel is in a window when it overlaps it."""
    mask = pd.Series(True, index=kernels.index)
    if selection.track is not None:
        mask &= kernels["track"] == selection.track
    if selection.iteration is not None:
        mask &= (kernels["iteration"] == selection.iteration).fillna(False).astype(bool)
    if selection.kind is not None:
        mask &= has_name(kernels["name"], selection.kind)
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


def name_key(name: str) -> str:
    """Return what stands for a kernel's name in a selection, short enough for an address: most are their own key."""
    if name and len(name) <= _LONGEST and _MARK not in name:
        return name
    return f"{name[:_LEAD]}{_MARK}{hashlib.sha256(name.encode('utf-8', 'backslashreplace')).hexdigest()[:12]}"


def key_text(key: str) -> str:
    """Return what a person reads for the key of a name."""
    lead, marked, _ = key.partition(_MARK)
    return (f"{lead}…" if lead else "(no name)") if marked else key


def has_name(names: Any, key: str) -> npt.NDArray[np.bool_]:  # noqa: ANN401
    """Return which names (any column or array of text) have a key; what has no name has none."""
    column = pd.Series(names)
    if _MARK not in key:
        return np.array((column == key).fillna(False), dtype=np.bool_)
    known = [name for name in column.dropna().unique() if name_key(str(name)) == key]
    return np.array(column.isin(known), dtype=np.bool_)
