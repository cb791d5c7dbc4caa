import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.timeline.busy import busy_by_track, capture_extent, covered_ticks
from tests.support.profiles import kernels, run, tracks


def test_overlaps_count_once_and_tracks_keep_their_order():
    runs = [
        run(start=0, duration=50),
        run(start=20, duration=10),
        run(start=40, duration=30),
        run(track="B", start=90),
    ]
    table = busy_by_track(kernels(*runs), tracks("B", "CPU", "idle"), (0, 100))
    assert table.to_dict("list") == {
        "track": ["B", "CPU"],
        "kind": ["device", "device"],
        "kernels": [1, 3],
        "busy": [10, 70],
        "share": [0.1, 0.7],
    }


def test_of_a_window_counts_what_lies_in_it():
    runs = [run(start=0, duration=50), run(start=60, duration=10), run(start=90, duration=5)]
    table = busy_by_track(kernels(*runs), tracks("CPU"), (40, 80))
    assert table[["kernels", "busy", "share"]].to_numpy().tolist() == [[2, 20, 0.5]]


@pytest.mark.parametrize("frame", [kernels(), kernels(run())])
def test_types_hold_without_rows_and_without_a_length(frame):
    table = busy_by_track(frame, tracks("CPU"), (5, 5))
    assert table.dtypes.astype(str).tolist() == ["str", "str", "int64", "int64", "float64"]
    assert table["share"].isna().all()


def test_a_capture_begins_where_its_times_count_from():
    assert capture_extent(tracks("A", "B", last=70)) == (0, 70)
    assert capture_extent(tracks()) == (0, 0)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=20))
def test_the_union_is_the_set_of_ticks(spans):
    start = np.array([begin for begin, _ in spans], dtype=np.int64)
    end = np.array([begin + length for begin, length in spans], dtype=np.int64)
    assert covered_ticks(start, end) == len(
        {tick for begin, length in spans for tick in range(begin, begin + length)}
    )
