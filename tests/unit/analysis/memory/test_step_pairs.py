"""What a step uses at once, whether it is placed or not."""

import tracemalloc

import numpy as np
import pytest

from analysis.memory.step_pairs import MAX_PAIRS, pair_names, step_pairs
from tests.support.banks import events, shown
from tests.support.memory import block, failed

LINES = events((1, "layer", "out"), (1, "gdma", "next"))


def found(*rows, there=None):
    return step_pairs(shown(*rows), LINES, there).to_numpy().tolist()


def test_blocks_without_a_place_make_pairs():
    assert found(failed("out", 1, 3), block("next", 1, 4), failed("in", 0, 2)) == [
        [1, 0, 1],
        [1, 2, 1],
    ]


def test_blocks_that_do_not_count_make_none_nor_do_steps_that_compute_nothing_else():
    rows = [block("out", 1, 3), block("next", 1, 4), block("in", 0, 2)]
    assert found(*rows, there=np.array([True, True, False])) == [[1, 0, 1]]
    assert found(*rows, there=np.array([False, True, True])) == []


def test_scratch_is_called_by_its_operator():
    rows = [
        block("out"),
        block("stale", kind="operation", op_type="tpu.Conv2D"),
        block("bare", kind="operation"),
    ]
    assert pair_names(shown(*rows)).tolist() == ["out", "tpu.Conv2D", ""]


@pytest.mark.slow
@pytest.mark.parametrize("steps", [1, 2_000])
def test_many_events_of_a_name_that_many_blocks_have_take_little_memory(steps):
    one = shown(*[block("next", 1, 4) for _ in range(2_000)], length=steps)
    log = events(*[(at % steps, "gdma", "next") for at in range(2_000)], (1, "layer", "out"))
    tracemalloc.start()
    pairs = step_pairs(one, log)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(pairs) <= MAX_PAIRS
    assert most < 64 * 1024**2
