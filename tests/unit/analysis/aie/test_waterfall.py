import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.aie.core_coverage import STALLS
from analysis.aie.iteration_parts import PARTS, iteration_times
from analysis.aie.waterfall import (
    EFFICIENCY,
    GAPS,
    LOSSES,
    STALLS_BETWEEN,
    STALLS_INSIDE,
    START,
    waterfall,
    worst_place,
)
from analysis.derive import derive
from analysis.headline import headline
from analysis.timeline.lanes import LaneIndex
from tests.support.gemm_trace import MACS_PER_KERNEL, Core, frames, settings


def made(*cores, given=None):
    """Return the frames of a capture, stored and derived, and its iteration parts."""
    stored = frames(*cores, given=given)
    every = stored | derive(stored, "robust")
    times = iteration_times(
        every["iterations"], every["kernels"], LaneIndex.of_events(stored["events"])
    )
    return every, times.parts


def fall(*cores, given=None, **chosen):
    every, parts = made(*cores, given=given)
    return waterfall(every["run"], every["iterations"], parts, **chosen)


def stalled(core, name, *spans):
    for start, end in spans:
        core.span(name, start, end)
    return core


def test_each_part_is_what_ran_then():
    core = Core("2,0").run(4)
    begin = core.ran[1][0][0]
    stalled(core, "MEMORY_STALL", (begin + 10, begin + 40))  # in the first kernel
    stalled(
        core, "LOCK_STALL", (begin + 30, begin + 50), (begin + 100, begin + 106)
    )  # there too, then in a gap
    _, parts = made(core)
    row = parts[parts["iteration"] == 1].iloc[0].to_dict()
    assert {name: row[name] for name in PARTS if row[name]} == {
        "compute": 800 - 40,
        "lock_inside": 20,
        "memory_inside": 20,  # where both stall it is the lock's
        "lock_between": 6,
        "idle": 70 - 6,
    }
    assert row["elapsed"] == sum(row[name] for name in PARTS)


def test_cores_that_start_late_or_end_early_wait_for_the_others():
    _, parts = made(Core("2,0").run(4), Core("3,0", now=101).run(4, duration=120, pause=4_740))
    second = parts[(parts["track"] == "core 3,0") & (parts["iteration"] == 0)].iloc[0]
    first = parts[(parts["track"] == "core 2,0") & (parts["iteration"] == 0)].iloc[0]
    assert (second["start_skew"], second["end_skew"]) == (100, 0)
    assert (first["start_skew"], first["end_skew"]) == (0, 100 + 160)


def test_kernels_of_other_kinds_are_a_part_of_their_own():
    _, parts = made(Core("2,0").run(4, clear=20))
    assert (
        parts["other_kernels"].tolist() == [20] * 4
    )  # the clear kernel before the first main one lies before the iteration
    assert (parts["compute"] == 800).all()


def test_the_losses_lead_from_the_peak_to_the_headline():
    every, parts = made(Core("2,0").run(6), Core("3,0", now=101).run(6, duration=120, pause=4_740))
    found = waterfall(every["run"], every["iterations"], parts)
    assert found is not None
    assert found.peak == pytest.approx(2 * 64 * 1.25)
    assert found.achieved == pytest.approx(headline(every)["gmacs_mean"])
    assert found.peak - found.steps["gmacs"].sum() == pytest.approx(found.achieved)
    assert list(found.steps.index) == list(LOSSES)
    assert found.steps.loc[STALLS_INSIDE, "gmacs"] == 0


@pytest.mark.slow
def test_one_iteration_and_one_core_can_be_asked_for():
    cores = Core("2,0").run(4), Core("3,0", now=101).run(4, duration=120, pause=4_740)
    one = fall(*cores, iteration=0, track="core 3,0")
    assert (one.cores, one.iterations) == (1, 1)
    assert one.steps.loc[START, "ticks"] == 100
    assert one.achieved == pytest.approx(8 * MACS_PER_KERNEL * 1.25 / (100 + 8 * 120 + 70))
    assert fall(*cores, iteration=99) is None


def test_the_largest_step_is_named_with_what_most_of_it_is():
    core = Core("2,0").run(4, gap=200)
    for _, end in [kernel for iteration in core.ran for kernel in iteration]:
        stalled(core, "LOCK_STALL", (end + 20, end + 180))
    found = fall(core)
    assert found.largest == STALLS_BETWEEN
    assert found.steps.loc[STALLS_BETWEEN, "main_part"] == "lock_between"


def test_without_work_or_peak_the_shares_of_time_stay():
    given = settings(1, m=None, M=None)
    found = fall(Core("2,0").run(4), given=given)
    assert found is not None
    assert not found.has_rates
    assert np.isnan(found.achieved)
    assert np.isnan(found.steps.loc[EFFICIENCY, "share"])
    assert found.steps.loc[GAPS, "share"] == pytest.approx(70 / 870)
    assert found.largest == GAPS
    assert found.missing == ("m",)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, ()),
        ({"m": None}, ()),  # the whole GEMM tells the work
        ({"m": None, "k": None, "n": None, "rows": None}, ("rows",)),
        ({"m": None, "k": None, "n": None, "M": None, "rows": None}, ("M", "rows")),
    ],
)
def test_the_settings_that_are_missing_are_the_fewest_that_tell_the_work(given, missing):
    found = fall(Core("2,0").run(4), given=settings(1, **given))
    assert found.missing == missing
    assert found.has_rates == (not missing)


def test_the_place_of_a_loss_is_the_core_and_iteration_with_most_of_it():
    # the second core begins 100 ticks late, and is 100 ticks quicker from each iteration to the next
    every, parts = made(Core("2,0").run(4), Core("3,0", now=101).run(4, duration=120, pause=4_740))
    assert worst_place(every["iterations"], parts, START) == ("core 2,0", 3)
    assert worst_place(every["iterations"], parts, START, iteration=0) == ("core 3,0", 0)
    assert worst_place(every["iterations"], parts, START, track="core 3,0") is None
    assert worst_place(every["iterations"], parts, STALLS_INSIDE) is None
    assert worst_place(every["iterations"], parts, "peak") is None


def test_without_a_measured_iteration_there_is_none():
    assert fall(Core("2,0").iteration(), given=settings(1, iterations=1)) is None


spans = st.lists(st.tuples(st.integers(0, 5_000), st.integers(1, 400)), max_size=6)
cores = st.lists(
    st.tuples(
        st.integers(1, 300),
        st.integers(60, 140),
        st.integers(0, 60),
        st.sampled_from([0, 15]),
        st.dictionaries(st.sampled_from(list(STALLS.values())), spans, max_size=4),
    ),
    min_size=1,
    max_size=3,
)


def core_of(number, drawn):
    now, duration, gap, clear, stalls = drawn
    core = Core(f"{number + 2},0", now=now)
    for _ in range(4):
        core.iteration(4, duration=duration, gap=gap, clear=clear).pause(3_000)
    for name, own in stalls.items():
        stalled(core, name, *[(start, start + length) for start, length in own])
    return core


@pytest.mark.slow
@given(cores)
def test_parts_are_counted_tick_by_tick_and_add_up(drawn):
    """Every tick of every core belongs to one part, whatever overlaps."""
    every, parts = made(
        *[core_of(i, one) for i, one in enumerate(drawn)], given=settings(len(drawn), kernels=4)
    )
    assert (parts[list(PARTS)].sum(axis=1) == parts["elapsed"]).all()
    assert (parts[list(PARTS)] >= 0).all(axis=None)
    for row in parts.to_dict("records"):
        assert {name: row[name] for name in PARTS} == counted(every, row)
    found = waterfall(every["run"], every["iterations"], parts)
    if found is not None:
        assert found.peak - found.steps["gmacs"].sum() == pytest.approx(found.achieved)


def counted(every, row):
    """Count the parts of one core's iteration on an array of ticks."""
    rows = every["iterations"].astype({"track": "str"}).set_index(["track", "iteration"])
    system, own = rows.loc[("system", row["iteration"])], rows.loc[(row["track"], row["iteration"])]
    ticks = np.arange(system["first_start"], system["last_end"])
    names = np.full(len(ticks), "idle", dtype=object)
    kernels, events = every["kernels"], every["events"]
    kernels = kernels[
        (kernels["track"] == row["track"]) & kernels["start"].notna() & kernels["end"].notna()
    ]
    kinds = {
        "main": covered(ticks, kernels[kernels["name"] == "main"]),
        "any": covered(ticks, kernels),
    }
    names[kinds["any"]] = "other_kernels"
    names[kinds["main"]] = "compute"
    for stall, event in reversed(STALLS.items()):
        at = covered(ticks, events[(events["track"] == row["track"]) & (events["name"] == event)])
        names[at & kinds["main"]] = f"{stall}_inside"
        names[at & ~kinds["any"]] = f"{stall}_between"
    names[ticks < own["first_start"]] = "start_skew"
    names[ticks >= own["last_end"]] = "end_skew"
    return {name: int((names == name).sum()) for name in PARTS}


def covered(ticks, spans: pd.DataFrame):
    found = np.zeros(len(ticks), bool)
    for start, end in zip(spans["start"], spans["end"], strict=True):
        found |= (ticks >= start) & (ticks < end)
    return found
