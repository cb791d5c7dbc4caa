"""What a store holds, summed up by the database."""

import pytest

from storage.catalogue import Catalogue
from storage.clock import seconds
from storage.job_counts import count_jobs, job_states
from storage.jobs import CANCELLED, FAILED, QUEUED, RUNNING, Jobs
from storage.revisions import HEAD
from storage.store_sizes import (
    catalogue_revision,
    count_damaged,
    database_bytes,
    stored_by_author,
    stored_by_day,
    stored_by_source,
)
from storage.tables import RUNS
from storage.watchers import Watchers, begin_watcher
from storage.work_tables import JOBS, WATCHERS
from tests.support.runs import record_of, stored_of


@pytest.fixture
def catalogue(new_database):
    made = Catalogue(new_database())
    made.create()
    for rank, (source, day, sizes, user) in enumerate(
        (
            ("aie", 1, (10, 20), "ann"),
            ("aie", 1, (5,), "bob"),
            ("aie", 2, (), "ann"),
            ("xla", 2, (2**40,), "ann"),
        )
    ):
        record = record_of(rank, source=source, created_at=f"2026-11-{day:02}T10:00:00.000+00:00")
        stored = stored_of(record)
        stored.checksums.update({f"frame{i}": [size, 7] for i, size in enumerate(sizes)})
        made.insert(stored, user)
    yield made
    made.close()


def test_bytes_are_summed_by_source_and_day(catalogue):
    by_source = [
        (one.source, one.runs, one.bytes, one.unknown) for one in stored_by_source(catalogue)
    ]
    assert by_source == [("aie", 3, 35, 1), ("xla", 1, 2**40, 0)]
    by_day = [(one.day, one.source, one.runs, one.bytes) for one in stored_by_day(catalogue)]
    assert by_day == [
        ("2026-11-01", "aie", 2, 35),
        ("2026-11-02", "aie", 1, 0),
        ("2026-11-02", "xla", 1, 2**40),
    ]


def test_runs_are_counted_by_who_brought_them_first(catalogue):
    found = [
        (one.user, one.runs, one.bytes, one.last_at[:10]) for one in stored_by_author(catalogue, 9)
    ]
    assert found == [("ann", 3, 30 + 2**40, "2026-11-02"), ("bob", 1, 5, "2026-11-01")]
    assert len(stored_by_author(catalogue, 1)) == 1


def test_damaged_rows_are_counted(catalogue):
    assert count_damaged(catalogue) == 0
    with catalogue.begin() as connection:
        connection.execute(RUNS.update().where(RUNS.c.source == "xla").values(findings="no list"))
    stored = next(run for run in catalogue.runs() if run.damaged)
    assert catalogue.amend(stored, stored)
    assert count_damaged(catalogue) == 1


def test_the_database_says_its_size_and_revision(catalogue):
    assert database_bytes(catalogue) > 10_000
    assert catalogue_revision(catalogue) == HEAD


def test_jobs_are_counted_by_state_and_kind(catalogue):
    jobs = Jobs(catalogue)
    for kind in ("derive", "backup"):
        job = jobs.add(kind, ["a"], "ann", {}, owner="p")
        jobs.end(job.job_id, "p", FAILED)
    silent = jobs.add("derive", ["a"], "ann", {}, owner="q")
    queued = jobs.add("derive", ["a"], "ann", {})
    jobs.cancel(jobs.add("derive", ["a"], "ann", {}).job_id)
    with catalogue.begin() as connection:
        here = JOBS.c.job_id == silent.job_id
        connection.execute(JOBS.update().where(here).values(beat=seconds(connection) - 3_600))
    found = count_jobs(catalogue, "2026-01-01", but="backup")
    assert (
        found.by_state == job_states(catalogue) == {FAILED: 2, RUNNING: 1, QUEUED: 1, CANCELLED: 1}
    )
    assert found.by_kind["backup"] == {FAILED: 1}
    assert (found.failed_since, found.silent, found.oldest_queued) == (1, 1, queued.created_at)
    assert count_jobs(catalogue, "2999-01-01", but="backup").failed_since == 0


def test_a_watcher_says_that_it_is_there_until_it_ends(catalogue):
    watchers, one = Watchers(catalogue), begin_watcher("/in/box", "ann", 10.0)
    watchers.put(one)
    watchers.put(one)
    (found,) = watchers.all()
    assert (found.folder, found.user, found.interval_s) == ("/in/box", "ann", 10.0)
    assert found.quiet_s < 600
    watchers.remove(one)
    assert watchers.all() == []


def test_a_watcher_that_was_killed_is_forgotten_after_a_week(catalogue):
    watchers = Watchers(catalogue)
    watchers.put(begin_watcher("/old", "ann", 10.0))
    with catalogue.begin() as connection:
        connection.execute(WATCHERS.update().values(beat=seconds(connection) - 8 * 86_400))
    watchers.put(begin_watcher("/new", "ann", 10.0))
    assert [one.folder for one in watchers.all()] == ["/new"]
