import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.kernels.links import place_of
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.levels import stack_events
from analysis.timeline.positions import places_of

moments = st.tuples(st.sampled_from(["CPU", "USER"]), st.integers(0, 40), st.integers(0, 20))


def index_of(found: list[tuple[str, int, int]]) -> tuple[LaneIndex, pd.DataFrame]:
    rows = [
        (track, begin, begin + length)
        for track, begin, length in sorted(found, key=lambda one: one[:2])
    ]
    frame = pd.DataFrame(rows, columns=["track", "start", "end"]).astype(
        {"start": "int64", "end": "int64"}
    )
    frame["track"] = pd.Categorical(frame["track"], categories=["CPU", "USER"])
    return LaneIndex.of_events(
        stack_events(frame.assign(lane=frame["track"], name="k", closed=True))
    ), frame


@pytest.mark.slow
@given(st.lists(moments, max_size=30, unique=True))
def test_every_interval_is_found_on_the_lane_that_has_it(found: list[tuple[str, int, int]]) -> None:
    index, frame = index_of(found)
    assert places_of(index, frame).tolist() == list(range(len(index)))
    moved = frame.assign(end=frame["end"] + 100)
    assert len(places_of(index, moved)) == 0


@pytest.mark.slow
@given(st.lists(moments, min_size=1, max_size=30, unique=True), st.data())
def test_an_index_of_some_intervals_has_those_on_their_lanes(
    found: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    index, _ = index_of(found)
    chosen = data.draw(st.lists(st.integers(0, len(index) - 1), unique=True).map(sorted))
    some = index.only(np.array(chosen, dtype=np.int64))
    assert (some.start.tolist(), some.end.tolist()) == (
        index.start[chosen].tolist(),
        index.end[chosen].tolist(),
    )
    whole = [lane_of(index, place) for place in chosen]
    assert [lane_of(some, place) for place in range(len(some))] == whole
    assert some.lanes["events"].sum() == len(chosen)


def lane_of(index: LaneIndex, place: int) -> tuple[str, str]:
    lane = int(np.searchsorted(index.offset, place, side="right")) - 1
    return str(index.lanes["track"].iloc[lane]), str(index.lanes["lane"].iloc[lane])


def test_a_kernel_is_found_on_its_lane() -> None:
    index, _ = index_of([("CPU", 5, 0), ("CPU", 5, 10), ("CPU", 7, 2), ("USER", 0, 3)])
    assert place_of(index, pd.Series({"track": "CPU", "start": 5, "end": 15})) == (
        "CPU",
        "CPU",
        5,
        15,
    )
    assert place_of(index, pd.Series({"track": "CPU", "start": 7, "end": 9})) == (
        "CPU",
        "level 2",
        7,
        9,
    )
    assert place_of(index, pd.Series({"track": "CPU", "start": 6, "end": 9})) is None
    assert place_of(index, pd.Series({"track": "GPU", "start": 5, "end": 15})) is None
