import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.selection import Selection, select_kernels
from tests.support.gemm_trace import END, START, Core, derived

KERNELS = derived(
    Core("2,0").run(4, duration=600, clear=140, pause=30_000).lose(END, 3),
    Core("3,0").run(4).lose(START, 5),
)["kernels"]


def test_no_selection_is_everything():
    assert len(select_kernels(KERNELS, Selection())) == len(KERNELS)


@pytest.mark.parametrize(
    ("selection", "holds"),
    [
        (Selection(track="core 3,0"), lambda row: row["track"] == "core 3,0"),
        (Selection(track="core 9,9"), lambda row: False),
        (Selection(iteration=2), lambda row: row["iteration"] == 2),
        (Selection(kind="short"), lambda row: row["name"] == "short"),
        (
            Selection(duration=(140, 600)),
            lambda row: row["duration"] is not pd.NA and 140 <= row["duration"] < 600,
        ),
        (
            Selection(duration=(100, 141)),
            lambda row: row["duration"] is not pd.NA and row["duration"] <= 140,
        ),
        (
            Selection(track="core 2,0", kind="main", iteration=0),
            lambda row: (row["track"], row["name"], row["iteration"]) == ("core 2,0", "main", 0),
        ),
    ],
)
def test_rows_that_the_selection_covers(selection, holds):
    assert select_kernels(KERNELS, selection).index.tolist() == [
        i for i, row in KERNELS.iterrows() if holds(row)
    ]


@given(st.integers(0, 40_000), st.integers(0, 5_000))
def test_a_window_covers_the_kernels_that_overlap_it(begin, width):
    end = begin + width
    whole = KERNELS[KERNELS["start"].notna() & KERNELS["end"].notna()]
    got = select_kernels(whole, Selection(window=(begin, end)))
    want = whole[(whole["start"] < end) & (whole["end"] > begin)]
    assert got.index.tolist() == want.index.tolist()


def test_a_kernel_that_lost_a_marker_is_where_the_other_is():
    (row,) = KERNELS[KERNELS["start"].isna()].to_dict("records")
    tick = int(row["end"])
    for window, there in [
        ((tick, tick + 1), True),
        ((tick - 1, tick), False),
        ((tick + 1, tick + 9), False),
    ]:
        inside = select_kernels(KERNELS, Selection(track="core 3,0", window=window))
        assert (row["kernel"] in inside["kernel"].tolist()) == there


def test_a_selection_of_nothing_given_is_nothing():
    empty = KERNELS.iloc[:0]
    assert len(select_kernels(empty, Selection("a", 1, (0, 1), (0, 1), "main"))) == 0
