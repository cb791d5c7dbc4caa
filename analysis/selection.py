"""The selection of a run that its views share, and the keys of kernel names in addresses."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from schema.array_types import Bools

_MARK = "~"
_MAX_NAME_LENGTH, _LEAD = 120, 40


@dataclass(frozen=True)
class Selection:
    """The selected part of a run; a field that is None restricts nothing.

    `window` and `duration` are half-open tick ranges (start, end). `kind` is the key of a kernel's
    name, see `name_key`. `program` is the id of a row of frame `programs`. `kernel` is the position
    in frame `kernels` of the execution on display, and does not filter. `op` and `python` are the
    keys of the names of the operator and the Python function that launched the kernels.
    """

    track: str | None = None
    iteration: int | None = None
    window: tuple[int, int] | None = None
    duration: tuple[int, int] | None = None
    kind: str | None = None
    program: int | None = None
    kernel: int | None = None
    op: str | None = None
    python: str | None = None

    @property
    def launcher(self) -> Selection:
        """Only the selected operator and Python function."""
        return Selection(op=self.op, python=self.python)


def select_kernels(kernels: pd.DataFrame, selection: Selection) -> pd.DataFrame:
    """Return the rows of frame `kernels` that meet all fields of the selection, with their index; a
    window selects kernels that overlap it. Field `kernel` does not filter.
    """
    mask = np.ones(len(kernels), np.bool_)
    if selection.track is not None:
        mask &= _true_rows(kernels["track"] == selection.track)
    if selection.iteration is not None:
        mask &= _true_rows(kernels["iteration"] == selection.iteration)
    if selection.kind is not None:
        mask &= has_name(kernels["name"], selection.kind)
    for launcher in ("op", "python"):
        key = getattr(selection, launcher)
        if key is not None:
            # A source that does not tell who launched a kernel has no such column.
            mask &= has_name(kernels[launcher], key) if launcher in kernels else False
    if selection.program is not None:
        has_programs = "program" in kernels
        mask &= _true_rows(kernels["program"] == selection.program) if has_programs else False
    if selection.window is not None:
        begin, end = selection.window
        start = kernels["start"].fillna(kernels["end"])
        stop = kernels["end"].fillna(kernels["start"])
        # A kernel of zero length would overlap no half-open window, so it counts at its start.
        overlaps = (stop > begin) | ((stop == start) & (start == begin))
        mask &= _true_rows((start < end) & overlaps)
    if selection.duration is not None:
        low, high = selection.duration
        mask &= _true_rows((kernels["duration"] >= low) & (kernels["duration"] < high))
    # A copy of all columns costs more than the masks of a small run.
    return kernels if mask.all() else kernels[mask]


def _true_rows(condition: pd.Series[Any]) -> Bools:
    """Convert a condition to a mask; False where it is unknown."""
    mask: Bools = condition.to_numpy(np.bool_, na_value=False)
    return mask


def name_key(name: str) -> str:
    """Return the key of a kernel's name in an address.

    A name of at most 120 characters is its own key. A name that is longer, empty or contains the
    mark `~` becomes its first 40 characters, the mark and 12 hex digits of its SHA-256.
    """
    if name and len(name) <= _MAX_NAME_LENGTH and _MARK not in name:
        return name
    return f"{name[:_LEAD]}{_MARK}{hashlib.sha256(name.encode('utf-8', 'backslashreplace')).hexdigest()[:12]}"


def key_text(key: str) -> str:
    """Format a name key for display: a name that is its own key unchanged, a shortened name as its
    first 40 characters and `…`, an empty name as `(no name)`.
    """
    lead, marked, _ = key.partition(_MARK)
    return (f"{lead}…" if lead else "(no name)") if marked else key


def has_name(names: Any, key: str) -> Bools:  # noqa: ANN401
    """Mask of the names (any column or array of text) whose key (see `name_key`) is `key`; False
    for missing names.
    """
    column = pd.Series(names)
    if _MARK not in key:
        return np.array((column == key).fillna(False), dtype=np.bool_)
    matching = [name for name in column.dropna().unique() if name_key(str(name)) == key]
    return np.array(column.isin(matching), dtype=np.bool_)
