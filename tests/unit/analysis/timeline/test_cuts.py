"""Starts of rectangles, compared with a loop over the lanes in plain Python."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.timeline import cuts as module
from analysis.timeline.cuts import LONG_PX, find_cuts
from analysis.timeline.lane_views import LaneViews
from analysis.timeline.lanes import LaneIndex

steps = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 30)), max_size=40)
"""Gaps and lengths of the intervals of a lane."""


def index_of(lanes: list[list[tuple[int, int]]]) -> LaneIndex:
    frames = []
    for number, lane in enumerate(lanes):
        gap, length = np.array(lane, np.int64).reshape(-1, 2).T
        start = np.cumsum(gap + np.append(0, length)[: len(length)])
        frames.append(pd.DataFrame({"lane": f"{number}", "start": start, "end": start + length}))
    frame = pd.concat(frames).astype({"lane": "category"})
    same = pd.Categorical(["a"] * len(frame))
    return LaneIndex.of_events(frame.assign(track=same, name=same))


def cuts_of_lane(index: LaneIndex, first: int, last: int, column: float) -> list[int]:
    """Return the positions of intervals that are long, follow a long one or a wide gap."""
    length = index.end - index.start
    is_long = length >= LONG_PX * column
    return [
        at
        for at in range(first, last)
        if at == first
        or is_long[at]
        or is_long[at - 1]
        or index.start[at] - index.stop[at - 1] >= column
    ]


def cuts_one_by_one(views: LaneViews, width_px: int, budget: int) -> list[int]:
    columns = [max(1, min(width_px, views.ticks))] * len(views.lanes)
    while True:
        lanes = [
            cuts_of_lane(views.index, first, last, views.ticks / count if count else np.inf)
            for (first, last), count in zip(views.spans, columns, strict=True)
        ]
        needs = [len(lane) for lane in lanes]
        if sum(needs) <= budget:
            return [at for lane in lanes for at in lane]
        share = max(s for s in range(budget + 1) if sum(min(n, s) for n in needs) <= budget)
        columns = [
            min(int(count * 0.9 * share / need), count - 1) if need > share else count
            for count, need in zip(columns, needs, strict=True)
        ]


@pytest.mark.parametrize("looks", [0, 1_000], ids=["by blocks", "at each"])
@given(
    lanes=st.lists(steps, min_size=1, max_size=4),
    window=st.tuples(st.integers(-10, 900), st.integers(1, 1200)),
    width_px=st.integers(1, 300),
    budget=st.integers(4, 40),
)
def test_all_lanes_together_are_cut_like_one_after_the_other(
    looks: int,
    lanes: list[list[tuple[int, int]]],
    window: tuple[int, int],
    width_px: int,
    budget: int,
) -> None:
    index = index_of(lanes)
    numbers = np.arange(len(index.lanes))
    if not len(numbers):
        return
    views = LaneViews.of(index, numbers, (window[0], window[0] + window[1]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MAX_LOOKS", looks)
        found, _ = find_cuts(views, width_px, budget)
    assert found.tolist() == cuts_one_by_one(views, width_px, budget)
