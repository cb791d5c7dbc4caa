"""What is worked out ahead, on both kinds of catalogue: nothing is left to make, and answers are the same."""

import pytest

from analysis.comparison.status_row import Status
from ingest.files import ingest
from schema.metrics import METRICS
from services.status.rules import set_rule
from services.status.status import StatusCache, lacks_status
from services.trends import judge_ahead as ahead
from services.trends.cached_trends import keep_trends, lacks_trends, stored_metrics
from services.trends.judge_ahead import judge_ahead, lacks_results
from services.trends.trends import TrendsCache
from storage.repository import Repository
from storage.rules import Rule, Rules
from tests.support.runs import record_of, stored_of
from tests.support.trends import levels, nights

METRIC = METRICS["gmacs_mean"]
RULE = Rule("nightly", 3)


class EnoughError(Exception):
    pass


def go_on():
    pass


@pytest.fixture
def repository(new_database, tmp_path):
    made = Repository(new_database(), str(tmp_path / "frames"))
    made.catalogue.create()
    yield made
    made.catalogue.close()


@pytest.fixture
def history(repository):
    """Runs of two keys, of which one has a step."""
    rows = nights(levels((100, 12), (82, 12))) + nights(levels((50, 12)), hwid="npu2")
    for rank, row in enumerate(rows):
        own = {name: value for name, value in row.items() if name != "run_id"}
        assert repository.catalogue.insert(stored_of(record_of(rank + 1, **own)))
    return repository


@pytest.fixture
def solved(repository, tmp_path):
    """Three solved problems of one key, of which the last one is worse."""
    for day, size in enumerate((64, 64, 96), start=1):
        path = tmp_path / f"{day}.1024.csv"
        path.write_text(f"id,lower,upper,size,offset\nt{day},0,3,100,0\nb,1,4,{size},100\n")
        ingest(
            repository,
            [path],
            {"name": "net", "hwid": "npu", "taken_at": f"2026-11-0{day}T10:00:00+00:00"},
        )
    return repository


def series_of(repository):
    return TrendsCache(repository, None).get("gmacs_mean", {}).series


def test_trends_are_kept_and_are_the_same(history):
    expected = [(one.key, one.runs, one.development.events) for one in series_of(history)]
    with history.catalogue.begin() as connection:
        connection.exec_driver_sql("DELETE FROM key_trends")
    assert lacks_trends(history.catalogue, METRIC)
    parts = []
    keep_trends(history.catalogue, [METRIC, METRICS["peak_memory"]], lambda: parts.append(1))
    assert parts == [1]
    assert not lacks_trends(history.catalogue, METRIC)
    assert {*stored_metrics(history.catalogue)} == {"gmacs_mean", "peak_memory"}
    assert [(one.key, one.runs, one.development.events) for one in series_of(history)] == expected


def test_a_run_that_comes_while_it_is_judged_is_not_overlooked(history):
    def insert():
        assert history.catalogue.insert(stored_of(record_of(99, hwid="npu2", gmacs_mean=51.0)))

    keep_trends(history.catalogue, [METRIC], insert)
    assert sum(one.runs for one in series_of(history)) == 37


def test_a_metric_that_was_asked_for_is_judged_ahead_and_few_runs_are_not(history, monkeypatch):
    assert not lacks_results(history.catalogue)
    monkeypatch.setattr(ahead, "_FEW_RUNS", 2)
    assert lacks_results(history.catalogue)
    keep_trends(history.catalogue, [METRICS["peak_memory"]], go_on)
    judge_ahead(history, go_on)
    assert not lacks_results(history.catalogue)
    assert history.catalogue.insert(stored_of(record_of(99, gmacs_mean=51.0)))
    assert [
        lacks_trends(history.catalogue, METRICS[name]) for name in ("gmacs_mean", "peak_memory")
    ] == [True, True]
    judge_ahead(history, go_on)
    assert not lacks_results(history.catalogue)


@pytest.mark.quick_every(2)
def test_the_status_of_rules_is_kept(solved):
    set_rule(solved, RULE, "me")
    assert lacks_results(solved.catalogue)
    judge_ahead(solved, go_on)
    assert not lacks_results(solved.catalogue)
    status = StatusCache(solved).status(RULE.name, within_s=-1.0)
    assert (status.missing, [row.verdict for row in status.rows]) == (0, ["regressed"])


def test_it_stops_where_it_is_told_to(solved):
    set_rule(solved, RULE, "me")

    def stop():
        raise EnoughError

    with pytest.raises(EnoughError):
        judge_ahead(solved, stop)
    assert lacks_status(solved.catalogue, RULE)


def test_a_part_without_progress_is_followed_by_a_longer_one(repository, monkeypatch):
    """Reading the runs of a long key may take a whole part."""
    Rules(repository.catalogue).set(RULE)
    left = iter((5, 5, 5, 5, 5, 2, 2, 0))
    parts = []

    class Judging:
        def __init__(self, repository, load):
            pass

        def status(self, rule, within_s):
            parts.append(within_s)
            return Status(rule, "", [], next(left))

    monkeypatch.setattr(ahead, "StatusCache", Judging)
    judge_ahead(repository, go_on)
    assert parts == [5.0, 5.0, 10.0, 20.0, 40.0, 40.0, 5.0, 10.0]


def test_a_store_without_a_catalogue_lacks_nothing(new_database, tmp_path):
    made = Repository(new_database(), str(tmp_path / "frames"))
    assert not lacks_results(made.catalogue)
    judge_ahead(made, go_on)
    made.catalogue.close()
