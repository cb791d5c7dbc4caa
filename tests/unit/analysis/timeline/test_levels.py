import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.timeline.lanes import LaneIndex
from analysis.timeline.levels import MAX_STACK_LEVELS, is_level, levels, stack_events, unite_lanes

Spans = list[tuple[int, int]]
spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 40)), max_size=60).map(
    lambda pairs: sorted(
        ((begin, begin + length) for begin, length in pairs), key=lambda span: span[0]
    )
)


def frame(**tracks: Spans) -> pd.DataFrame:
    """Return frame events of intervals by track, each with a name of its own."""
    rows = [(track, *span) for track, found in tracks.items() for span in found]
    made = pd.DataFrame(rows, columns=["track", "start", "end"]).astype(
        {"start": "int64", "end": "int64"}
    )
    made["track"] = pd.Categorical(made["track"], categories=list(tracks))
    return made.assign(lane=made["track"], name=[f"n{i}" for i in range(len(made))], closed=True)


def first_fit(found: Spans) -> list[int]:
    """Return the levels one interval after the other."""
    free: list[int] = []
    result = []
    for begin, end in found:
        level = next((number for number, at in enumerate(free) if at <= begin), len(free))
        free[level : level + 1] = [end]
        result.append(level)
    return result


@given(spans)
def test_each_interval_goes_to_the_first_level_that_is_free(found: Spans) -> None:
    start, end = np.array(found, dtype=np.int64).reshape(-1, 2).T
    assert levels(start, end).tolist() == first_fit(found)


@pytest.mark.slow
@given(spans, spans)
def test_nothing_is_lost_and_no_lane_overlaps_itself(first: Spans, second: Spans) -> None:
    events = frame(CPU=first, USER=second)
    made = stack_events(events)
    assert sorted(made["name"]) == sorted(events["name"])
    both = made.merge(events, on="name")
    assert (both["start_x"] == both["start_y"]).all() and (both["end_x"] == both["end_y"]).all()
    for _, lane in made.groupby(["track", "lane"], observed=True):
        assert (lane["start"].to_numpy()[1:] >= lane["end"].to_numpy()[:-1]).all()


@given(spans, spans)
def test_the_index_takes_the_rows_as_they_come(first: Spans, second: Spans) -> None:
    made = stack_events(frame(CPU=first, USER=second))
    index = LaneIndex.of_events(made)
    assert index.start.tolist() == made["start"].tolist()
    assert index.lanes["track"].tolist() == sorted(index.lanes["track"])


def test_the_first_level_has_the_name_of_its_track() -> None:
    made = stack_events(frame(USER=[(0, 10), (1, 4), (2, 3), (5, 8)], CPU=[(0, 3)]))
    lanes = dict(zip(made["name"], made["lane"], strict=True))
    assert lanes == {"n0": "USER", "n1": "level 2", "n2": "level 3", "n3": "level 2", "n4": "CPU"}
    assert all(
        is_level(track, lane) for track, lane in zip(made["track"], made["lane"], strict=True)
    )
    assert not is_level("core 2,1", "LOCK_STALL")


@pytest.mark.parametrize("name", ["level 2", "level 1", "kernels"])
def test_a_track_may_be_called_as_a_lane_is(name: str) -> None:
    made = stack_events(frame(**{name: [(0, 10), (1, 4)], "CPU": [(0, 10), (1, 4)]}))
    assert made["lane"].tolist() == ["level 1", "level 2", "CPU", "level 2"]


def test_hostile_nests_end_on_the_last_level() -> None:
    count = 100_000
    made = stack_events(frame(USER=[(at, 2 * count - at) for at in range(count)]))
    index = LaneIndex.of_events(made)
    assert len(index.lanes) == MAX_STACK_LEVELS
    assert len(made) == count
    deepest = made[made["lane"] == f"level {MAX_STACK_LEVELS}"]
    assert (deepest["start"].to_numpy()[1:] == deepest["end"].to_numpy()[:-1]).all()
    assert (deepest["end"].iloc[-1], deepest["start"].iloc[0]) == (count + 1, MAX_STACK_LEVELS - 1)


def test_no_events_have_no_levels() -> None:
    assert len(stack_events(frame(CPU=[]))) == 0


@pytest.mark.slow
@given(spans, spans)
def test_united_lanes_are_busy_when_any_of_them_is(first: Spans, second: Spans) -> None:
    both = {"CPU": first, "USER": second}
    index = LaneIndex.of_events(stack_events(frame(**both)))
    if not len(index):
        return
    joined = unite_lanes(index, np.arange(len(index.lanes)))
    for lane, track in enumerate(joined.lanes["track"]):
        ticks = {tick for begin, end in both[track] for tick in range(begin, end)}
        assert joined.lanes["busy"].iloc[lane] == len(ticks)
        assert joined.busy_ticks((10, 30))[lane] == len(ticks & set(range(10, 30)))


def test_of_events_that_begin_together_the_longest_is_the_outermost() -> None:
    made = stack_events(frame(CPU=[(0, 2), (0, 9), (0, 5), (3, 3)], USER=[(1, 1), (1, 4)]))
    levels_by_name = dict(zip(made["name"], made["lane"], strict=True))
    assert levels_by_name == {
        "n0": "level 3",
        "n1": "CPU",
        "n2": "level 2",
        "n3": "level 3",
        "n4": "level 2",
        "n5": "USER",
    }
