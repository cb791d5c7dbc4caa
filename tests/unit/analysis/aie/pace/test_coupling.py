"""How cores hold each other up, kernel by kernel."""

import numpy as np
import pytest

from analysis.aie.iteration_parts import iteration_times
from analysis.aie.pace import kernel_times
from analysis.aie.pace.culprits import NOBODY, find_culprits
from analysis.aie.pace.schedule import Schedule, elapsed_times
from analysis.aie.pace.streams import cores_at
from analysis.aie.pace.tile_times import tile_times
from analysis.derive import derive
from analysis.timeline.lanes import LaneIndex
from tests.support.gemm_trace import frames
from tests.support.paced_trace import TILES, array_cores, array_settings, grid_cores, grid_settings

CORES = sorted(TILES)
SLOW = CORES.index("3,1")


def tile_times_of(cores, settings):
    stored = frames(*cores, given=settings)
    every = stored | derive(stored, "robust")
    split = iteration_times(
        every["iterations"], every["kernels"], LaneIndex.of_events(every["events"])
    )
    return tile_times(split, every["iterations"])


def common(**planted):
    """Return the times of cores that wait for the last of all."""
    return tile_times_of(array_cores(**planted), array_settings())


def grid(**planted):
    """Return the times of cores that wait for blocks of their row and column."""
    return tile_times_of(grid_cores(**planted), grid_settings())


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_common_depth_is_the_planted_depth(depth):
    structure = common(longer={"3,1": 300}, depth=depth).coupling.structure
    assert [family.word for family in structure.families] == ["all"]
    assert structure.depths == (depth,)


@pytest.mark.parametrize(("depths", "lag"), [((2, 2), 400), ((3, 2), 150), ((2, 3), 700)])
def test_buffers_and_lags_of_rows_and_columns_are_the_planted_ones(depths, lag):
    coupling = grid(longer={"3,1": 120}, depths=depths, lags=(lag, lag)).coupling
    assert coupling.structure.depths == depths
    assert coupling.structure.lags[0][1] == pytest.approx(lag, abs=8)
    assert coupling.structure.lags[1][0] == pytest.approx(lag, abs=8)
    assert not any(np.isfinite(paces).any() for paces in coupling.structure.paces)


@pytest.mark.slow
def test_a_late_stream_has_a_pace_of_its_own():
    structure = grid(late_column=250).coupling.structure
    assert np.isfinite(structure.paces[1]).tolist() == [False, True]
    assert not np.isfinite(structure.paces[0]).any()


@pytest.mark.parametrize(
    "planted", [{}, {"longer": {"3,1": 60}}, {"stalled": {"2,2": 60, "3,2": 60}}]
)
def test_cores_that_run_freely_are_not_coupled(planted):
    assert common(**planted).coupling is None


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(
    "times",
    [
        lambda: common(longer={"3,1": 300}, stalled={"2,2": 20}, late={"2,1": 90}, depth=2),
        lambda: grid(longer={"3,1": 120}),
        lambda: grid(late_column=250),
        lambda: grid(late={"3,2": 900}),
    ],
)
def test_a_replay_of_what_was_measured_takes_the_measured_time(times):
    measured = times()
    assert measured.coupling is not None
    replayed = elapsed_times(measured, [Schedule.of(measured)])[0]
    assert np.allclose(measured.replay.measured, measured.elapsed)
    assert np.allclose(replayed, measured.elapsed)


@pytest.mark.slow
def test_a_chain_of_waits_ends_at_the_core_that_did_not_wait():
    coupling = grid(longer={"3,1": 120}).coupling
    culprits = find_culprits(coupling)
    # Core 2,2 shares neither row nor column with the slow core: it waits for cores that wait.
    far = CORES.index("2,2")
    waited = coupling.is_bound[:, far] & (culprits[:, far] != NOBODY)
    assert waited.mean() > 0.5
    assert (culprits[:, far][waited] == SLOW).all()
    assert (culprits[:, SLOW] == NOBODY).all()


@pytest.mark.slow
def test_only_the_first_kernels_of_long_iterations_are_analysed(monkeypatch):
    whole = grid(longer={"3,1": 120})
    monkeypatch.setattr(kernel_times, "MAX_KERNELS", 16)
    part = grid(longer={"3,1": 120})
    assert part.coupling.cause.shape[2] == 16
    assert np.allclose(elapsed_times(part, [Schedule.of(part)])[0], part.elapsed)
    assert part.parts["waiting"].sum() == pytest.approx(whole.parts["waiting"].sum(), rel=0.15)


def test_places_name_their_cores():
    cores = ["core 2,1", "core 3,1", "core 2,2", "core 3,2", "tile x"]
    assert cores_at("core 3,1", cores) == ["core 3,1"]
    assert cores_at("row 2", cores) == ["core 2,1", "core 2,2"]
    assert cores_at("column 2", cores) == ["core 2,2", "core 3,2"]
    assert cores_at("tile x", cores) == ["tile x"]
    assert cores_at("all cores", cores) == []
