import numpy as np
import pytest

from components.metric_text import value_in_unit
from components.results.sample_ticks import sample_ticks
from schema.rounding import THIN


def texts(values, unit):
    return [text.replace(THIN, " ") for text in sample_ticks(np.array(values), unit)["ticktext"]]


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        ([3.18e6, 3.24e6], "ns", ["3.18 ms", "3.20 ms", "3.22 ms", "3.24 ms"]),
        ([0.7131, 0.7139], "ratio", ["71.32 %", "71.34 %", "71.36 %", "71.38 %"]),
        ([0, 3 << 20], "bytes", ["0 MiB", "1 MiB", "2 MiB", "3 MiB"]),
        ([308.9, 314.2], "tokens/s", ["310 tokens/s", "312 tokens/s", "314 tokens/s"]),
        ([-2.0, 2.0], "", ["-2", "-1", "0", "1", "2"]),
    ],
)
def test_ticks_are_round_numbers_of_one_unit_that_all_differ(values, unit, expected):
    assert texts(values, unit) == expected


def test_a_tick_is_where_its_text_says():
    drawn = sample_ticks(np.array([3.18e6, 3.24e6]), "ns")
    assert drawn["tickvals"] == pytest.approx([3.18e6, 3.20e6, 3.22e6, 3.24e6])
    assert drawn["range"][0] < 3.18e6
    assert drawn["range"][1] > 3.24e6


@pytest.mark.parametrize("values", [[5.0, 5.0], [1.0, 1.0 + 1e-15], [1e300, 2e300], [0.0, 0.0]])
@pytest.mark.parametrize("unit", ["ns", "bytes", "ratio", "", "tokens/s"])
def test_samples_that_hardly_differ_or_are_huge_have_few_ticks(values, unit):
    drawn = sample_ticks(np.array(values), unit)
    assert 1 <= len(drawn["tickvals"]) == len(drawn["ticktext"]) <= 7


def test_a_count_has_no_digits_after_its_point():
    assert value_in_unit(42.0, "") == "42"
    assert value_in_unit(308.9, "tokens/s") == "308.9 tokens/s"
