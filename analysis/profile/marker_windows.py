"""Windows of time between the markers that a user's program set."""

from __future__ import annotations

import itertools

import pandas as pd

START, END = "capture start", "capture end"
"""What the ends of a capture are called beside its markers."""

Window = tuple[int, int]


def marker_windows(markers: pd.DataFrame, extent: Window) -> pd.DataFrame:
    """Return the windows between each two consecutive markers, from the start and to the end; empty without markers.

    `extent` is the capture's first and last tick. Columns: name (str, `train @ 2 – train @ 3`), start and end (int64,
    ticks, half-open). Markers at one moment have no window between them.
    """
    places = _places(markers)
    if places:
        places = [(START, min(extent[0], places[0][1])), *places, (END, max(extent[1], places[-1][1]))]
    rows = [
        (_between(before, after), start, end)
        for (before, start), (after, end) in itertools.pairwise(places)
        if start < end
    ]
    frame = pd.DataFrame(rows, columns=["name", "start", "end"])
    return frame.astype({"name": "str", "start": "int64", "end": "int64"})


def window_name(markers: pd.DataFrame, window: Window, extent: Window | None = None) -> str | None:
    """Return the name of a window that lies exactly between two markers, neighbours or not; else None.

    With `extent` one of its ends may be an end of the capture. Of several markers at one moment the last one begins a
    window, and the first one ends it.
    """
    places = _places(markers)
    starts = {at: name for name, at in places}
    ends = {at: name for name, at in reversed(places)}
    before, after = starts.get(window[0]), ends.get(window[1])
    if extent is not None and (before is None) != (after is None):
        before = START if before is None and window[0] == extent[0] else before
        after = END if after is None and window[1] == extent[1] else after
    return None if before is None or after is None else _between(before, after)


def _between(before: str, after: str) -> str:
    return f"{before} – {after}"


def _places(markers: pd.DataFrame) -> list[tuple[str, int]]:
    """Return names and times by time."""
    known = markers.sort_values("start", kind="stable")
    return list(zip(known["name"].astype("str").tolist(), known["start"].tolist(), strict=True))
