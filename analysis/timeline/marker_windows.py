"""Windows of time between the markers of a user's program."""

from __future__ import annotations

import itertools

import pandas as pd

START, END = "capture start", "capture end"
"""Names of the ends of a capture, which count as markers."""

Window = tuple[int, int]


def marker_windows(markers: pd.DataFrame, extent: Window) -> pd.DataFrame:
    """Compute the windows between consecutive markers and the ends of the capture.

    `extent` is the capture's first and last tick. Columns: name (str, `train @ 2 – train @ 3`),
    start and end (int64, ticks, half-open). Markers at the same tick have no window between them.
    Windows of a merged file are between markers of one rank, and sorted by rank. Empty without
    markers.
    """
    rows = [
        (_between(before, after), start, end)
        for own in _by_rank(markers)
        for (before, start), (after, end) in itertools.pairwise(_places(own, extent))
        if start < end
    ]
    frame = pd.DataFrame(rows, columns=["name", "start", "end"])
    return frame.astype({"name": "str", "start": "int64", "end": "int64"})


def window_name(markers: pd.DataFrame, window: Window, extent: Window | None = None) -> str | None:
    """Name a window that begins and ends exactly at markers, such as `train @ 2 – train @ 3`; None
    for other windows and empty windows.

    Other markers may be in between. If `extent`, the capture's first and last tick, is given, these
    two count as markers too. Of several markers at the same tick the last begins a window, and the
    first ends it. In a merged file both are markers of one rank.
    """
    for own in _by_rank(markers):
        places = _places(own, extent)
        starts = {at: name for name, at in places}
        ends = {at: name for name, at in reversed(places)}
        if window[0] < window[1] and window[0] in starts and window[1] in ends:
            return _between(starts[window[0]], ends[window[1]])
    return None


def _by_rank(markers: pd.DataFrame) -> list[pd.DataFrame]:
    """Split frame `markers` by the ranks of a merged file; a single part for other files."""
    if "rank" not in markers.columns or markers["rank"].isna().all():
        return [markers]
    return [own for _, own in markers.groupby("rank", sort=False, dropna=False)]


def _between(before: str, after: str) -> str:
    return f"{before} – {after}"


def _places(markers: pd.DataFrame, extent: Window | None = None) -> list[tuple[str, int]]:
    """List (name, tick) of the markers by time; if `extent` is known and there are markers, the
    ends of the capture come first and last. [] without markers.
    """
    ordered = markers.sort_values("start", kind="stable")
    places = list(
        zip(ordered["name"].astype("str").tolist(), ordered["start"].tolist(), strict=True)
    )
    if extent is None or not places:
        return places
    return [(START, min(extent[0], places[0][1])), *places, (END, max(extent[1], places[-1][1]))]
