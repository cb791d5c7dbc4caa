from __future__ import annotations

import pandas as pd
import pytest

from app.pages.runs.filter import facet_counts, gemm_size, matching
from app.pages.runs.state import RunsState, parse
from tests.support.runs import runs_listing


@pytest.fixture
def runs() -> pd.DataFrame:
    return runs_listing(
        {"name": "a", "hwid": "npu1", "M": 64, "gmacs_mean": 100.0},
        {"name": "b", "hwid": "npu2", "M": 64, "gmacs_mean": 300.0},
        {"name": "c", "hwid": "npu2", "M": 256, "gmacs_mean": 600.0, "tags": "golden best"},
        {"name": "d [x]", "hwid": None, "M": None, "K": None, "N": None},
    )


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", "abcd"),
        ("hwid=npu2", "bc"),
        ("hwid=npu1&hwid=npu2", "abc"),
        ("hwid=npu2&M=64", "b"),
        ("hwid=", "d"),
        ("M=", "d"),
        ("hwid=nobody", ""),
        ("q=GOLDEN+c", "c"),
        ("q=[x]", "d"),
        ("q=(", ""),
        ("rate=200,600", "bc"),
        ("size=1,300000", "ab"),
    ],
)
def test_a_state_covers_its_runs(runs: pd.DataFrame, query: str, names: str):
    assert "".join(name[0] for name in matching(runs, parse(query))["name"]) == names


def test_counts_are_under_the_other_filters(runs: pd.DataFrame):
    counts = facet_counts(runs, parse("hwid=npu2&M=64"))
    assert counts["hwid"] == [("npu1", 1), ("npu2", 1), ("", 0)]
    assert counts["M"] == [("64", 1), ("256", 1), ("", 0)]


def test_a_chosen_value_that_no_run_has_stays_in_sight(runs: pd.DataFrame):
    assert ("npu9", 0) in facet_counts(runs, parse("hwid=npu9"))["hwid"]


def test_numbers_are_in_order(runs: pd.DataFrame):
    assert [value for value, _ in facet_counts(runs, RunsState())["M"]] == ["64", "256", ""]


def test_an_empty_catalogue_has_no_facets():
    assert facet_counts(runs_listing(), RunsState()) == {facet: [] for facet in ("source", "hwid", "M", "K", "N")}
    assert matching(runs_listing(), parse("q=x&hwid=a&size=1,2")).empty


def test_a_size_needs_all_three(runs: pd.DataFrame):
    assert gemm_size(runs).isna().tolist() == [False, False, False, True]
    assert gemm_size(runs)[0] == 64 * 64 * 64
