"""Numbers that are compared share a unit."""

from components.numbers import DASH
from components.one_unit import in_one_unit
from tests.support.numbers_in_text import numbers_in

KIB, MIB = 1 << 10, 1 << 20


def shown(values, unit):
    return [numbers_in(text) for text in in_one_unit(values, unit)]


def test_the_largest_number_decides_the_unit():
    assert shown([768 * KIB, 80.8 * MIB], "bytes") == [["0.750 MiB"], ["80.8 MiB"]]
    assert shown([80.8 * MIB, 768 * KIB], "bytes") == [["80.8 MiB"], ["0.750 MiB"]]
    assert shown([58_400, 4_140_000], "ns") == [["0.0584 ms"], ["4.14 ms"]]
    assert shown([999_999, 5.0], "ns") == [["1.00 ms"], ["5 ns"]]
    assert shown([0, -512, 2 * KIB], "bytes") == [["0 B"], ["-0.500 KiB"], ["2.00 KiB"]]


def test_missing_numbers_and_units_without_prefix():
    assert in_one_unit([None, 3 * MIB], "bytes")[0] == DASH
    assert in_one_unit([None, None], "bytes") == [DASH, DASH]
    assert in_one_unit([], "ns") == []
    assert shown([0.473, 0.05], "ratio") == [["47.3 %"], ["5.0 %"]]
