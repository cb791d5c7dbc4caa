"""What numbers over time need of the catalogue."""

import json

import pytest
from sqlalchemy import text, update

from storage.tables import RUNS
from tests.support.runs import all_values


@pytest.fixture
def catalogue(opened):
    return opened(
        {"gmacs_mean": 3.0, "taken_at": "2026-03-01T00:00:00+00:00", "tags": "a b"},
        {"gmacs_mean": None, "utilization": 0.5, "taken_at": "2026-01-01T00:00:00+00:00"},
        {"gmacs_mean": 4.0, "hwid": "npu2", "taken_at": None},
    )


def test_runs_come_in_the_order_of_capture_with_the_numbers_that_they_have(catalogue):
    found = all_values(catalogue)
    assert [one.values for one in found] == [
        {"utilization": 0.5},
        {"gmacs_mean": 3.0},
        {"gmacs_mean": 4.0},
    ]
    assert found[1].tags == {"a", "b"}
    assert found[2].date.startswith("2026-11-03")  # of the ingest


@pytest.mark.parametrize(
    "damage", ["{", "[]", json.dumps({"run_id": "other"}), json.dumps({"run_id": f"{0:064x}"})]
)
def test_a_damaged_row_hides_no_other(catalogue, damage):
    if damage == "{" and not catalogue.is_embedded:
        pytest.skip("PostgreSQL takes no text that is no JSON")
    with catalogue.begin() as connection:
        changed = text("update runs set run = :damage where run_id = :run_id")
        connection.execute(changed, {"damage": damage, "run_id": f"{0:064x}"})
    assert len(all_values(catalogue)) == 2
    with catalogue.begin() as connection:
        connection.execute(
            update(RUNS).values(headline={"gmacs_mean": "much", "utilization": float("inf")})
        )
    assert all(not one.values for one in all_values(catalogue))
