"""The series of the page of trends, from the catalogue."""

from functools import partial

import pytest

from services.baselines.baselines import baseline_runs, set_baseline
from services.comparison.compared_runs import compared_run
from services.trends.trend_frame import points_frame
from services.trends.trends import TrendsCache
from storage.annotations import Annotations, Change
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
    put(
        repository,
        *step,
        *steady,
        *tagged,
        {"run_id": "f" * 64, "source": "deeploy", "peak_memory": 4096.0},
    )
    return repository


def answers_of(repository):
    return TrendsCache(repository, partial(compared_run, repository))


def asked(repository, metric="", compared=None, **filters):
    return answers_of(repository).get(metric, filters, **(compared or {}))


def test_there_is_a_series_per_key_the_longest_first(filled):
    found = asked(filled)
    assert found.metric.name == "gmacs_mean"
    assert [(one.key.hwid, one.key.tags, len(one.points)) for one in found.series] == [
        ("npu2", "", 40),
        ("npu1", "", 12),
        ("npu1", "fast", 5),
    ]
    assert [step.first for step in found.series[0].development.steps] == [22]
    assert found.series[2].development.note


def test_filters_narrow_and_choices_stay_those_of_all_runs(filled):
    every, one = asked(filled), asked(filled, hwid="npu1", M="64", tag="fast")
    assert [len(series.points) for series in one.series] == [5]
    assert {name: [*values] for name, values in every.choices.items()} == {
        name: [*values] for name, values in one.choices.items()
    }
    assert every.choices["M"] == {"64": 17, "256": 40}
    assert every.choices["tag"] == {"fast": 5}
    assert one.choices["M"] == {"64": 5, "256": 0}
    assert asked(filled, hwid="npu1").choices["hwid"] == {"npu1": 17, "npu2": 40}
    assert asked(filled, M="8").series == ()


def test_tags_that_people_gave_narrow_the_runs(filled):
    ids = [point.run_id for point in asked(filled).series[0].points]
    Annotations(filled.catalogue).change(ids[3], Change(tags=("look",)), "me")
    found = asked(filled, tag="look")
    assert [point.run_id for one in found.series for point in one.points] == [ids[3]]
    assert found.choices["tag"]["look"] == 1


@pytest.mark.slow
def test_a_series_that_regressed_comes_before_longer_ones(repository):
    put(
        repository,
        *nights(levels((100, 40)), hwid="npu3"),
        *nights(levels((100, 12), (82, 8)), hwid="npu2"),
    )
    assert [one.key.hwid for one in asked(repository).series] == ["npu2", "npu3"]


@pytest.mark.slow
def test_a_metric_is_one_that_runs_have(filled):
    assert [metric.name for metric in asked(filled).metrics] == ["gmacs_mean", "peak_memory"]
    assert [one.key.source for one in asked(filled, "peak_memory").series] == ["deeploy"]
    assert asked(filled, "kernel_time").metric.name == "gmacs_mean"


def test_without_the_default_metric_the_first_that_has_values_is_shown(repository):
    put(repository, {"peak_memory": 1.0})
    assert asked(repository).metric.name == "peak_memory"
    assert answers_of(repository).get("", {}).runs == 1


def test_no_catalogue_has_no_series(repository):
    found = asked(repository)
    assert (found.metric, found.series, found.runs) == (None, (), 0)


@pytest.mark.slow
def test_a_baseline_is_with_the_series_of_its_key_and_tells_of_deleted_runs(filled):
    ids = [point.run_id for point in asked(filled).series[0].points]
    set_baseline(filled, "main", ids[3:9], user="me")
    delete_run(filled.catalogue, ids[4])
    first, *others = asked(filled).series
    (band,) = first.bands
    assert (band.name, len(band.values), band.deleted, band.without) == ("main", 5, 1, 0)
    assert min(band.values) <= band.median <= max(band.values)
    assert [one.bands for one in others] == [(), ()]


def test_runs_of_a_baseline_that_are_of_another_tile_are_in_the_series_of_that_tile(repository):
    small, large = (nights(levels((50, 4)), hwid="npu1", m=size, tags="") for size in (16, 32))
    for rank, row in enumerate(large):
        row["run_id"] = f"{rank:064x}"
    put(repository, *small, *large)
    set_baseline(repository, "main", [row["run_id"] for row in (*small[:2], *large[:1])], user="me")
    bands = {one.key.m: one.bands[0] for one in asked(repository).series}
    assert {size: (len(band.values), band.without) for size, band in bands.items()} == {
        16: (2, 0),
        32: (1, 0),
    }


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


@pytest.mark.slow
def test_an_answer_is_made_again_when_runs_or_baselines_change(filled):
    answers = answers_of(filled)
    before = answers.get("", {})
    assert answers.get("", {}) == before
    set_baseline(filled, "main", [before.series[0].points[0].run_id], user="me")
    assert answers.get("", {}).series[0].bands
    delete_run(filled.catalogue, before.series[0].points[0].run_id)
    assert len(answers.get("", {}).series[0].points) == 39


def test_the_export_has_a_row_per_run_with_changes_beside_them(filled):
    pending = points_frame(asked(filled))
    assert pending[pending["event"] != ""][["verdict", "basis"]].values.tolist() == [
        ["", "pending"]
    ]
    frame = points_frame(asked(filled, compared={"seconds": 9.0}))
    assert len(frame) == 57
    (change,) = frame[frame["verdict"] != ""].to_dict("records")
    assert (change["number"], change["hwid"]) == (23, "npu2")
    assert (change["event"], change["verdict"]) == ("step", "regressed")
    assert frame["metric"].unique().tolist() == ["gmacs_mean"]
