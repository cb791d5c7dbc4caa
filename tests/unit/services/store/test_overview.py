"""How a store is: its size in time, and what needs attention."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from services.store.attention import needs_attention
from services.store.backups import BackupPlan
from services.store.overview import store_overview
from services.store.store_size import WEEKS, store_size
from services.store.tokens import make_token
from services.store.workers import Workers, ask_workers
from storage.audit import Audit
from storage.clock import seconds
from storage.jobs import FAILED, Jobs
from storage.uploads import Upload, Uploads
from storage.watchers import Watchers, begin_watcher
from storage.work_tables import UPLOADS, WATCHERS
from tests.support.runs import record_of, stored_of

NONE = BackupPlan("", 0.0, 7)
HOURLY = BackupPlan("/backups", 3600.0, 7)


def add_run(repository, rank, days, size):
    """Store a run of so many days ago."""
    at = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")
    stored = stored_of(record_of(rank, created_at=at))
    stored.checksums["events"] = [size, 1]
    repository.catalogue.insert(stored, "ann")


@pytest.fixture
def store(repository):
    repository.catalogue.create()
    for rank, (days, size) in enumerate(
        ((0, 1), (3, 10), (10, 100), (60, 1_000), (200, 10_000), (900, 100_000))
    ):
        add_run(repository, rank, days, size)
    return repository


def kinds(repository, plan=NONE, workers=None):
    return [
        one.kind
        for one in needs_attention(store_overview(repository, plan, workers or Workers(), []))
    ]


def test_every_run_is_in_one_source_and_one_age(store):
    found = store_size(store)
    assert (found.runs, found.bytes, found.unknown) == (6, 111_111, 0)
    assert [(one.runs, one.bytes) for one in found.ages] == [
        (2, 11),
        (1, 100),
        (1, 1_000),
        (1, 10_000),
        (1, 100_000),
    ]
    assert [(one.name, one.bytes) for one in found.sources] == [("aie", 111_111)]
    assert (found.last_week.bytes, found.before.bytes) == (11, 100)


def test_weeks_begin_on_mondays_and_have_what_came_in_them(store):
    weeks = store_size(store).weeks
    assert len(weeks) == WEEKS
    assert {datetime.fromisoformat(one.name).weekday() for one in weeks} == {0}
    assert sum(one.bytes for one in weeks) == 1_111
    assert sum(one.bytes for one in weeks[:3]) == 111


def test_a_store_that_was_never_made_is_empty_and_well(repository):
    overview = store_overview(repository, NONE, Workers(), [])
    assert (overview.size.runs, overview.revision, overview.tokens) == (0, "", ())
    assert needs_attention(overview) == []


def test_a_store_that_is_well_needs_nothing(store):
    assert kinds(store) == []


def test_what_failed_in_the_week_needs_attention(store):
    catalogue = store.catalogue
    Audit(catalogue).add("edgar", "upload.fail", "a.json", "no trace")
    job = Jobs(catalogue).add("derive", ["a"], "ann", {}, owner="p")
    Jobs(catalogue).end(job.job_id, "p", FAILED)
    make_token(catalogue, "ci", "write", "ada", "2d")
    make_token(catalogue, "long", "write", "ada", "90d")
    assert kinds(store) == ["jobs failed", "uploads failed", "tokens expiring"]
    overview = store_overview(store, NONE, Workers(), [])
    assert [(one.user, one.name, one.reason) for one in overview.uploads.last_failed] == [
        ("edgar", "a.json", "no trace")
    ]


def test_an_upload_without_progress_and_a_folder_without_a_watcher_are_said(store):
    catalogue = store.catalogue
    Uploads(catalogue).add(Upload("u1", "edgar", "big.json", 100, None, {}, [], 40))
    Watchers(catalogue).put(begin_watcher("/in", "ann", 10.0))
    assert kinds(store) == []
    with catalogue.begin() as connection:
        connection.execute(UPLOADS.update().values(touched_at="2026-01-01T00:00:00.000+00:00"))
        connection.execute(WATCHERS.update().values(beat=seconds(connection) - 600))
    assert kinds(store) == ["watcher gone", "uploads stalled"]
    Watchers(catalogue).put(replace(begin_watcher("/in", "ann", 10.0), host="another"))
    assert kinds(store) == ["uploads stalled"]


@pytest.mark.slow
def test_what_is_counted_is_all_and_not_what_is_listed(store):
    uploads, some = Uploads(store.catalogue), 30
    for rank in range(some):
        uploads.add(Upload(f"u{rank}", "edgar", "big.json", 100, None, {}, [], 40))
        make_token(store.catalogue, f"token {rank}", "write", "ada")
    with store.catalogue.begin() as connection:
        connection.execute(UPLOADS.update().values(touched_at="2026-01-01T00:00:00.000+00:00"))
    overview = store_overview(store, NONE, Workers(), [])
    assert (overview.uploads.incomplete, overview.uploads.stalled, len(overview.tokens)) == (
        some,
        some,
        some,
    )
    assert len(overview.uploads.quietest) < some


def test_backups_that_are_due_and_workers_that_are_away_come_first(store):
    found = kinds(store, HOURLY, Workers("tcp://10.0.0.1:8786", error="it does not respond"))
    assert found == ["backup missing", "scheduler silent"]
    assert kinds(store, workers=Workers("tcp://10.0.0.1:8786")) == ["workers missing"]
    assert kinds(store, workers=Workers("tcp://10.0.0.1:8786", 2, 2)) == []


def test_tokens_have_no_secret(store):
    token, text = make_token(store.catalogue, "ci", "write", "ada")
    record = str(store_overview(store, NONE, Workers(), []).record())
    assert token.token_id in record
    assert token.secret_hash not in record
    assert text not in record


def test_a_scheduler_that_is_not_there_is_an_error_and_none_is_none():
    pytest.importorskip("distributed")
    assert ask_workers("") == Workers()
    found = ask_workers("tcp://127.0.0.1:9")
    assert (found.workers, bool(found.error)) == (0, True)


def test_a_scheduler_is_asked_where_a_loop_runs_too():
    async def ask():
        return ask_workers("tcp://127.0.0.1:9")

    # Not in the thread of the test: a browser of other tests may have left a loop running in it.
    with ThreadPoolExecutor(1) as other:
        answer = other.submit(asyncio.run, ask()).result()

    assert answer.error == ask_workers("tcp://127.0.0.1:9").error
