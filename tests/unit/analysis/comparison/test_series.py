"""A series of numbers: its levels, and what is compared at a change."""

from dataclasses import replace

import pytest

from analysis.comparison.series import Change
from tests.support.trends import levels, series_of


def test_changes_part_a_series_into_levels():
    one = series_of(levels((100, 22), (82, 18)))
    (change,) = one.changes
    assert (change.index, change.verdict) == (22, "regressed")
    assert change.relative == pytest.approx(-0.18, abs=0.01)
    assert [(level.first, level.end) for level in one.levels()] == [(0, 22), (22, 40)]
    assert [round(level.median) for level in one.levels()] == [100, 82]


def test_the_polarity_of_the_metric_decides_the_verdict():
    values = levels((100, 10), (120, 10))
    assert [series_of(values, polarity=sign).changes[0].verdict for sign in (1, -1, 0)] == [
        "improved",
        "regressed",
        "changed",
    ]


def test_the_runs_next_to_a_change_are_compared_five_a_side_at_most():
    changes = (Change(22, -0.18, "regressed"), Change(26, 0.2, "improved"))
    one = replace(series_of([1.0] * 40), changes=changes)
    base, new = one.sides(0)
    assert base == [f"npu1-{night}" for night in range(17, 22)]
    assert new == [f"npu1-{night}" for night in range(22, 26)]
    assert one.sides(1)[0] == new


def test_few_runs_and_numbers_of_0_have_no_levels_and_a_reason():
    for values in ([100.0] * 7, [100.0] * 9 + [0.0]):
        one = series_of(values)
        assert one.note
        assert (one.changes, one.levels()) == ((), [])
