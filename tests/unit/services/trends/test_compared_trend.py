"""A number over time, from the catalogue."""

import pytest

from services.trends.compared_trend import TrendError, trend
from storage.stored_run import StoredRun


def put(repository, day, rate, **run):
    """Put a run into the catalogue without frames."""
    given = {
        "run_id": f"{day:012x}",
        "source": "aie",
        "name": "a",
        "hwid": "npu1",
        "time_unit": "cycles",
    }
    given |= {
        "file": "a",
        "sha256": "0",
        "created_at": "2026-01-01T00:00:00+00:00",
        "tags": "nightly fast",
    }
    given |= {
        "M": None,
        "K": None,
        "N": None,
        "taken_at": f"2026-10-{1 + day:02d}T00:00:00+00:00",
    } | run
    headline = {"gmacs_mean": rate}
    assert repository.catalogue.insert(StoredRun(f"p{day}", given, {}, headline, {}, {}, [], 0, 0))


@pytest.fixture
def stepped(repository):
    """Put twenty runs in, newest first, with a step down at the twelfth."""
    repository.catalogue.create()
    for day in reversed(range(20)):
        put(repository, day, (100 if day < 11 else 90) + 0.1 * (day % 3))
    return repository


def points(found):
    (one,) = found.series
    return [point.run_id for point in one.points]


def test_runs_come_in_the_order_of_their_capture_and_a_step_is_found(stepped):
    found = trend(stepped, "gmacs_mean", {"source": "aie"})
    assert points(found) == [f"{day:012x}" for day in range(20)]
    (step,) = found.series[0].development.steps
    assert (step.first, step.verdict) == (11, "regressed")
    assert step.relative == pytest.approx(-0.1, abs=0.01)


def test_the_record_has_points_and_change_points_on_top_where_there_is_one_series(stepped):
    record = trend(stepped, "gmacs_mean", {}).record()
    (one,) = record["series"]
    assert record["points"] == one["points"]
    assert [(point["index"], point["run_id"]) for point in record["change_points"]] == [
        (11, f"{11:012x}")
    ]
    (event,) = one["events"]
    assert (event["kind"], event["base"][-1], event["new"][0]) == (
        "step",
        f"{10:012x}",
        f"{11:012x}",
    )
    assert [one["key"][name] for name in ("source", "hwid", "name")] == ["aie", "npu1", None]
    none = trend(stepped, "gmacs_mean", {"hwid": "none"}).record()
    assert (none["points"], none["change_points"], none["series"]) == ([], [], [])
    assert "8" in none["note"]


def test_runs_of_several_keys_are_several_series(stepped):
    put(stepped, 25, 50.0, m=64, k=64, n=64)
    put(stepped, 26, 50.0, m=32, k=64, n=64)
    record = trend(stepped, "gmacs_mean", {}).record()
    assert [len(one["points"]) for one in record["series"]] == [20, 1, 1]
    assert [one["key"]["m"] for one in record["series"]] == [None, 32, 64]
    assert "points" not in record


def test_runs_without_the_number_and_of_other_tags_are_left_out(stepped):
    put(stepped, 25, None)
    put(stepped, 26, 70.0, tags="slow")
    assert len(points(trend(stepped, "gmacs_mean", {"tag": "nightly"}))) == 20
    assert trend(stepped, "gmacs_mean", {"hwid": "none"}).series == ()


@pytest.mark.slow
def test_few_runs_say_why_nothing_is_found_and_a_0_is_an_odd_run(repository):
    repository.catalogue.create()
    for day in range(9):
        put(repository, day, 0.0 if day == 3 else 1.0)
    (one,) = trend(repository, "gmacs_mean", {}).series
    assert [(event.kind, event.first) for event in one.development.events] == [("spike", 3)]
    put(repository, 12, 1.0, hwid="npu2")
    assert "8" in trend(repository, "gmacs_mean", {"hwid": "npu2"}).record()["note"]


def test_an_unknown_metric_is_refused(repository):
    with pytest.raises(TrendError, match="no_such"):
        trend(repository, "no_such", {})


def test_a_number_that_no_run_has_is_no_other_one(stepped):
    found = trend(stepped, "peak_memory", {})
    assert (found.metric.name, found.series) == ("peak_memory", ())


def test_a_change_is_left_where_there_is_no_time_to_compare_it(stepped):
    found = trend(stepped, "gmacs_mean", {}, seconds=0.0)
    (event,) = found.series[0].development.events
    assert (found.left, event.basis) == (1, "pending")
    assert trend(stepped, "gmacs_mean", {}).left == 0
