"""What sets the pace of a capture, of captures in which it is planted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.aie.iteration_parts import iteration_times
from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.pace import compute_pace
from analysis.aie.pace.sentence import pace_sentence
from analysis.aie.pace.tile_times import PACE_PARTS
from analysis.derive import derive
from analysis.headline import headline
from analysis.timeline.lanes import LaneIndex
from tests.support.gemm_trace import frames, settings
from tests.support.paced_trace import GAP, ITERATIONS, KERNELS, TILES, array_cores, array_settings


def pace_and_frames(cores, given=None):
    """Return the pace of a capture of these cores, and its frames."""
    stored = frames(*cores, given=array_settings() if given is None else given)
    every = stored | derive(stored, "robust")
    events = LaneIndex.of_events(every["events"])
    split = iteration_times(every["iterations"], every["kernels"], events)
    return compute_pace(split, every["iterations"]), every


def pace(**planted):
    return pace_and_frames(array_cores(**planted))[0]


def listed(found):
    return [(limiter.what, limiter.where) for limiter in found.limiters]


TICKS = st.dictionaries(st.sampled_from(TILES), st.integers(0, 200))


@pytest.mark.slow
@given(TICKS, TICKS, TICKS, st.sampled_from([0, 1, 2]), st.sampled_from([None, 2]))
def test_parts_are_never_negative_and_sum_to_the_time(longer, late, stalled, depth, odd):
    found = pace(longer=longer, late=late, stalled=stalled, depth=depth, odd=odd)
    parts = found.tiles[[*PACE_PARTS]]
    assert (parts >= 0).all(axis=None)
    assert np.allclose(parts.sum(axis=1), found.elapsed)
    assert np.allclose(found.tiles["slack"], found.tiles["waiting"] + found.tiles["early_end"])
    assert all(limiter.share >= 0.01 for limiter in found.limiters)


@pytest.mark.slow
def test_the_rate_is_the_headlines():
    found, every = pace_and_frames(array_cores(longer={"3,1": 60}, odd=3))
    assert found.gmacs == pytest.approx(headline(every, "robust")["gmacs_mean"])


def test_an_array_without_differences_has_no_limiter():
    assert listed(pace()) == []
    assert listed(pace(depth=2)) == []


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("depth", [0, 2])
@pytest.mark.parametrize(
    ("planted", "limiters"),
    [
        ({"longer": {"3,1": 60}}, [("kernels", "core 3,1")]),
        ({"longer": {"2,1": 60, "3,1": 60}}, [("kernels", "column 1")]),
        ({"longer": {"2,1": 60, "2,2": 60}}, [("kernels", "row 2")]),
        ({"late": {"2,2": 300}}, [("late_start", "core 2,2")]),
        ({"stalled": {"2,2": 60, "3,2": 60}}, [("lock_stall", "column 2")]),
        ({"odd": 3}, [("iteration", "iteration 3")]),
        ({"gap": GAP + 60}, [("gap", "all cores")]),
    ],
)
def test_a_planted_limiter_is_listed_and_its_gain_is_what_a_capture_without_it_has(
    depth, planted, limiters
):
    found = pace(depth=depth, **planted)
    assert listed(found) == limiters
    clean = pace(depth=depth, gap=0) if "gap" in planted else pace(depth=depth)
    assert found.limiters[0].gmacs_if_fixed == pytest.approx(clean.gmacs, rel=0.001)
    assert found.limiters[0].share == pytest.approx(found.limiters[0].cycles / found.elapsed)


@pytest.mark.slow
def test_limiters_come_in_the_order_in_which_they_have_to_be_removed():
    planted = {"longer": {"3,1": 80}, "stalled": {"2,2": 60, "3,2": 60}}
    found = pace(**planted)
    assert listed(found) == [("kernels", "core 3,1"), ("lock_stall", "column 2")]
    core, column = found.limiters
    assert core.gmacs_if_fixed == pytest.approx(pace(stalled=planted["stalled"]).gmacs, rel=0.001)
    assert column.gmacs_if_fixed == pytest.approx(found.gmacs)
    assert column.cumulative_gmacs == pytest.approx(pace().gmacs, rel=0.001)
    assert found.sentence.index("core 3,1") < found.sentence.index("column 2")


@pytest.mark.slow
def test_without_a_rate_the_sentence_names_what_comes_next_and_gives_no_reason():
    found = pace(longer={"3,1": 80}, stalled={"2,2": 60, "3,2": 60})
    said = pace_sentence(found.limiters, found.elapsed, 1_000, None, len(found.tiles))
    assert "; next column 2 (" in said
    assert "->" not in said
    assert "next" not in pace_sentence(
        found.limiters[:1], found.elapsed, 1_000, None, len(found.tiles)
    )


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_slow_core_makes_the_others_wait_and_stalls_none_of_them(depth):
    tiles = pace(longer={"3,1": 300}, depth=depth).tiles.set_index("tile")
    assert (tiles["lock_stall"] == 0).all()
    others = tiles.drop("core 3,1")
    assert tiles.at["core 3,1", "slack"] == 0
    assert (others["waiting"] > 200).all()


def test_stalls_that_end_with_no_other_core_are_the_cores_own():
    tiles = pace(stalled={"2,2": 60, "3,2": 60}).tiles.set_index("tile")
    assert (tiles["waiting"] == 0).all()
    assert tiles["lock_stall"].to_dict() == {
        "core 2,1": 0,
        "core 3,1": 0,
        "core 2,2": 60 * (KERNELS - 1),
        "core 3,2": 60 * (KERNELS - 1),
    }


@pytest.mark.slow
def test_lost_markers_turn_no_waiting_into_a_stall():
    cores = array_cores(longer={"3,1": 300}, depth=2)
    cores[0].lose("INSTR_EVENT_0", 2 * KERNELS + 3).lose("INSTR_EVENT_1", 3 * KERNELS + 3)
    found, every = pace_and_frames(cores)
    assert every["kernels"][["start", "end"]].isna().to_numpy().sum() == 2
    assert np.allclose(found.tiles[[*PACE_PARTS]].sum(axis=1), found.elapsed)
    assert (found.tiles["lock_stall"] < 0.01 * found.elapsed).all()
    assert listed(found) == [("kernels", "core 3,1")]


def test_cycles_are_known_where_the_work_is_not():
    found, _ = pace_and_frames(array_cores(longer={"3,1": 60}), given={"warmup": "1"})
    assert found.gmacs is None
    assert listed(found) == [("kernels", "core 3,1")]
    assert found.limiters[0].gmacs_if_fixed is None


def test_a_capture_without_measured_iterations_has_no_pace():
    given = array_settings() | {"warmup": "5"}
    assert pace_and_frames(array_cores(), given)[0] is None


@pytest.mark.parametrize(
    ("places", "verb"), [(("core 2,0", "all cores"), "sets"), (("all cores", "row 2"), "set")]
)
def test_the_verb_agrees_with_its_place(places, verb):
    limiters = [Limiter("gap", where, 10.0, 0.1, 1_100.0, 1_200.0) for where in places]
    said = pace_sentence(limiters, 100.0, 50.0, 1_000.0, 4)
    assert f"{places[0]} {verb} the pace" in said
    assert f"next {places[1]} (" in said


def test_a_capture_of_one_core_names_it_instead_of_all_cores():
    cores = [core for core in array_cores(gap=GAP + 60) if core.tile == "2,1"]
    found, _ = pace_and_frames(cores, settings(1, KERNELS, ITERATIONS, rows=1, cols=1))
    assert listed(found) == [("gap", "core 2,1")]
