"""How cores hold each other up."""

import numpy as np
import pytest

from analysis.aie.activity import Coverage
from analysis.aie.pace.coupling import find_coupling, last_of_others
from analysis.aie.pace.kernel_grid import KernelGrid
from analysis.derive import derive
from tests.support.gemm_trace import LOCK, frames
from tests.support.paced_trace import TILES, array_cores, array_settings


def coupled(**planted):
    """Return the coupling of a capture, its grid, and when its cores begin and end."""
    cores = array_cores(**planted)
    kernels = derive(frames(*cores, given=array_settings()), "robust")["kernels"]
    grid = KernelGrid.of(kernels, np.array([1, 2, 3, 4]), tuple(f"core {tile}" for tile in TILES))
    locks = [
        np.array([span[1:] for span in core.spans if span[0] == LOCK]).reshape(-1, 2)
        for core in cores
    ]
    first, last = grid.start[..., 0], grid.end[..., -1]
    return (
        find_coupling(grid, [Coverage.of(*pair.T) for pair in locks], first, last),
        grid,
        first,
        last,
    )


def test_the_last_of_others_is_the_second_last_for_the_last():
    assert last_of_others(np.array([[1.0, 5.0, 3.0]])).tolist() == [[5.0, 3.0, 5.0]]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_depth_is_the_planted_one(depth):
    assert coupled(longer={"3,1": 300}, depth=depth)[0].depth == depth


@pytest.mark.parametrize(
    "planted", [{}, {"longer": {"3,1": 60}}, {"stalled": {"2,2": 60, "3,2": 60}}]
)
def test_cores_that_run_freely_are_not_coupled(planted):
    assert coupled(**planted)[0] is None


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_replay_of_what_was_measured_ends_when_it_did(depth):
    found, grid, first, last = coupled(
        longer={"3,1": 300}, stalled={"2,2": 20}, late={"2,1": 90}, depth=depth
    )
    begin = first.min(axis=1, keepdims=True)
    none = np.zeros(first.shape)
    late = (first - begin).astype(float)
    ends = found.replay(late, none, none, np.ones(len(grid.rows)))
    assert np.array_equal(ends, last - begin)
    half = found.replay(late / 2, none, none, np.full(len(grid.rows), 0.5))
    assert np.allclose(half, (last - begin) / 2)
