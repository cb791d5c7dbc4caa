import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.timeline.marker_windows import marker_windows, window_name
from tests.support.numbers_in_text import numbers_in
from tests.support.profiles import markers

EXTENT = (0, 100)
STEPS = markers(("train @ 1", 40), ("train @ 0", 10), ("train @ 2", 70))


def test_windows_lie_between_markers_and_reach_to_both_ends():
    windows = marker_windows(STEPS, EXTENT)
    assert list(windows.itertuples(index=False, name=None)) == [
        ("capture start – train @ 0", 0, 10),
        ("train @ 0 – train @ 1", 10, 40),
        ("train @ 1 – train @ 2", 40, 70),
        ("train @ 2 – capture end", 70, 100),
    ]
    assert windows.dtypes.astype(str).to_dict() == {"name": "str", "start": "int64", "end": "int64"}


def test_without_markers_there_are_no_windows():
    windows = marker_windows(markers(), EXTENT)
    assert len(windows) == 0
    assert windows.dtypes.astype(str).to_dict() == {"name": "str", "start": "int64", "end": "int64"}
    assert window_name(markers(), EXTENT, EXTENT) is None


def test_markers_at_one_moment_have_no_window_between_them():
    same = markers(("a", 10), ("b", 10), ("c", 20), ("d", 20))
    assert marker_windows(same, (10, 20))["name"].tolist() == ["b – c"]
    assert window_name(same, (10, 20)) == "b – c"


def test_markers_outside_of_the_events_widen_the_capture():
    windows = marker_windows(markers(("early", -5), ("late", 120)), EXTENT)
    assert windows["name"].tolist() == ["early – late"]


def test_a_window_between_any_two_markers_has_a_name():
    assert numbers_in(window_name(STEPS, (10, 70))) == ["0", "2"]
    for window in ((10, 71), (11, 70), (0, 40), (70, 100), (40, 10), (40, 40)):
        assert window_name(STEPS, window) is None


def test_with_the_extent_the_ends_have_names_too():
    assert window_name(STEPS, (0, 40), EXTENT) == "capture start – train @ 1"
    assert window_name(STEPS, (70, 100), EXTENT) == "train @ 2 – capture end"


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-20, 120)), max_size=12))
def test_windows_cover_the_capture_and_go_by_their_own_names(places):
    frame = markers(*places)
    windows = marker_windows(frame, EXTENT)
    assert windows["start"].tolist()[1:] == windows["end"].tolist()[:-1]
    assert (windows["start"] < windows["end"]).all()
    if places:
        assert windows["start"].iloc[0] <= EXTENT[0]
        assert windows["end"].iloc[-1] >= EXTENT[1]
    for name, start, end in windows.itertuples(index=False, name=None):
        assert window_name(frame, (start, end), EXTENT) == name
