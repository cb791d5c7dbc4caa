import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.run_groups import run_dates, run_groups
from tests.support.runs import runs_listing


def test_runs_of_one_hwid_and_size_are_a_group_with_its_best_median_and_spread():
    runs = runs_listing(
        *[{"hwid": "npu2", "gmacs_mean": rate} for rate in (10.0, 12.0, 11.0)],
        {"hwid": "npu2", "K": 128, "gmacs_mean": 7.0},
        {"hwid": "npu1", "gmacs_mean": 5.0},
        {"hwid": "npu2", "M": None, "gmacs_mean": 99.0},
    )
    groups = run_groups(runs)
    assert groups[["hwid", "K", "runs"]].to_numpy().tolist() == [["npu1", 64, 1], ["npu2", 64, 3], ["npu2", 128, 1]]
    row = groups.iloc[1]
    assert (row["best"], row["median"], row["lowest"]) == (12.0, 11.0, 10.0)
    assert row["spread"] == pytest.approx(2 / 11)
    assert row["best_run"] == runs["run_id"].iloc[1]
    assert row["newest"] == runs["created_at"].iloc[2]


def test_a_rate_above_the_peak_is_none_but_the_run_counts():
    broken = {"hwid": "npu2", "gmacs_mean": 900.0, "utilization": 1.2}
    row = run_groups(runs_listing(broken, {"hwid": "npu2", "gmacs_mean": 10.0, "utilization": 0.5})).iloc[0]
    assert (row["runs"], row["rated"], row["best"]) == (2, 1, 10.0)
    alone = run_groups(runs_listing(broken)).iloc[0]
    assert (alone["rated"], alone["best_run"]) == (0, "")
    assert np.isnan(alone["best"])


def test_without_runs_there_is_no_group():
    assert len(run_groups(runs_listing())) == 0
    assert run_groups(runs_listing({"hwid": None, "gmacs_mean": 1.0}))["hwid"].tolist() == [""]


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=12))
def test_the_median_lies_between_and_the_spread_is_of_it(rates):
    row = run_groups(runs_listing(*[{"hwid": "x", "gmacs_mean": rate} for rate in rates])).iloc[0]
    assert row["lowest"] <= row["median"] <= row["best"]
    assert row["spread"] == pytest.approx((max(rates) - min(rates)) / np.median(rates))


def test_a_run_has_the_date_of_its_capture_else_of_its_ingest():
    runs = runs_listing({}, {}, {})
    assert run_dates(runs).tolist() == runs["created_at"].tolist()
    known = run_dates(runs.assign(taken_at=["2025-01-02T03:04:05+00:00", "", None]))
    assert known.tolist() == ["2025-01-02T03:04:05+00:00", *runs["created_at"][1:]]
