import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.timeline import cuts
from analysis.timeline import lanes as lanes_module
from analysis.timeline.detail import rectangles
from analysis.timeline.lanes import LaneIndex


def events(*rows: tuple[str, str, int, int]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["track", "lane", "start", "end"])
    frame["name"] = frame["lane"]
    return frame.astype(
        dict.fromkeys(("track", "lane", "name"), "category") | {"start": "int64", "end": "int64"}
    )


@st.composite
def lanes(draw: st.DrawFn) -> pd.DataFrame:
    """A few lanes of intervals whose starts and ends never decrease, some touching, empty or overlapping."""
    rows = []
    for lane in range(draw(st.integers(1, 4))):
        steps = draw(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 30)), max_size=60))
        start, last = 0, 0
        for gap, length in steps:
            start += gap
            last = max(last, start + length)
            rows.append(("core 2,0", f"lane {lane}", start, last))
    return events(*rows)


def overlapping(frame: pd.DataFrame, window: tuple[int, int]) -> pd.DataFrame:
    stop = np.maximum(frame["end"], frame["start"] + 1)
    return frame[(frame["start"] < window[1]) & (stop > window[0])]


windows = st.tuples(st.integers(-10, 900), st.integers(1, 1200)).map(lambda w: (w[0], w[0] + w[1]))


@pytest.mark.slow
@given(lanes(), windows, st.integers(4, 40), st.integers(1, 300))
def test_no_interval_is_lost_or_counted_twice_and_the_budget_holds(
    frame: pd.DataFrame, window: tuple[int, int], budget: int, width: int
) -> None:
    index = LaneIndex.of_events(frame)
    shown = rectangles(index, window, width_px=width, budget=budget)
    seen = overlapping(frame, window)
    assert len(shown) <= budget
    assert shown.events == len(seen) == shown.count.sum()
    assert shown.busy.sum() == (seen["end"] - seen["start"]).sum()
    assert (shown.end >= shown.start).all()


@given(lanes(), windows)
def test_within_the_budget_every_interval_is_itself(
    frame: pd.DataFrame, window: tuple[int, int]
) -> None:
    shown = rectangles(LaneIndex.of_events(frame), window)
    seen = overlapping(frame, window).sort_values(["lane", "start", "end"])
    assert shown.column == 0
    assert shown.merged_count == 0
    assert sorted(zip(shown.start, shown.end, strict=True)) == sorted(
        zip(seen["start"], seen["end"], strict=True)
    )


@pytest.mark.slow
@given(lanes(), windows)
def test_busy_time_in_a_window_is_clipped_exactly(
    frame: pd.DataFrame, window: tuple[int, int]
) -> None:
    index = LaneIndex.of_events(frame)
    clipped = np.maximum(
        frame["end"].clip(upper=window[1]) - frame["start"].clip(lower=window[0]), 0
    )
    expected = clipped.groupby(frame["lane"].astype("str")).sum()
    found = pd.Series(index.busy_ticks(window), index=index.lanes["lane"])
    assert found.to_dict() == expected.to_dict()


@given(lanes(), st.lists(st.integers(1, 50), max_size=12))
def test_overlap_is_the_sum_over_the_disjoint_intervals(
    frame: pd.DataFrame, steps: list[int]
) -> None:
    index = LaneIndex.of_events(frame)
    edges = np.cumsum(np.array([0, *steps, *([1] if len(steps) % 2 == 0 else [])]))
    begins, stops = edges[0::2], edges[1::2]
    pieces = [index.busy_ticks((int(a), int(b))) for a, b in zip(begins, stops, strict=True)]
    assert index.overlap(begins, stops).tolist() == np.sum(pieces, axis=0).tolist()


def dense_lane(long_at: int | None = None) -> pd.DataFrame:
    rows = [("core 2,0", "LOCK_STALL", 10 * i, 10 * i + 4) for i in range(1000)]
    if long_at is not None:
        rows[long_at] = ("core 2,0", "LOCK_STALL", 10 * long_at, 10 * long_at + 3000)
        rows[long_at + 1 :] = [(t, n, a + 3000, b + 3000) for t, n, a, b in rows[long_at + 1 :]]
    return events(*rows)


def test_a_long_interval_among_short_ones_stays_exact() -> None:
    shown = rectangles(
        LaneIndex.of_events(dense_lane(long_at=500)), (0, 13_000), width_px=130, budget=100
    )
    alone = (shown.start == 5000) & (shown.end == 8000)
    assert alone.sum() == 1
    assert shown.count[alone] == 1
    assert shown.merged_count > 900


def test_a_gap_wider_than_a_pixel_is_kept() -> None:
    rows = [
        ("core 2,0", "LOCK_STALL", a + 10 * i, a + 10 * i + 4)
        for a in (0, 9000)
        for i in range(200)
    ]
    shown = rectangles(LaneIndex.of_events(events(*rows)), (0, 11_000), width_px=100, budget=50)
    assert not ((shown.start < 5000) & (shown.end > 5000)).any()


def test_merged_bars_of_several_names_have_the_name_with_most_busy_time() -> None:
    frame = dense_lane()
    is_rare = np.arange(len(frame)) % 4 == 0
    frame["name"] = pd.Categorical(np.where(is_rare, "b", "a"))
    frame["end"] += np.where(is_rare, 5, -3)  # of 9 ticks where others have 1: a quarter has most
    shown = rectangles(LaneIndex.of_events(frame), (0, 10_000), width_px=10, budget=20)
    merged = shown.count > 3
    assert shown.mixed[merged].all()
    assert (shown.name[merged] == 1).all()
    assert (shown.most[merged] == 9 * (shown.busy[merged] - shown.count[merged]) // 8).all()


def test_bars_of_one_name_are_not_mixed() -> None:
    shown = rectangles(LaneIndex.of_events(dense_lane()), (0, 10_000), width_px=10, budget=20)
    assert shown.merged_count
    assert not shown.mixed.any()
    assert (shown.most == shown.busy).all()


def test_merged_bars_are_sliced_so_that_busy_and_idle_stretches_differ() -> None:
    shown = rectangles(LaneIndex.of_events(dense_lane()), (0, 10_000), width_px=100, budget=60)
    assert 30 <= len(shown) <= 60


def test_more_lanes_than_rectangles_is_refused() -> None:
    frame = events(*[("core 2,0", f"lane {i}", 0, 1) for i in range(5)])
    with pytest.raises(ValueError, match=r"^5 lanes\b.* 4 rectangles"):
        rectangles(LaneIndex.of_events(frame), (0, 10), budget=4)


def test_lanes_are_chosen_by_number() -> None:
    index = LaneIndex.of_events(events(("core 2,0", "a", 0, 5), ("core 2,0", "b", 1, 2)))
    shown = rectangles(index, (0, 10), lanes=[1])
    assert index.lanes["lane"].iloc[shown.lane].tolist() == ["b"]
    assert shown.start.tolist() == [1]


def test_an_unsorted_frame_is_sorted_by_lane_and_start() -> None:
    frame = events(("core 2,0", "a", 9, 10), ("core 2,1", "a", 0, 5), ("core 2,0", "a", 1, 4))
    index = LaneIndex.of_events(frame)
    assert index.lanes[["track", "events", "busy", "first", "last"]].to_numpy().tolist() == [
        ["core 2,0", 2, 4, 1, 10],
        ["core 2,1", 1, 5, 0, 5],
    ]
    assert index.extent == (0, 10)


def test_nested_intervals_never_lose_one() -> None:
    frame = events(("t", "a", 0, 100), ("t", "a", 10, 20), ("t", "a", 30, 40))
    shown = rectangles(LaneIndex.of_events(frame), (50, 60))
    assert 100 in shown.end


def test_an_empty_frame_has_no_rectangles() -> None:
    index = LaneIndex.of_events(events())
    assert index.extent == (0, 1)
    assert len(rectangles(index, (0, 10))) == 0
    assert index.busy_ticks((0, 10)).tolist() == []


def test_kernels_without_one_marker_are_points() -> None:
    kernels = pd.DataFrame(
        {
            "track": ["core 2,0"] * 3,
            "name": ["main"] * 3,
            "start": pd.array([1, None, None], dtype="Int64"),
            "end": pd.array([5, 9, None], dtype="Int64"),
        }
    )
    index = LaneIndex.of_kernels(kernels)
    assert list(zip(index.start.tolist(), index.end.tolist(), strict=True)) == [(1, 5), (9, 9)]
    assert index.lanes["lane"].tolist() == ["kernels"]


def test_the_overview_covers_everything_once() -> None:
    index = LaneIndex.of_events(dense_lane())
    edges, busy = index.overview(50)
    assert edges[0] == 0
    assert edges[-1] == index.extent[1]
    assert busy.sum() == index.lanes["busy"].sum()


@pytest.mark.parametrize("width", [40, 300, 1200])
def test_blocks_have_the_gaps_and_long_intervals_that_a_look_at_all_finds(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = np.arange(4_000)
    start = 20 * number + number % 7 + 300 * (number // 50)
    rows = zip(start.tolist(), (start + 3 + 12 * (number % 3 == 0)).tolist(), strict=True)
    index = LaneIndex.of_events(events(*(("core 2,0", "a", begin, end) for begin, end in rows)))
    shown = []
    for looks in (0, len(number)):
        monkeypatch.setattr(cuts, "_MAX_LOOKS", looks)
        found = rectangles(index, (1_000, 90_000), width_px=width, budget=1_500)
        shown.append(
            [*zip(found.start.tolist(), found.end.tolist(), found.count.tolist(), strict=True)]
        )
    assert 1 < len(shown[0]) < len(number)
    assert shown[0] == shown[1]


@given(lanes(), windows, st.integers(0, 40), st.integers(0, 40), st.integers(1, 5))
def test_wide_gaps_and_long_intervals_are_those_of_a_look_at_each(
    frame: pd.DataFrame, window: tuple[int, int], gap: int, length: int, block: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes_module, "_BLOCK", block)
        index = LaneIndex.of_events(frame)
        for lane in range(len(index.lanes)):
            first, last = index.range_in_window(lane, window)
            if first == last:
                continue
            after, long = index.find_wide((first, last), gap, length)
            assert after.tolist() == [
                at for at in range(first + 1, last) if index.start[at] - index.stop[at - 1] >= gap
            ]
            assert long.tolist() == [
                at for at in range(first, last) if index.end[at] - index.start[at] >= length
            ]
