"""Runs that PostgreSQL copies for benchmarks: they are listed and judged like runs of the program."""

import pytest
from sqlalchemy import text

from benchmarks import simulated_runs
from benchmarks.grown_list import grow_list
from benchmarks.rebuilt_indexes import without_indexes
from benchmarks.simulated_runs import fill, vacuum, write_months
from benchmarks.status import compare_as_unchanged
from services.status import rule_verdicts
from services.status.status import StatusCache
from services.store.runs_list import RunsList
from storage.repository import Repository
from storage.rules import Rule, Rules
from storage.run_query import EVERY_RUN, RunFilter, RunQuery

BASE, KEYS, RUNS = 8, 4, 24
INDEXES = text("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'")


@pytest.fixture
def repository(new_postgres_catalogue, tmp_path, monkeypatch):
    monkeypatch.setattr(simulated_runs, "BASE", BASE)
    monkeypatch.setattr(simulated_runs, "KEYS", KEYS)
    monkeypatch.setattr(rule_verdicts, "compare", compare_as_unchanged)
    repository = Repository(new_postgres_catalogue(), str(tmp_path / "frames"))
    fill(repository, RUNS)
    yield repository
    repository.catalogue.close()


def indexes_of(repository):
    with repository.catalogue.connect() as connection:
        return {(row[0], row[1]) for row in connection.execute(INDEXES)}


def test_the_files_of_all_months_have_every_run(repository):
    files = write_months(repository)
    assert len(files) == 12
    assert sum(file.runs for file in files) == RUNS


def test_copies_are_listed_counted_and_judged_and_the_newest_runs_stay(repository):
    Rules(repository.catalogue).set(Rule("nightly", 10, "main"))
    status = StatusCache(repository).status()
    before = RunsList(repository.catalogue).now()
    page, indexes = before.page(RunQuery(limit=5)), indexes_of(repository)
    grow_list(repository, 3)
    vacuum(repository)
    after = RunsList(repository.catalogue).now()
    assert indexes_of(repository) == indexes
    assert after.page(RunQuery(limit=5)) == page
    assert after.counts(EVERY_RUN).totals.runs == 4 * RUNS
    assert after.counts(RunFilter(hwid=("npu1",))).totals.runs == 4 * RUNS // KEYS
    rows = StatusCache(repository).status().rows
    assert [(row.run, row.verdict) for row in rows] == [
        (row.run, row.verdict) for row in status.rows
    ]
    with repository.catalogue.begin() as connection:
        connection.execute(text("DELETE FROM key_status"))
    # As after an ingest: the verdicts about copies are read, and no run is compared again.
    again = StatusCache(repository).status(within_s=-1)
    assert again.missing == 0
    assert [row.verdict for row in again.rows] == [row.verdict for row in rows]


def test_a_table_with_other_indexes_than_before_is_refused(repository):
    with (
        pytest.raises(RuntimeError, match="listing has other indexes"),
        repository.catalogue.begin() as connection,
        without_indexes(connection, "listing"),
    ):
        connection.execute(text("CREATE INDEX another ON listing (date)"))
    assert "another" not in {name for name, _ in indexes_of(repository)}
