"""Ticks become nanoseconds by the run's clock, rounded each."""

import numpy as np
import pytest

from services.run.perfetto.clock import Clock
from tests.support.numbers_in_text import numbers_in


@pytest.mark.parametrize(
    ("unit", "hz", "expected", "numbers"),
    [
        ("cycles", 1.25e9, [0, 1, 80], ["1 cycle", "0.8 ns"]),
        ("cycles", None, [0, 1, 100], ["1 cycle", "1 ns"]),
        ("cycles", float("nan"), [0, 1, 100], ["1 cycle", "1 ns"]),
        ("steps", 1e9, [0, 1, 100], ["1", "1 ns"]),
        ("ns", 1e6, [0, 1, 100], []),
    ],
)
def test_a_tick_is_what_the_clock_says(unit, hz, expected, numbers):
    clock = Clock.of({"time_unit": unit, "clock_hz": hz})
    assert clock.nanoseconds(np.array([0, 1, 100], np.int64)).tolist() == expected
    assert numbers_in(clock.words()) == numbers


def test_times_that_no_nanoseconds_hold_are_refused():
    with pytest.raises(ValueError, match="exceed the range"):
        Clock("cycles", 1.0).nanoseconds(np.array([2**62], np.int64))


def test_large_nanoseconds_stay_whole():
    assert Clock("ns", None).nanoseconds(np.array([2**60 + 1], np.int64)).tolist() == [2**60 + 1]
