import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.kernels.kernel_table import MOST, kernel_table
from tests.support.profiles import kernels, run

COLUMNS = {
    "name": "str",
    "colours": "str",
    "program": "Int64",
    "copy": "bool",
    "tracks": "str",
    "count": "int64",
    "total": "int64",
    "share": "float64",
    "mean": "float64",
    "p50": "float64",
    "p95": "float64",
    "first": "Int64",
    "steady": "float64",
    "first_ratio": "float64",
    "operations": "Int64",
    "flops": "float64",
    "memory_rate": "float64",
    "moved_rate": "float64",
    "intensity": "float64",
    "missing": "str",
}


def only(table):
    (row,) = table.to_dict("records")
    return row


@pytest.mark.parametrize("runs", [[], [run()]])
def test_columns_and_types_are_the_same_with_and_without_rows(runs):
    table = kernel_table(kernels(*runs))
    assert {name: str(dtype) for name, dtype in table.dtypes.items()} == COLUMNS
    assert len(table) == len(runs)


def test_a_kernel_is_summed_and_the_longest_comes_first():
    runs = [
        run("short", 0, 10),
        run("long", 20, 100, colours="0-4:blue"),
        run("short", 200, 30),
        run("short", 300, 20),
    ]
    table = kernel_table(kernels(*runs))
    assert table["name"].tolist() == ["long", "short"]
    assert table["colours"].tolist() == ["0-4:blue", ""]
    short = table.iloc[1]
    assert (short["count"], short["total"], short["mean"], short["p50"]) == (3, 60, 20, 20)
    assert short["p95"] == pytest.approx(29)
    assert table["share"].tolist() == [100 / 160, 60 / 160]


def test_shares_are_of_kernels_and_copies_together():
    runs = [
        run("r_8", 0, 10),
        run("TINY -> CPU", 20, 60, copy=True),
        run("CPU -> TINY", 100, 30, copy=True),
    ]
    table = kernel_table(kernels(*runs)).set_index("name")
    assert table["share"].to_dict() == {"TINY -> CPU": 0.6, "CPU -> TINY": 0.3, "r_8": 0.1}
    assert table["copy"].to_dict() == {"TINY -> CPU": True, "CPU -> TINY": True, "r_8": False}


def test_programs_of_one_name_are_told_apart_and_unknown_ones_are_a_row():
    runs = [run(program=0), run(start=20, program=1), run(start=40, program=1), run(start=60)]
    table = kernel_table(kernels(*runs))
    found = dict(
        zip(
            table["program"].astype(object).where(table["program"].notna(), None),
            table["count"],
            strict=True,
        )
    )
    assert found == {0: 1, 1: 2, None: 1}


def test_the_first_run_stands_against_the_median_of_the_later_ones():
    durations = [100, 10, 12, 14, 50]
    row = only(
        kernel_table(kernels(*(run(start=200 * n, duration=d) for n, d in enumerate(durations))))
    )
    assert (row["first"], row["steady"], row["first_ratio"]) == (100, 13, 100 / 13)


def test_each_track_has_a_first_run_and_the_earliest_is_shown():
    runs = [run(track="A", start=50, duration=90), run(track="A", start=500, duration=8)]
    runs += [run(track="B", start=0, duration=70), run(track="B", start=400, duration=10)]
    row = only(kernel_table(kernels(*runs)))
    assert (row["first"], row["steady"]) == (70, 9)


def test_a_single_run_has_no_steady_time():
    row = only(kernel_table(kernels(run(duration=100))))
    assert row["first"] == 100
    assert np.isnan(row["steady"])
    assert np.isnan(row["first_ratio"])


def test_without_its_first_run_a_kernel_is_all_steady():
    frame = kernels(*(run(start=20 * n, duration=10 + n) for n in range(4)))
    row = only(kernel_table(frame.iloc[1:]))
    assert pd.isna(row["first"])
    assert row["steady"] == 12


@pytest.mark.parametrize(
    ("devices", "text"),
    [
        (["CPU"], "CPU"),
        (["A", "B", "C", "D"], "A, B, C, D"),
        (["A", "B", "C", "D", "E", "F"], "A, B, C and 3 more"),
    ],
)
def test_the_devices_are_named(devices, text):
    runs = [run(track=track, start=start) for start in (0, 50) for track in devices]
    assert only(kernel_table(kernels(*runs)))["tracks"] == text


def test_devices_go_with_their_own_kernels():
    runs = [
        run("a", track="X"),
        run("b", track="Y"),
        run("b", track="X", start=30),
        run("c", track="Z"),
    ]
    assert kernel_table(kernels(*runs)).set_index("name")["tracks"].to_dict() == {
        "b": "X, Y",
        "a": "X",
        "c": "Z",
    }


def test_rates_are_sums_over_the_runs_that_they_are_known_of():
    known = {"operations": 2 * 64**3, "memory_bytes": 3 * 64 * 64 * 4, "moved_bytes": 64**3 * 8}
    runs = [
        run(duration=1000, **known),
        run(start=2000, duration=3000, **known),
        run(start=9000, duration=7, missing="values"),
    ]
    row = only(kernel_table(kernels(*runs)))
    assert row["operations"] == 4 * 64**3
    assert row["flops"] == pytest.approx(4 * 64**3 / 4e-6)
    assert row["memory_rate"] == pytest.approx(6 * 64 * 64 * 4 / 4e-6)
    assert row["moved_rate"] == pytest.approx(2 * 64**3 * 8 / 4e-6)
    assert row["intensity"] == pytest.approx(2 * 64**3 / (3 * 64 * 64 * 4))
    assert row["missing"] == "values"


def test_what_a_copy_moves_is_its_rate_of_memory():
    row = only(kernel_table(kernels(run(duration=1000, copy=True, copied_bytes=4096))))
    assert row["memory_rate"] == pytest.approx(4096 / 1e-6)
    assert pd.isna(row["operations"])
    assert np.isnan(row["flops"])
    assert row["missing"] == ""


def test_the_commonest_reason_is_given():
    reasons = ["", "program", "values", "values"]
    row = only(
        kernel_table(kernels(*(run(start=20 * n, missing=why) for n, why in enumerate(reasons))))
    )
    assert row["missing"] == "values"


def test_what_takes_no_time_has_no_rate():
    row = only(kernel_table(kernels(run(duration=0, operations=8, memory_bytes=0))))
    assert (row["total"], row["share"], row["operations"]) == (0, 0, 8)
    assert np.isnan(row["flops"])
    assert np.isnan(row["intensity"])


def test_sums_beyond_what_can_be_counted_say_the_most():
    runs = [run(start=n, duration=2**61, operations=2**61) for n in range(6)]
    row = only(kernel_table(kernels(*runs)))
    assert (row["total"], row["operations"]) == (MOST, MOST)


def test_kernels_whose_end_was_lost_do_not_count():
    frame = kernels(run(duration=10), run(start=20, duration=30))
    frame.loc[0, ["end", "duration"]] = pd.NA
    assert (only(kernel_table(frame))["count"], only(kernel_table(frame))["total"]) == (1, 30)


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from([None, 0, 1]),
            st.integers(0, 1000),
            st.booleans(),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_the_table_is_what_grouping_gives(rows):
    frame = kernels(
        *(
            run(name, 2000 * n, duration, program=p, copy=copy)
            for n, (name, p, duration, copy) in enumerate(rows)
        )
    )
    table = kernel_table(frame)
    assert table["total"].is_monotonic_decreasing
    for row in table.to_dict("records"):
        program = (
            frame["program"].isna()
            if pd.isna(row["program"])
            else (frame["program"] == row["program"]).fillna(False)
        )
        part = frame[
            (frame["name"] == row["name"]) & (frame["copy"] == row["copy"]) & program.astype(bool)
        ]["duration"]
        values = part.to_numpy(float)
        assert (row["count"], row["total"]) == (len(values), values.sum())
        assert row["mean"] == pytest.approx(values.mean())
        assert [row["p50"], row["p95"]] == pytest.approx(np.quantile(values, [0.5, 0.95]))
    assert table["count"].sum() == len(frame)
