"""Records of causes, and the cause that explains a change."""

import pytest

from analysis.comparison.cause import Cause, find_main_cause, read_cause
from tests.support.comparisons import row_of


@pytest.mark.parametrize("unit", ["points", "bytes", "ns"])
def test_a_record_is_read_as_its_cause(unit):
    cause = Cause("gmacs_mean", "kernels", "all cores", -7.5, unit)
    assert read_cause(cause.record()) == cause


@pytest.mark.parametrize(
    "record",
    [
        None,
        {},
        {"metric": "gmacs_mean", "what": "kernels", "where": "all cores"},
        {"metric": "gmacs_mean", "what": "kernels", "where": 3, "points": 1.0},
        {"metric": "gmacs_mean", "what": "kernels", "where": "all cores", "points": "much"},
    ],
)
def test_a_record_that_is_not_valid_is_no_cause(record):
    assert read_cause(record) is None


def test_only_a_cause_of_half_of_all_parts_explains_a_change():
    row = row_of(100, 90)
    kernels = Cause("gmacs_mean", "kernels", "all cores", -8, "points")
    gaps = Cause("gmacs_mean", "other_gaps", "all cores", -3, "points")
    stalls = Cause("gmacs_mean", "lock_stall", "all cores", 9, "points")
    assert find_main_cause(row, [kernels, gaps]) == kernels
    assert find_main_cause(row, [stalls, kernels]) is None
    assert find_main_cause(row, [stalls]) is None
    assert find_main_cause(row, []) is None
