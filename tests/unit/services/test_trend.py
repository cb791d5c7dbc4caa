"""A number over time, from the catalogue."""

import pytest

from services.trend import TrendError, trend
from storage.stored_run import StoredRun


def put(repository, day, rate, **run):
    """Put a run into the catalogue without frames."""
    given = {"run_id": f"{day:012x}", "source": "aie", "name": "a", "hwid": "npu1", "time_unit": "cycles"}
    given |= {"file": "a", "sha256": "0", "created_at": "2026-01-01T00:00:00+00:00", "tags": "nightly fast"}
    given |= {"M": None, "K": None, "N": None, "taken_at": f"2026-10-{1 + day:02d}T00:00:00+00:00"} | run
    headline = {"gmacs_mean": rate}
    assert repository.catalogue.insert(StoredRun(f"p{day}", given, {}, headline, {}, {}, [], 0, 0))


@pytest.fixture
def stepped(repository):
    """Put twenty runs in, newest first, with a step down at the twelfth."""
    repository.catalogue.create()
    for day in reversed(range(20)):
        put(repository, day, (100 if day < 11 else 90) + 0.1 * (day % 3))
    return repository


def test_runs_come_in_the_order_of_their_capture_and_a_step_is_found(stepped):
    found = trend(stepped, "gmacs_mean", {"source": "aie"})
    assert [run for run, _ in found.points] == [f"{day:012x}" for day in range(20)]
    (point,) = found.change_points
    assert (point.index, point.run_id, point.verdict) == (11, f"{11:012x}", "regressed")
    assert point.relative == pytest.approx(-0.1, abs=0.01)
    assert found.record()["change_points"][0]["index"] == 11


def test_runs_without_the_number_and_of_other_tags_are_left_out(stepped):
    put(stepped, 25, None)
    put(stepped, 26, 70.0, tags="slow")
    assert len(trend(stepped, "gmacs_mean", {}, "nightly").points) == 20
    assert len(trend(stepped, "gmacs_mean", {"hwid": "none"}).points) == 0


def test_few_runs_and_numbers_of_0_say_why_there_is_none(repository):
    repository.catalogue.create()
    for day in range(9):
        put(repository, day, 0.0 if day == 3 else 1.0)
    assert trend(repository, "gmacs_mean", {}).note
    assert "8" in trend(repository, "gmacs_mean", {"source": "none"}).note


def test_an_unknown_metric_is_refused(repository):
    with pytest.raises(TrendError, match="no_such"):
        trend(repository, "no_such", {})
