import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.aie.activity import Coverage, activity
from analysis.aie.window_activity import window_activity
from analysis.timeline.lanes import LaneIndex
from schema.frames import FRAMES, conform, empty

LANES = ["LOCK_STALL", "INSTR_VECTOR", "PORT@0"]
TRACKS = ["core 2,0", "mem 2,0"]


def frames_of(rows, windows):
    """Return tracks and events; rows are (track, lane, start, end, opened, closed) by number."""
    tracks = pd.DataFrame(
        {
            "track": pd.Categorical(TRACKS, categories=TRACKS),
            "kind": ["core", "mem"],
            "row": 2,
            "col": 0,
            "pid": ["0", "1"],
            "process": ["core_trace for tile2,0", "mem_trace for tile2,0"],
            "order": [0, 1],
            "first": [first for first, _ in windows],
            "last": [last for _, last in windows],
            "entries": 1,
        }
    )
    rows = sorted(rows)
    track, lane, start, end, opened, closed = zip(*rows, strict=True) if rows else ([],) * 6
    events = pd.DataFrame(
        {
            "track": pd.Categorical.from_codes(track, categories=TRACKS),
            "lane": pd.Categorical.from_codes(lane, categories=LANES),
            "name": pd.Categorical.from_codes(
                lane, categories=["LOCK_STALL", "INSTR_VECTOR", "PORT"]
            ),
            "start": np.array(start, np.int64),
            "end": np.array(end, np.int64),
            "opened": np.array(opened, bool),
            "closed": np.array(closed, bool),
        }
    )
    return conform("tracks", tracks), conform("events", events)


def kernels_of(*spans, track=TRACKS[0], kept=True):
    if not spans:
        return empty("kernels")
    start, end = zip(*spans, strict=True)
    frame = {
        "track": track,
        "kernel": range(len(spans)),
        "name": "main",
        "start": start,
        "end": end,
        "duration": 0,
    }
    return conform(
        "kernels",
        pd.DataFrame(frame | {"iteration": 0, "phase": "perf", "kept": kept, "reason": ""}),
    )


def records(frame):
    return {(row["track"], row["lane"]): row for row in frame.to_dict("records")}


def test_busy_time_and_shares_of_a_lane():
    rows = [
        (0, 0, 10, 30, True, True),
        (0, 0, 50, 55, True, True),
        (0, 1, 0, 100, True, False),
        (1, 0, 7, 7, False, True),
    ]
    tracks, events = frames_of(rows, [(0, 100), (5, 25)])
    made = activity(tracks, events, kernels_of((20, 52)))
    assert list(made.columns) == FRAMES["activity"].names
    stall = records(made)["core 2,0", "LOCK_STALL"]
    assert (stall["count"], stall["busy"], stall["longest"], stall["window"], stall["share"]) == (
        2,
        25,
        20,
        100,
        0.25,
    )
    assert stall["inside"] == pytest.approx((10 + 2) / 32)
    assert stall["outside"] == pytest.approx((25 - 12) / (100 - 32))
    vector = records(made)["core 2,0", "INSTR_VECTOR"]
    assert (vector["open"], vector["share"], vector["inside"], vector["outside"]) == (
        True,
        1.0,
        1.0,
        1.0,
    )
    mark = records(made)["mem 2,0", "LOCK_STALL"]
    assert (mark["count"], mark["orphan_ends"], mark["busy"], mark["window"], mark["share"]) == (
        0,
        1,
        0,
        20,
        0.0,
    )
    assert np.isnan(mark["inside"])


def test_kernels_left_out_are_not_counted_as_inside():
    tracks, events = frames_of([(0, 0, 10, 30, True, True)], [(0, 100), (0, 0)])
    assert np.isnan(activity(tracks, events, kernels_of((10, 30), kept=False))["inside"]).all()


def test_a_unit_without_time_has_no_share():
    tracks, events = frames_of([(0, 0, 5, 5, True, False)], [(5, 5), (0, 0)])
    made = activity(tracks, events, empty("kernels"))
    assert made["busy"].tolist() == [0]
    assert made["share"].isna().all()


def test_no_events_no_activity():
    tracks, events = frames_of([], [(0, 0), (0, 0)])
    assert len(activity(tracks, events, empty("kernels"))) == 0


def test_times_that_overflow_are_capped():
    far = 2**61 - 1
    tracks, events = frames_of([(0, 0, -far, far, True, True)] * 8, [(-far, far), (0, 0)])
    assert activity(tracks, events, empty("kernels"))["busy"].tolist() == [2**62]


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 15)), max_size=12),
    st.lists(st.integers(-5, 60), max_size=8),
)
def test_coverage_counts_covered_ticks(spans, ticks):
    start = np.array([begin for begin, _ in spans], np.int64)
    end = start + np.array([length for _, length in spans], np.int64)
    covered = set()
    for begin, length in spans:
        covered |= set(range(begin, begin + length))
    got = Coverage.of(start, end).until(np.array(ticks, np.int64))
    assert got.tolist() == [sum(tick < limit for tick in covered) for limit in ticks]


@st.composite
def captures(draw):
    """Lanes as first-in-first-out pairing leaves them, kernels that do not overlap, a window."""
    rows = []
    for track in range(2):
        for lane in range(3):
            times = sorted(draw(st.lists(st.integers(0, 60), max_size=10)))
            for start, end in zip(times[::2], times[1::2], strict=False):
                rows.append((track, lane, start, end, start < end, True))
    windows = []
    for track in range(2):
        own = [(start, end) for code, _, start, end, *_ in rows if code == track]
        windows.append((min((s for s, _ in own), default=0), max((e for _, e in own), default=0)))
    cuts = sorted(draw(st.sets(st.integers(0, 60), max_size=8)))
    return rows, windows, list(zip(cuts[::2], cuts[1::2], strict=False))


def brute(rows, windows, kernels, window):
    """Return (busy, inside, outside, width) per lane by counting ticks."""
    found = {}
    for track, lane, *_ in rows:
        first, last = windows[track]
        clip = range(max(first, window[0]), max(min(last, window[1]), first, window[0]))
        ran = {t for begin, end in kernels for t in range(begin, end)} if track == 0 else set()
        ticks = {
            t
            for code, own, begin, end, *_ in rows
            if (code, own) == (track, lane)
            for t in range(begin, end)
        }
        inside = sum(t in ticks for t in clip if t in ran)
        outside = sum(t in ticks for t in clip if t not in ran)
        ran_in = sum(t in ran for t in clip)
        found[TRACKS[track], LANES[lane]] = (
            inside + outside,
            inside,
            ran_in,
            outside,
            len(clip) - ran_in,
        )
    return found


def ratio(part, whole):
    return pytest.approx(part / whole) if whole > 0 else pytest.approx(np.nan, nan_ok=True)


@pytest.mark.slow
@given(captures())
def test_activity_is_what_counting_ticks_gives(capture):
    rows, windows, spans = capture
    inside_window = [(s, e) for s, e in spans if windows[0][0] <= s and e <= windows[0][1]]
    made = activity(*frames_of(rows, windows), kernels_of(*inside_window))
    truth = brute(rows, windows, inside_window, (-100, 100))
    assert set(records(made)) == set(truth)
    for key, row in records(made).items():
        busy, inside, ran, outside, idle = truth[key]
        assert row["busy"] == busy
        assert row["inside"] == ratio(inside, ran)
        assert row["outside"] == ratio(outside, idle)


@pytest.mark.slow
@given(captures(), st.integers(-5, 70), st.integers(0, 70))
def test_activity_over_a_window_is_what_counting_ticks_gives(capture, begin, width):
    rows, windows, spans = capture
    tracks, events = frames_of(rows, windows)
    kernels = kernels_of(*spans)
    whole = activity(tracks, events, kernels)
    made = window_activity(
        whole, LaneIndex.of_events(events), tracks, kernels, (begin, begin + width)
    )
    truth = brute(rows, windows, spans, (begin, begin + width))
    assert list(made.columns) == FRAMES["activity"].names
    for key, row in records(made).items():
        busy, inside, ran, outside, idle = truth[key]
        assert row["busy"] == busy
        assert row["inside"] == ratio(inside, ran)
        assert row["outside"] == ratio(outside, idle)
        assert row["share"] == ratio(busy, ran + idle)


@pytest.mark.slow
@given(captures())
def test_a_window_over_everything_gives_the_activity_itself(capture):
    rows, windows, spans = capture
    tracks, events = frames_of(rows, windows)
    kernels = kernels_of(*[(s, e) for s, e in spans if windows[0][0] <= s and e <= windows[0][1]])
    whole = activity(tracks, events, kernels)
    made = window_activity(whole, LaneIndex.of_events(events), tracks, kernels, (-1000, 1000))
    pd.testing.assert_frame_equal(made, whole)
