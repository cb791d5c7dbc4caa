"""The sentence about the pace of a capture."""

from dataclasses import replace

import pytest

from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.sentence import is_interval, pace_sentence

SLOW = Limiter(
    "memory_stall", "core 3,1", 96.0, 0.096, 254.0, 254.0, "core 3,1", gmacs_if_fixed_low=254.0
)
GAPS = Limiter("gap", "all cores", 43.0, 0.043, 240.0, 267.0, gmacs_if_fixed_low=240.0)


def write(*limiters, gmacs=231.0):
    return pace_sentence(limiters, 1_000.0, 800.0, gmacs, 3)


def test_the_first_limiter_has_its_gain_and_the_next_that_of_both():
    expected = "core 3,1 sets the pace: memory stall, 9.6 % of the time; if fixed 231 -> 254 GMAC/s"
    assert write(SLOW) == expected
    assert write(SLOW, GAPS) == f"{expected}; next all cores (gap, 4.3 %): both 267 (3 cores timed)"


@pytest.mark.parametrize(
    ("where", "lead"),
    [
        ("column 2", "column 2 sets the pace: its data are late, 13.8 % of the time"),
        ("all cores", "data movement sets the pace: all cores (lock stall, 13.8 % of the time)"),
    ],
)
def test_late_data_are_no_stall_of_the_cores(where, lead):
    late = Limiter("lock_stall", where, 138.0, 0.138, 254.0, 254.0, is_late_data=True)
    timed = " (3 cores timed)" if where == "all cores" else ""
    assert write(late) == f"{lead}; if fixed 231 -> 254 GMAC/s{timed}"


def test_two_limiters_that_go_together_are_both_named_first():
    first = Limiter("kernels", "core 2,1", 64.0, 0.064, 231.2, 231.2, together=(2,))
    second = Limiter("kernels", "core 3,2", 64.0, 0.064, 231.1, 250.0, together=(1,))
    both = "core 2,1 (kernels +8.0 %) and core 3,2 (kernels +8.0 %) set the pace together"
    gain = "both fixed 231 -> 250 GMAC/s, fixing only one has no effect"
    assert write(first, second) == f"{both}: {gain}"
    assert (
        write(first, second, GAPS)
        == f"{both}: {gain}; next all cores (gap, 4.3 %): all three 267 (3 cores timed)"
    )
    assert write(first, second, gmacs=None) == both


def test_a_gain_that_is_only_known_as_an_interval_has_both_ends():
    wide = replace(SLOW, gmacs_if_fixed_low=248.0)
    assert is_interval(wide)
    assert "if fixed 231 -> 248 to 254 GMAC/s" in write(wide)
    assert not is_interval(replace(SLOW, gmacs_if_fixed_low=253.0))
    assert not is_interval(replace(SLOW, gmacs_if_fixed_low=None))


@pytest.mark.parametrize("limiters", [(GAPS,), (SLOW, GAPS)])
def test_a_sentence_about_all_cores_says_how_many_were_timed(limiters):
    assert write(*limiters).endswith(" (3 cores timed)")
    assert "timed" not in write(SLOW)
