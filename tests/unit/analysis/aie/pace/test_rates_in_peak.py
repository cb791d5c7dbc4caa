"""Rates without limiters, which are at most the peak of the cores."""

import pytest

from analysis.aie.iteration_parts import iteration_times
from analysis.aie.pace.pace import compute_pace
from analysis.derive import derive
from analysis.timeline.lanes import LaneIndex
from schema.peak_rates import exceeds_peak
from tests.support.gemm_trace import Core, frames, settings

CLOCK_GHZ = 1.25


def pace_of(core, peak):
    stored = frames(core, given=settings(peak_macs_per_cycle=peak))
    every = stored | derive(stored, "robust")
    lanes = LaneIndex.of_events(every["events"])
    iterations = every["iterations"]
    split = iteration_times(iterations, every["kernels"], lanes)
    return compute_pace(split, iterations), iterations["utilization"].max()


@pytest.mark.parametrize("share", [0.7, 1.0])
def test_a_stall_over_all_cycles_gains_no_more_than_the_peak(share):
    core = Core().run(4)
    end = core.now
    core.span("LOCK_STALL", 1, round(share * end))
    pace, _ = pace_of(core, 64)
    rates = [
        rate for each in pace.limiters for rate in (each.gmacs_if_fixed, each.cumulative_gmacs)
    ]
    assert max(rates) == pytest.approx(64 * CLOCK_GHZ)
    assert pace.gmacs < max(rates)


def test_rates_of_an_impossible_capture_stay():
    core = Core().run(4)
    core.span("LOCK_STALL", 1, core.now)
    pace, share = pace_of(core, 10)
    assert exceeds_peak(share)
    assert pace.limiters[0].gmacs_if_fixed == pytest.approx(pace.gmacs)
