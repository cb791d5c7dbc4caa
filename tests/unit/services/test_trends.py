"""The series of the page of trends, from the catalogue."""

import pytest

from services.baselines import baseline_runs, set_baseline
from services.trends import TrendsAnswers, points_frame
from tests.support.runs import delete_run, record_of, stored_of
from tests.support.trends import levels, nights


def put(repository, *rows):
    repository.catalogue.create()
    for rank, row in enumerate(rows):
        assert repository.catalogue.insert(stored_of(record_of(rank, **row)))


@pytest.fixture
def filled(repository):
    """Put a series with a step in, one without, one with tags, and a run of another kind."""
    step = nights(levels((100, 22), (82, 18)), hwid="npu2", M=256)
    steady = nights(levels((50, 12)), hwid="npu1")
    tagged = nights(levels((70, 5)), hwid="npu1", tags="fast problem-0123abcd")
    put(repository, *step, *steady, *tagged, {"run_id": "f" * 64, "source": "deeploy", "peak_memory": 4096.0})
    return repository


def asked(repository, metric="", **filters):
    return TrendsAnswers(repository.catalogue).get(metric, filters)


def test_there_is_a_series_per_key_the_longest_first(filled):
    found = asked(filled)
    assert found.metric.name == "gmacs_mean"
    assert [(one.key.hwid, one.key.tags, len(one.points)) for one in found.series] == [
        ("npu2", "", 40),
        ("npu1", "", 12),
        ("npu1", "fast", 5),
    ]
    assert [change.index for change in found.series[0].changes] == [22]
    assert found.series[2].note


def test_filters_narrow_and_choices_stay_those_of_all_runs(filled):
    every, one = asked(filled), asked(filled, hwid="npu1", M="64", tag="fast")
    assert [len(series.points) for series in one.series] == [5]
    assert every.choices == one.choices
    assert every.choices["M"] == ("64", "256")
    assert every.choices["tag"] == ("fast",)
    assert asked(filled, M="8").series == ()


def test_a_metric_is_one_that_runs_have(filled):
    assert [metric.name for metric in asked(filled).metrics] == ["gmacs_mean", "peak_memory"]
    assert [one.key.source for one in asked(filled, "peak_memory").series] == ["deeploy"]
    assert asked(filled, "kernel_time").metric.name == "gmacs_mean"


def test_without_the_default_metric_the_first_that_has_values_is_shown(repository):
    put(repository, {"peak_memory": 1.0})
    assert asked(repository).metric.name == "peak_memory"
    assert TrendsAnswers(repository.catalogue).get("", {}).runs == 1


def test_no_catalogue_has_no_series(repository):
    found = asked(repository)
    assert (found.metric, found.series, found.runs) == (None, (), 0)


def test_a_baseline_is_with_the_series_of_its_key_and_tells_of_deleted_runs(filled):
    ids = [point.run_id for point in asked(filled).series[0].points]
    set_baseline(filled, "main", ids[3:9], user="me")
    delete_run(filled.catalogue, ids[4])
    first, *others = asked(filled).series
    (band,) = first.bands
    assert (band.name, len(band.values), band.deleted, band.without) == ("main", 5, 1, 0)
    assert min(band.values) <= band.median <= max(band.values)
    assert [one.bands for one in others] == [(), ()]


def test_a_rolling_baseline_has_the_runs_that_the_next_one_is_compared_with(filled):
    ids = [point.run_id for point in asked(filled).series[0].points]
    without = nights([80.0] * 41, hwid="npu2", M=256)[40] | {"gmacs_mean": None, "peak_memory": 1.0}
    put(filled, without)
    set_baseline(filled, "roll", ids[:1], last=4, user="me")
    runs = baseline_runs(filled, "roll")[0]
    assert [stored.run_id for stored in runs] == [*ids[-3:], without["run_id"]]
    first, *others = asked(filled).series
    (band,) = first.bands
    assert (len(band.values), band.deleted, band.without) == (3, 0, 1)
    assert list(band.values) == [point.value for point in first.points[-3:]]
    assert [one.bands for one in others] == [(), ()]


def test_an_answer_is_made_again_when_runs_or_baselines_change(filled):
    answers = TrendsAnswers(filled.catalogue)
    before = answers.get("", {})
    assert answers.get("", {}) is before
    set_baseline(filled, "main", [before.series[0].points[0].run_id], user="me")
    assert answers.get("", {}).series[0].bands
    delete_run(filled.catalogue, before.series[0].points[0].run_id)
    assert len(answers.get("", {}).series[0].points) == 39


def test_the_export_has_a_row_per_run_with_changes_beside_them(filled):
    frame = points_frame(asked(filled))
    assert len(frame) == 57
    (change,) = frame[frame["verdict"] != ""].to_dict("records")
    assert (change["number"], change["hwid"], change["verdict"]) == (23, "npu2", "regressed")
    assert frame["metric"].unique().tolist() == ["gmacs_mean"]
