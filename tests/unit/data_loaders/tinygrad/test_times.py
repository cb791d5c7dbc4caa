"""Times of a capture, all at once: the same numbers as one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.reading.pickle_scan import UnsafePickleError
from data_loaders.tinygrad.records import Instant, picoseconds
from data_loaders.tinygrad.times import parse_times, times_from_numbers

USUAL = st.integers(0, 10**12).map(str) | st.decimals(0, 10**11, places=3).map(
    lambda value: f"{value:f}"
)
ODD = st.sampled_from(
    [
        "0",
        "-3.25",
        "-91947736063.95775",
        "1E-7",
        "-1.25E-12",
        "123456789012345678",
        "99999999999999999.9",
        "1.123456",
        "5775.104166666666666666666667",
        "0.1000000000000000055511151231257827021181583404541015625",
    ]
)


def values(times):
    return [
        int(micro) * 10**6 + int(pico) for micro, pico in zip(times.micro, times.pico, strict=True)
    ]


@given(st.lists(USUAL | ODD))
def test_many_are_read_as_one_is(texts):
    instants = [Instant(text) for text in texts]
    assert values(parse_times(instants)) == [picoseconds(instant) for instant in instants]


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "1e5",
        "",
        "1.",
        ".5",
        "1..2",
        "1.2.3",
        " 1",
        "1_0",
        "١",
        "\ud800",
        "1" * 19,
        5,
        b"1.5",
        None,
    ],
)
def test_one_that_is_none_among_many_is_refused(text):
    with pytest.raises(UnsafePickleError, match="not a time"):
        parse_times([Instant("1.5"), Instant(text), Instant("2")])


def test_one_without_a_value_is_refused():
    with pytest.raises(UnsafePickleError, match="not a time"):
        parse_times([Instant("1.5"), Instant.__new__(Instant)])


@given(st.lists(st.integers(-(10**23), 10**23), min_size=1))
def test_sums_and_ends_are_exact(numbers):
    times = times_from_numbers(numbers)
    assert values(times) == numbers
    assert values(times.plus(times)) == [2 * number for number in numbers]
    assert (times.least(), times.most()) == (min(numbers), max(numbers))
