import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.timeline.lanes import LaneIndex
from analysis.timeline.search import Hit, find_events

ROWS = [
    ("CPU", "r_8_Gemm", 30, 40),
    ("CPU", "E_4", 50, 60),
    ("CPU:1", "r_8_gemm", 10, 20),
    ("CPU:1", "copy", 70, 80),
    ("USER", "matmul gemm", 30, 45),
]


def index(rows):
    frame = pd.DataFrame(rows, columns=["track", "name", "start", "end"]).assign(
        lane=lambda f: f["track"]
    )
    order = list(dict.fromkeys(frame["track"]))
    made = {
        "track": pd.Categorical(frame["track"], order),
        "lane": pd.Categorical(frame["lane"], order),
    }
    return LaneIndex.of_events(frame.assign(**made, name=frame["name"].astype("category")))


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("gemm", 3),
        ("GEMM", 3),
        ("gemm 8", 2),
        ("8 gemm r_", 2),
        ("gemm E_4", 0),
        ("", 0),
        ("  ", 0),
    ],
)
def test_all_words_must_be_in_the_name(words, count):
    assert find_events(index(ROWS), words).count == count


def test_matches_come_by_time_over_all_lanes_and_around():
    found = find_events(index(ROWS), "gemm")
    first = Hit("CPU:1", "CPU:1", 10, 20, "r_8_gemm")
    assert found.at(0) == first
    assert found.at(1) == Hit("CPU", "CPU", 30, 40, "r_8_Gemm")
    assert found.at(2) == Hit("USER", "USER", 30, 45, "matmul gemm")
    assert found.at(3) == first
    assert found.at(-1) == found.at(2)


def test_the_next_match_after_a_time_comes_around():
    found = find_events(index(ROWS), "gemm")
    assert [found.next_after(time) for time in (0, 10, 11, 30, 31)] == [0, 0, 1, 1, 0]


def test_without_a_match_there_is_no_hit():
    found = find_events(index(ROWS), "nothing")
    assert (found.count, found.at(0), found.next_after(0)) == (0, None, 0)
    assert find_events(index([]), "gemm").count == 0


def test_words_are_plain_text():
    assert find_events(index([("CPU", "a.*(b", 0, 1), ("CPU", "axxb", 2, 3)]), ".*(").count == 1


def test_an_interval_without_a_name_is_never_found():
    rows = index([("CPU", "a", 0, 1), ("CPU", None, 2, 3), ("CPU", "b", 4, 5)])
    assert find_events(rows, "b").count == 1


NAMES = st.sampled_from(["r_8", "r_8_4", "E_8", "copy", "R_4"])


@given(
    st.lists(
        st.tuples(st.sampled_from("xyz"), NAMES, st.integers(0, 50), st.just(60)), max_size=30
    ),
    NAMES,
)
def test_what_is_found_is_what_looking_at_each_gives(rows, word):
    found = find_events(index(rows), word)
    starts = sorted(start for _, name, start, _ in rows if word.lower() in name.lower())
    assert [found.at(n).start for n in range(found.count)] == starts
    assert all(word.lower() in found.at(n).name.lower() for n in range(found.count))
