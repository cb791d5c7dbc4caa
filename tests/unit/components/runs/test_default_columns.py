"""Columns that are shown by default: the most important that fit, and few empty cells."""

import pytest

from components.runs.default_columns import (
    MAX_EMPTY_SHARE,
    MAX_WIDTH_PX,
    Filled,
    default_columns,
)
from schema.run_columns import AGAINST, LISTED_COLUMNS

BY_NAME = {column.name: column for column in LISTED_COLUMNS}
ALWAYS = {"name", "source", "health", "date"}


def shown(runs, **with_value):
    return default_columns(LISTED_COLUMNS, Filled(runs, {AGAINST: 0, "hwid": 0, **with_value}))


def test_columns_that_every_run_fills_are_shown_by_rank():
    found = shown(10, headline=10, hwid=10, tags=1)
    assert {*ALWAYS, "headline", "hwid", "tags"} == set(found)


@pytest.mark.parametrize("filled", [0, 1, 3, 5, 6, 7, 8, 9, 10])
def test_at_most_a_tenth_of_the_cells_is_empty(filled):
    sparse = dict.fromkeys(("hwid", "commit", "branch", AGAINST, "M", "K", "N"), filled)
    found = shown(10, headline=10, **sparse)
    counted = [BY_NAME[name] for name in found if not BY_NAME[name].is_optional]
    empty = sum(10 - sparse.get(column.name, 10) for column in counted)
    assert empty <= MAX_EMPTY_SHARE * 10 * len(counted)
    assert {*ALWAYS, "headline"} <= set(found)
    assert sum(BY_NAME[name].width for name in found) <= MAX_WIDTH_PX


def test_the_emptiest_column_is_left_out_first():
    found = shown(100, headline=100, hwid=90, **{AGAINST: 20})
    assert AGAINST not in found and "hwid" in found


def test_verdicts_stay_beside_a_few_runs_without_a_baseline():
    assert AGAINST in shown(63, headline=63, hwid=56, **{AGAINST: 28})


def test_the_sizes_of_a_gemm_come_together_or_not_at_all():
    for count in (0, 5, 10):
        found = shown(10, headline=10, M=count, K=count, N=count)
        assert len({"M", "K", "N"} & set(found)) in (0, 3)


def test_tags_of_few_runs_are_shown_since_a_run_without_tags_lacks_nothing():
    assert "tags" in shown(100, headline=100, tags=1)


@pytest.mark.parametrize(("filled", "is_shown"), [(79, False), (80, True)])
def test_a_column_that_a_fifth_of_the_runs_lack_is_not_shown(filled, is_shown):
    found = shown(100, headline=100, commit=filled)
    assert ("commit" in found) is is_shown
