"""Reserved bytes over steps: the most in ranges of steps, and which attempts have them."""

import numpy as np
import pytest

from analysis.memory.reserved import ReservedBytes, reserved_bytes
from schema.frames import complete, frame_of_records


def curve(*values):
    """Return a curve that changes at the given (step, bytes)."""
    step, held = zip(*values, strict=True) if values else ((), ())
    return ReservedBytes(np.array(step, np.int64), np.array(held, np.int64))


@pytest.mark.parametrize(
    ("start", "end"), [([0], [10]), ([0, 3, 7], [3, 7, 10]), ([2, 3, 4], [3, 4, 9]), ([9], [10])]
)
def test_the_most_in_a_range_is_that_of_each_step_in_it(start, end):
    changes = [(0, 5), (3, 9), (4, 2), (6, 30), (7, 1)]
    by_step = []
    for step in range(10):
        by_step.append(next(held for at, held in reversed(changes) if at <= step))
    found = curve(*changes).highest_between(np.array(start), np.array(end))
    assert found.tolist() == [max(by_step[a:b]) for a, b in zip(start, end, strict=True)]


def test_without_values_nothing_is_reserved():
    assert curve().highest_between(np.array([0, 5]), np.array([5, 6])).tolist() == [0, 0]
    assert curve().peak == 0


def test_curves_belong_to_the_attempt_of_their_device():
    names = ["cuda:1 reserved", "cuda:1 reserved", "cuda:0 allocated"]
    counters = complete(
        "counters",
        {
            "track": ["cuda:1", "cuda:1", "cuda:0"],
            "name": names,
            "value": [1.0, 7.0, 9.0],
            "start": [0, 4, 0],
        },
    )
    rows = [
        {"device": f"cuda:{rank}", "attempt": rank, "entries": 9, "end_allocated": 0}
        for rank in range(2)
    ]
    found = reserved_bytes(counters, frame_of_records("device_memory", rows))
    assert list(found) == [1]
    assert (found[1].step.tolist(), found[1].peak) == ([0, 4], 7)
