"""The sentence about the pace of a capture."""

from dataclasses import replace

import pytest

from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.sentence import is_interval, pace_sentence
from tests.support.numbers_in_text import numbers_in

SLOW = Limiter(
    "memory_stall", "core 3,1", 96.0, 0.096, 254.0, 254.0, "core 3,1", gmacs_if_fixed_low=254.0
)
GAPS = Limiter("gap", "all cores", 43.0, 0.043, 240.0, 267.0, gmacs_if_fixed_low=240.0)


def write(*limiters, gmacs=231.0):
    return pace_sentence(limiters, 1_000.0, 800.0, gmacs, 3)


def test_the_first_limiter_has_its_gain_and_the_next_that_of_both():
    sentence = write(SLOW)
    assert sentence.startswith("core 3,1 ") and "memory stall" in sentence
    assert numbers_in(sentence) == ["3", "1", "9.6 %", "231", "254 GMAC/s"]
    both = write(SLOW, GAPS)
    assert both.startswith(sentence)
    assert numbers_in(both.removeprefix(sentence)) == ["4.3 %", "267 GMAC/s", "3"]
    assert "all cores (gap" in both
    assert both.count("267 GMAC/s") == 1


@pytest.mark.parametrize(
    ("where", "lead", "place", "timed"),
    [
        ("column 2", "column 2 sets the pace: its data ", ["2"], []),
        ("all cores", "data movement sets the pace: all cores (lock stall", [], ["3"]),
    ],
)
def test_late_data_are_no_stall_of_the_cores(where, lead, place, timed):
    late = Limiter("lock_stall", where, 138.0, 0.138, 254.0, 254.0, is_late_data=True)
    assert write(late).startswith(lead)
    assert numbers_in(write(late)) == [*place, "13.8 %", "231", "254 GMAC/s", *timed]


def test_two_limiters_that_go_together_are_both_named_first():
    first = Limiter("kernels", "core 2,1", 64.0, 0.064, 231.2, 231.2, together=(2,))
    second = Limiter("kernels", "core 3,2", 64.0, 0.064, 231.1, 250.0, together=(1,))
    names = ["2", "1", "+8.0 %", "3", "2", "+8.0 %"]
    sentence = write(first, second)
    assert numbers_in(sentence) == [*names, "231", "250 GMAC/s"]
    assert sentence.startswith("core 2,1 (kernels") and "core 3,2 (kernels" in sentence
    three = write(first, second, GAPS)
    assert three.startswith(sentence)
    assert numbers_in(three.removeprefix(sentence)) == ["4.3 %", "267 GMAC/s", "3"]
    assert numbers_in(write(first, second, gmacs=None)) == names


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
