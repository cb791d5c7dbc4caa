"""Origins of a profile's buffers: the range that allocated them, and the line of the user's program
that caused it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.timeline.call_places import users_places
from schema.array_types import Ints
from schema.frames import Frames, build_frame

ORIGIN_FRAMES = ("allocations", "tracks", "events", "event_links", "contexts", "calls")
"""Names of the frames that `buffer_origins` reads."""
_TRACED = ("compiler", "user")
"""Kinds of tracks with ranges that may enclose an allocation."""
_SCHEDULE = r"Schedule [0-9]+ Kernels? n[0-9]+"
"""Pattern of tinygrad's name for a context that schedules kernels."""


def buffer_origins(frames: Frames) -> pd.DataFrame:
    """Build frame `buffer_origins` with a row per buffer, in the order of `allocations`, from the
    frames of ORIGIN_FRAMES.

    Captures have no names of tensors, so an origin is inferred from times: the innermost range of
    Python or of the compiler around the allocation, and the source line of the last schedule that
    began before it. Unknown origins are null.
    """
    blocks = frames["allocations"]
    at = blocks["start"].to_numpy(np.int64)
    context, stack = _schedules(frames, at)
    places = users_places(frames["calls"])
    origins = [places.get(number) for number in stack]
    columns = {
        "allocation": np.arange(len(blocks)),
        "attempt": blocks["attempt"],
        "block": blocks["block"],
        "range": pd.Categorical(_ranges(frames["tracks"], frames["events"], at)),
        "context": pd.array(context, dtype="Int64"),
        "file": pd.Categorical([None if place is None else place.file for place in origins]),
        "line": pd.array(
            [None if place is None else place.line for place in origins], dtype="Int64"
        ),
    }
    return build_frame("buffer_origins", columns)


def _ranges(tracks: pd.DataFrame, events: pd.DataFrame, at: Ints) -> list[str | None]:
    """Find the name of the innermost traced range around each moment (ns, any order), in the same
    order; `None` if there is none.
    """
    kinds = tracks.loc[tracks["kind"].isin(_TRACED), "track"].astype("str")
    traced = np.flatnonzero(events["track"].isin(set(kinds)).to_numpy())
    start, end = (events[name].to_numpy(np.int64)[traced] for name in ("start", "end"))
    moments = np.sort(at)
    around = np.flatnonzero(
        np.searchsorted(moments, start) < np.searchsorted(moments, end, side="right")
    )
    order = around[np.lexsort((-end[around], start[around]))]
    innermost = _innermost(start[order].tolist(), end[order].tolist(), moments.tolist())
    names = events["name"].iloc[traced[order]].astype("str").to_numpy(object)
    by_moment = dict(zip(moments.tolist(), innermost, strict=True))
    return [None if (row := by_moment[moment]) is None else names[row] for moment in at.tolist()]


def _innermost(
    start: Sequence[int], end: Sequence[int], moments: Sequence[int]
) -> list[int | None]:
    """For each moment find the index of the last-begun interval [start, end] that contains it,
    `None` if there is none; intervals and moments are sorted.
    """
    innermost: list[int | None] = []
    open_: list[int] = []
    reached = 0
    for moment in moments:
        while reached < len(start) and start[reached] <= moment:
            open_.append(reached)
            reached += 1
        while open_ and end[open_[-1]] < moment:
            open_.pop()
        innermost.append(open_[-1] if open_ else None)
    return innermost


def _schedules(frames: Frames, at: Ints) -> tuple[list[int | None], list[int]]:
    """Find context number and call stack of the last schedule that began at or before each moment,
    as two lists; `None` and -1 if there is none, -1 if its stack is unknown.
    """
    contexts = frames["contexts"]
    named = contexts[contexts["name"].astype("str").str.fullmatch(_SCHEDULE)]
    stacks = dict(
        zip(named["context"].tolist(), named["stack"].fillna(-1).astype(int).tolist(), strict=True)
    )
    links = frames["event_links"]
    began = links[links["context"].isin(list(stacks))].sort_values("start", kind="stable")
    place = np.searchsorted(began["start"].to_numpy(np.int64), at, side="right") - 1
    of = began["context"].tolist()
    numbers = [None if row < 0 else int(of[row]) for row in place.tolist()]
    return numbers, [-1 if context is None else stacks[context] for context in numbers]
