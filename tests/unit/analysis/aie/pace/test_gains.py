"""Gains of limiters against captures made again without them, of cores that wait for shared blocks."""

import pytest

from analysis.aie.iteration_parts import iteration_times
from analysis.aie.pace.pace import compute_pace
from analysis.aie.pace.tile_times import PACE_PARTS
from analysis.derive import derive
from analysis.timeline.lanes import LaneIndex
from tests.support.gemm_trace import frames
from tests.support.paced_trace import grid_cores, grid_settings

GAIN = 0.015
"""Error of a rate that is accepted, relative to the rate of the capture."""


def grid_pace(**planted):
    """Return the pace of an array whose rows and columns share blocks."""
    stored = frames(*grid_cores(**planted), given=grid_settings())
    every = stored | derive(stored, "robust")
    split = iteration_times(
        every["iterations"], every["kernels"], LaneIndex.of_events(every["events"])
    )
    return compute_pace(split, every["iterations"])


def places(pace):
    return [(limiter.what, limiter.where) for limiter in pace.limiters]


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(
    ("planted", "limiter"),
    [
        ({"longer": {"3,1": 80}}, ("kernels", "core 3,1")),
        ({"longer": {"2,2": 70, "3,2": 70}}, ("kernels", "column 2")),
        ({"longer": {"2,1": 70, "2,2": 70}}, ("kernels", "row 2")),
        ({"own": {"2,2": 90}}, ("lock_stall", "core 2,2")),
        ({"late": {"3,2": 900}}, ("late_start", "core 3,2")),
        ({"late_column": 300}, ("lock_stall", "column 2")),
    ],
)
@pytest.mark.parametrize("depths", [(2, 2), (3, 2)])
def test_the_gain_of_a_limiter_is_that_of_a_capture_without_it(planted, limiter, depths):
    pace = grid_pace(depths=depths, **planted)
    clean = grid_pace(depths=depths)
    assert places(pace) == [limiter]
    assert pace.limiters[0].gmacs_if_fixed == pytest.approx(clean.gmacs, abs=GAIN * pace.gmacs)
    assert pace.limiters[0].gmacs_if_fixed_low <= pace.limiters[0].gmacs_if_fixed
    assert pace.limiters[0].is_late_data == ("late_column" in planted)


@pytest.mark.slow
def test_the_second_limiter_gains_only_when_the_first_is_fixed():
    pace = grid_pace(longer={"3,1": 120, "2,2": 50})
    first, second = pace.limiters
    assert (first.where, second.where) == ("core 3,1", "core 2,2")
    assert first.gmacs_if_fixed == pytest.approx(
        grid_pace(longer={"2,2": 50}).gmacs, abs=GAIN * pace.gmacs
    )
    assert second.gmacs_if_fixed == pytest.approx(pace.gmacs, rel=0.004)
    assert second.cumulative_gmacs == pytest.approx(grid_pace().gmacs, abs=GAIN * pace.gmacs)


@pytest.mark.slow
def test_two_limiters_that_gain_nothing_alone_name_each_other():
    pace = grid_pace(longer={"2,1": 80, "3,2": 80})
    assert sorted(limiter.where for limiter in pace.limiters) == ["core 2,1", "core 3,2"]
    assert [limiter.together for limiter in pace.limiters] == [(2,), (1,)]
    assert pace.limiters[1].cumulative_gmacs == pytest.approx(
        grid_pace().gmacs, abs=GAIN * pace.gmacs
    )
    assert "set the pace together" in pace.sentence


def test_slow_moves_of_all_cores_are_data_movement():
    pace = grid_pace(lags=(1_400, 1_400))
    assert places(pace) == [("lock_stall", "all cores")]
    assert pace.limiters[0].gmacs_if_fixed == pytest.approx(
        grid_pace(lags=(0, 0)).gmacs, abs=GAIN * pace.gmacs
    )
    assert pace.limiters[0].track is None


def test_every_core_that_is_held_up_waits_for_the_slow_core():
    pace = grid_pace(longer={"3,1": 80})
    tiles = pace.tiles.set_index("tile")
    for core in ("core 2,1", "core 2,2", "core 3,2"):
        waits = pace.waits[core]
        assert next(iter(waits)) == "core 3,1"
        assert waits["core 3,1"] > 0.9 * tiles.at[core, "waiting"] > 0
        assert sum(waits.values()) == pytest.approx(tiles.at[core, "waiting"], abs=2)
    assert pace.waits["core 3,1"] == {}
    assert tiles[[*PACE_PARTS]].sum(axis=1).to_numpy() == pytest.approx(pace.elapsed)


@pytest.mark.slow
def test_a_core_waits_for_late_data_of_its_own_stream_itself():
    tiles = grid_pace(late_column=300).tiles.set_index("tile")
    assert (tiles.loc[["core 2,2", "core 3,2"], "lock_stall"] > 1_000).all()
    assert (tiles.loc[["core 2,2", "core 3,2"], "waiting"] < 100).all()
    assert (tiles.loc[["core 2,1", "core 3,1"], "waiting"] > 1_000).all()


def test_an_array_without_differences_says_nothing():
    assert grid_pace().limiters == ()
