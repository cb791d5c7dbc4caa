"""Gaps in lifetimes: spans in which a buffer is unused, or uses only a window of its bytes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED, Segments
from schema.array_types import Ints

# Numbers of up to 18 digits fit into int64.
_GAP = r"(?P<start>[0-9]{1,18})-(?P<end>[0-9]{1,18})(?:@(?P<low>[0-9]{1,18}):(?P<high>[0-9]{1,18}))?(?= |$)"


def without_gaps(blocks: pd.DataFrame, whole: Segments) -> tuple[Segments, Ints]:
    """Cut the gaps out of the segments of `blocks`; returns the new segments, not in order, and the
    bytes of each.

    `whole` are the segments that `attempt_map.segments` computed for the blocks. In a gap with a
    window (`4-6@0:64`) the bytes [address + 0, address + 64) stay in use, as in MiniMalloc. Text
    that is not a valid gap is ignored.
    """
    size = blocks["size"].to_numpy(np.int64)
    texts = blocks["gaps"].fillna("").astype("str")
    if not (texts != "").any():
        return whole, size[whole.row]
    gaps = _gaps(texts)
    touched = np.isin(whole.row, gaps["row"].to_numpy(np.int64))
    lives = pd.DataFrame({"segment": np.flatnonzero(touched), "row": whole.row[touched]})
    cut = lives.merge(gaps, on="row")
    between = _between(cut, whole)
    windows = _windows(cut, whole, size)
    intact = whole.take(~touched)
    return _join_segments(intact, between, windows[0]), np.concatenate(
        [size[intact.row], size[between.row], windows[1]]
    )


def _gaps(texts: pd.Series) -> pd.DataFrame:
    """Parse row (of the text), start, end, low, high of every gap, a row each; low and high are
    NOT_PLACED (-1) if the gap has no window. Empty gaps are dropped.
    """
    fields = texts.reset_index(drop=True).loc[lambda text: text != ""].str.extractall(_GAP)
    bounds = {
        name: fields[name].fillna(str(NOT_PLACED)).astype("int64").to_numpy()
        for name in fields.columns
    }
    gaps = pd.DataFrame({"row": fields.index.get_level_values(0).to_numpy(np.int64), **bounds})
    return gaps[gaps["end"] > gaps["start"]]


def _between(cut: pd.DataFrame, whole: Segments) -> Segments:
    """Compute the parts of the segments that are outside of their gaps; empty parts are left out.

    `cut` has a row per segment and gap.
    """
    ids = cut["segment"].unique()
    # An empty gap at its start lets every segment begin like a piece after a gap.
    heads = pd.DataFrame({"segment": ids, "start": whole.start[ids], "end": whole.start[ids]})
    marks = pd.concat([heads, cut[["segment", "start", "end"]]]).sort_values(
        ["segment", "start", "end"], kind="stable"
    )
    segment = marks["segment"].to_numpy(np.int64)
    ends_here = np.diff(segment, append=NOT_PLACED) != 0
    following = np.where(
        ends_here, whole.end[segment], np.roll(marks["start"].to_numpy(np.int64), -1)
    )
    begin = np.maximum(
        marks.groupby("segment")["end"].cummax().to_numpy(np.int64), whole.start[segment]
    )
    end = np.minimum(following, whole.end[segment])
    pieces = Segments(whole.row[segment], begin, end, whole.low[segment], whole.high[segment])
    return pieces.take(end > begin)


def _windows(cut: pd.DataFrame, whole: Segments, size: Ints) -> tuple[Segments, Ints]:
    """Compute the parts of segments in gaps with a window, and the bytes of each part; empty
    windows are left out.
    """
    partial = cut[cut["low"] != NOT_PLACED]
    segment = partial["segment"].to_numpy(np.int64)
    row = whole.row[segment]
    begin = np.maximum(partial["start"].to_numpy(np.int64), whole.start[segment])
    end = np.minimum(partial["end"].to_numpy(np.int64), whole.end[segment])
    bottom = np.minimum(partial["low"].to_numpy(np.int64), size[row])
    top = np.maximum(np.minimum(partial["high"].to_numpy(np.int64), size[row]), bottom)
    placed = whole.low[segment] != NOT_PLACED
    low = np.where(placed, whole.low[segment] + bottom, NOT_PLACED)
    high = np.where(placed, whole.low[segment] + top, NOT_PLACED)
    some = (end > begin) & (top > bottom)
    return Segments(row, begin, end, low, high).take(some), (top - bottom)[some]


def _join_segments(*parts: Segments) -> Segments:
    fields = ("row", "start", "end", "low", "high")
    return Segments(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))
