"""What the demo's own nights gain, against the same nights made again without what was planted."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.files import ingest
from samples.history import DIP, SLOW, captures, write_capture
from services.run.pace import find_pace

GAIN = 0.015
SEEDS = (0, 1_000, 2_000, 3_000)
"""Seeds of the nights made again: a model that draws all numbers from one stream draws others without the tile."""


@pytest.fixture
def night_pace(repository, tmp_path):
    """Return what makes a night's capture with another behaviour, and computes its pace."""

    def pace(night, seed=0, **behaviour):
        capture = next(one for one in captures() if one.night == night and one.gemm.hwid == "npu1")
        changed = replace(capture.behaviour, seed=capture.behaviour.seed + seed, **behaviour)
        folder = tmp_path / f"{night}-{seed}-{'-'.join(behaviour)}"
        path = write_capture(folder, replace(capture, behaviour=changed))
        return find_pace(repository, ingest(repository, [path], {}).runs[0].run_id, "robust", {})

    return pace


@pytest.mark.slow
def test_the_slow_tile_gains_what_nights_without_it_have(night_pace):
    found = night_pace(SLOW)
    without = np.mean([night_pace(SLOW, seed, slow=None).gmacs for seed in SEEDS])
    first = found.limiters[0]
    assert (first.what, first.where) == ("memory_stall", "core 3,1")
    assert first.gmacs_if_fixed == pytest.approx(without, abs=GAIN * found.gmacs)
    assert without > 1.08 * found.gmacs
    assert all(
        next(iter(waits)) == "core 3,1" for core, waits in found.waits.items() if core != "core 3,1"
    )


@pytest.mark.slow
def test_the_dip_gains_what_nights_with_moves_that_take_no_time_have(night_pace):
    found = night_pace(DIP[0])
    without = np.mean([night_pace(DIP[0], seed, transfer=0).gmacs for seed in SEEDS])
    first = found.limiters[0]
    assert (first.what, first.where) == ("lock_stall", "all cores")
    assert first.gmacs_if_fixed == pytest.approx(without, abs=GAIN * found.gmacs)


def test_a_usual_night_has_no_core_that_others_wait_for(night_pace):
    found = night_pace(0)
    assert {limiter.where for limiter in found.limiters} <= {"all cores"}
