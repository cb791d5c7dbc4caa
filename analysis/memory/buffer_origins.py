"""Where the buffers of a profile come from: what allocated them, and which line of the user's program asked for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from analysis.timeline.call_places import users_places
from schema.array_types import Ints
from schema.frames import build_frame

ORIGIN_FRAMES = ("allocations", "tracks", "events", "event_links", "contexts", "calls")
"""The frames that it takes."""
_TRACED = ("compiler", "user")
"""Kinds of rows whose ranges may be around an allocation."""
_SCHEDULE = r"Schedule [0-9]+ Kernels? n[0-9]+"
"""What tinygrad calls a context that schedules."""


def buffer_origins(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return frame `buffer_origins` of ORIGIN_FRAMES.

    A capture has no names of tensors. The range is the innermost one of Python's methods and of the compiler around the
    allocation, and the place that of the schedule that began last before it.
    """
    blocks = frames["allocations"]
    at = blocks["start"].to_numpy(np.int64)
    context, stack = _schedules(frames, at)
    places = users_places(frames["calls"])
    found = [places.get(number) for number in stack]
    columns = {
        "allocation": np.arange(len(blocks)),
        "attempt": blocks["attempt"],
        "block": blocks["block"],
        "range": pd.Categorical(_ranges(frames["tracks"], frames["events"], at)),
        "context": pd.array(context, dtype="Int64"),
        "file": pd.Categorical([None if place is None else place.file for place in found]),
        "line": pd.array([None if place is None else place.line for place in found], dtype="Int64"),
    }
    return build_frame("buffer_origins", columns)


def _ranges(tracks: pd.DataFrame, events: pd.DataFrame, at: Ints) -> list[str | None]:
    """Return the name of the innermost traced range around each moment, None where there is none."""
    kinds = tracks.loc[tracks["kind"].isin(_TRACED), "track"].astype("str")
    traced = np.flatnonzero(events["track"].isin(set(kinds)).to_numpy())
    start, end = (events[name].to_numpy(np.int64)[traced] for name in ("start", "end"))
    moments = np.sort(at)
    around = np.flatnonzero(np.searchsorted(moments, start) < np.searchsorted(moments, end, side="right"))
    order = around[np.lexsort((-end[around], start[around]))]
    innermost = _innermost(start[order].tolist(), end[order].tolist(), moments.tolist())
    names = events["name"].iloc[traced[order]].astype("str").to_numpy(object)
    by_moment = dict(zip(moments.tolist(), innermost, strict=True))
    return [None if (row := by_moment[moment]) is None else names[row] for moment in at.tolist()]


def _innermost(start: Sequence[int], end: Sequence[int], moments: Sequence[int]) -> list[int | None]:
    """Return the interval that began last of those around each moment; intervals and moments are in order."""
    found: list[int | None] = []
    open_: list[int] = []
    reached = 0
    for moment in moments:
        while reached < len(start) and start[reached] <= moment:
            open_.append(reached)
            reached += 1
        while open_ and end[open_[-1]] < moment:
            open_.pop()
        found.append(open_[-1] if open_ else None)
    return found


def _schedules(frames: Mapping[str, pd.DataFrame], at: Ints) -> tuple[list[int | None], list[int]]:
    """Return context and call stack of the schedule that began last before each moment; None and -1 without one."""
    contexts = frames["contexts"]
    named = contexts[contexts["name"].astype("str").str.fullmatch(_SCHEDULE)]
    stacks = dict(zip(named["context"].tolist(), named["stack"].fillna(-1).astype(int).tolist(), strict=True))
    links = frames["event_links"]
    began = links[links["context"].isin(list(stacks))].sort_values("start", kind="stable")
    place = np.searchsorted(began["start"].to_numpy(np.int64), at, side="right") - 1
    of = began["context"].tolist()
    known = [None if row < 0 else int(of[row]) for row in place.tolist()]
    return known, [-1 if context is None else stacks[context] for context in known]
