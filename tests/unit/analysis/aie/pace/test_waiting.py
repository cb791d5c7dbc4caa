"""Waiting for other cores, told from a core's own stalls, in every number that follows from the parts."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.aie.iteration_parts import OWN_STALLS, PARTS, SLACK, iteration_times, time_share
from analysis.aie.iterations import measured_iterations
from analysis.aie.pace.pace import compute_pace
from analysis.aie.pace.waiting import most_frequent_cores
from analysis.aie.tiles import tile_table
from analysis.comparison.attribution import causes
from analysis.comparison.capture import Capture
from analysis.derive import derive
from analysis.headline import headline
from analysis.timeline.lanes import LaneIndex
from tests.support.gemm_trace import frames
from tests.support.paced_trace import TILES, array_cores, array_settings, grid_cores, grid_settings

LONGER = {"longer": {"3,1": 300}, "depth": 2}
STALLED_COLUMN = {"stalled": {"2,2": 40, "3,2": 40}}


def analysed(**planted):
    """Return the frames of a capture, and the times of its iterations."""
    stored = frames(*array_cores(**planted), given=array_settings())
    every = stored | derive(stored, "robust")
    events = LaneIndex.of_events(every["events"])
    return every, iteration_times(every["iterations"], every["kernels"], events)


def analyse_grid(**planted):
    """Return the same for cores that share blocks by row and column."""
    stored = frames(*grid_cores(**planted), given=grid_settings())
    every = stored | derive(stored, "robust")
    events = LaneIndex.of_events(every["events"])
    return every, iteration_times(every["iterations"], every["kernels"], events)


def measured_parts(every, times):
    rows = every["iterations"]
    return times.parts[
        times.parts["iteration"].isin(rows.loc[measured_iterations(rows), "iteration"])
    ]


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(TILES), st.integers(0, 200)), st.sampled_from([0, 1, 2]))
def test_parts_sum_to_the_time_in_every_iteration(longer, depth):
    _, times = analysed(longer=longer, depth=depth)
    assert (times.parts[[*PARTS]] >= 0).all(axis=None)
    assert (times.parts[[*PARTS]].sum(axis=1) == times.parts["elapsed"]).all()


def test_a_core_that_another_holds_up_waits_and_has_no_stall_of_its_own():
    every, times = analysed(**LONGER)
    parts = measured_parts(every, times)
    others = parts[parts["track"] != "core 3,1"]
    assert (others["waiting"] > 0).all()
    assert time_share(others, OWN_STALLS["lock_stall"]) < 0.002
    assert time_share(parts[parts["track"] == "core 3,1"], SLACK) == pytest.approx(0, abs=0.002)


def test_a_core_waits_in_iterations_that_are_not_measured_too():
    every, times = analysed(**LONGER)
    rows = every["iterations"]
    rest = times.parts[
        ~times.parts["iteration"].isin(rows.loc[measured_iterations(rows), "iteration"])
    ]
    assert len(rest)
    assert (rest.loc[rest["track"] != "core 3,1", "waiting"] > 0).all()


@pytest.mark.slow
def test_the_headline_tells_own_stalls_from_slack():
    every, times = analysed(**LONGER)
    numbers, parts = headline(every), measured_parts(every, times)
    assert numbers["lock_stall_share"] == time_share(parts, OWN_STALLS["lock_stall"])
    assert numbers["slack_share"] == time_share(parts, SLACK)
    assert numbers["lock_stall_share"] < 0.002 < numbers["slack_share"]
    own, _ = analysed(**STALLED_COLUMN)
    assert headline(own)["lock_stall_share"] > 0.02


@pytest.mark.slow
def test_the_other_method_keeps_shares_of_the_traced_time():
    every, _ = analysed(**LONGER)
    numbers = headline(every, "reference")
    assert numbers["lock_stall_share"] > 0.2
    assert numbers["slack_share"] is None


def test_a_column_with_planted_stalls_stalls_most_on_the_floor_plan():
    every, times = analysed(**STALLED_COLUMN)
    names = ("tracks", "kernels", "iterations", "activity", "diagnostics")
    tiles = tile_table(
        *(every[name] for name in names), parts=measured_parts(every, times)
    ).set_index("track")
    planted = ["core 2,2", "core 3,2"]
    others = [f"core {tile}" for tile in TILES if f"core {tile}" not in planted]
    assert tiles.loc[planted, "lock_stall"].min() > 10 * tiles.loc[others, "lock_stall"].max()
    assert tiles.loc[planted, "slack"].max() < tiles.loc[others, "slack"].min()


def compared(run_id, analysis):
    """Return a capture as comparisons have it."""
    every, times = analysis
    columns = {f"core {tile}": int(tile[-1]) for tile in TILES}
    made = every["iterations"], every["kernels"]
    return Capture(run_id, every["run"].iloc[0].to_dict(), *made, times.parts, columns)


@pytest.mark.slow
def test_a_change_is_explained_by_the_core_that_sets_the_pace_and_never_by_waiting():
    found = causes([compared("a", analysed(depth=2))], [compared("b", analysed(**LONGER))])
    assert (found[0].what, found[0].where) == ("kernels", "core 3,1")
    assert all(one.what != "lock_stall" or abs(one.amount) < 0.5 for one in found)


@pytest.mark.parametrize(
    ("planted", "where"),
    [
        ({"3,1": 80}, "core 3,1"),
        ({"2,1": 80, "2,2": 80}, "row 2"),
        ({"2,2": 80, "3,2": 80}, "column 2"),
    ],
)
def test_the_cause_of_a_change_is_the_first_limiter_of_the_slower_capture(planted, where):
    slower = analyse_grid(longer=planted)
    found = causes([compared("a", analyse_grid())], [compared("b", slower)])
    first = compute_pace(slower[1], slower[0]["iterations"]).limiters[0]
    assert (found[0].what, found[0].where) == (first.what, first.where) == ("kernels", where)


@pytest.mark.parametrize(
    ("sets", "iterations", "cores"),
    [
        ({0: "ab", 1: "ab", 2: "a"}, [0, 1], ("core a", "core b")),
        # the more frequent set, although it is smaller
        ({3: "abc", 1: "a", 2: "a"}, [1, 2], ("core a",)),
        # equally frequent: the larger set
        ({0: "a", 1: "bc", 2: "a", 3: "bc"}, [1, 3], ("core b", "core c")),
        # equally frequent and large: the set of the earliest iteration
        ({4: "ab", 2: "ac", 3: "bc"}, [2], ("core a", "core c")),
    ],
)
def test_the_most_frequent_set_of_cores_counts(sets, iterations, cores):
    rows = pd.DataFrame(
        [(f"core {core}", number) for number, names in sets.items() for core in names],
        columns=["track", "iteration"],
    ).astype({"track": "str"})
    found = most_frequent_cores(rows)
    assert (found[0].tolist(), found[1]) == (iterations, cores)
