"""Orphans on every kind of database and place: found, removed, and never what something refers to."""

import time

import pytest

from services.jobs.kinds import KINDS
from services.store.orphans import OrphanError, look_for_orphans, orphan_state, record_look
from storage import orphans
from storage.audit import Audit
from storage.jobs import Jobs
from storage.orphans import find_orphans
from storage.pending import garbage
from storage.uploads import Upload, Uploads
from tests.support.runs import record_of, stored_of

RUN, LOST = "a" * 12, "b" * 12
KEPT, REPLACED, GONE = f"{RUN}/{'0' * 16}", f"{RUN}/{'1' * 16}", f"{LOST}/{'2' * 16}"
PENDING, UPLOAD, STAGED = f"{LOST}/{'3' * 16}", f"uploads/{'4' * 24}", f"staged/{'5' * 24}"
FOREIGN = ("tilescope-20261101.tar", "notes/of/somebody.txt", f"{LOST}/readme/events.parquet")


@pytest.fixture
def repository(new_repository, monkeypatch):
    """A store with files that something refers to, three orphans, and files that are of no store."""
    made = new_repository()
    made.catalogue.create()
    made.catalogue.insert(stored_of(record_of(run_id=RUN), "0" * 16))
    made.catalogue.reserve(garbage(PENDING))
    Uploads(made.catalogue).add(Upload("4" * 24, "ann", "a", 9, None, {}, [], 0))
    for prefix in (KEPT, REPLACED, GONE, PENDING, UPLOAD, STAGED):
        made.store.files.write(f"{prefix}/events.parquet", b"12345")
    made.store.files.write(f"{GONE}/lanes.parquet", b"123")
    for path in FOREIGN:
        made.store.files.write(path, b"1")
    monkeypatch.setattr(orphans, "QUIET_S", -3600.0)
    yield made
    made.catalogue.close()


def paths(repository):
    return {file.path for file in repository.store.files.walk()}


def test_a_walk_finds_every_file_with_its_size(repository):
    found = {file.path: file for file in repository.store.files.walk()}
    assert found[f"{GONE}/lanes.parquet"].size == 3
    assert len(found) == 10
    assert abs(found[f"{KEPT}/events.parquet"].modified_s - time.time()) < 3_600


def test_what_something_refers_to_is_no_orphan(repository):
    found = look_for_orphans(repository, "ann", remove=False)
    assert found.examples == (REPLACED, GONE, STAGED)
    assert (found.prefixes, found.files, found.bytes, found.looked_at, found.complete) == (
        3,
        4,
        18,
        7,
        True,
    )
    assert len(paths(repository)) == 10


def test_a_clean_up_leaves_the_rest_and_the_audit_log_has_it(repository):
    before = paths(repository)
    look_for_orphans(repository, "ann", remove=True)
    assert before - paths(repository) == {
        f"{REPLACED}/events.parquet",
        f"{GONE}/events.parquet",
        f"{GONE}/lanes.parquet",
        f"{STAGED}/events.parquet",
    }
    (entry,) = Audit(repository.catalogue).entries(action="orphans.remove")
    assert entry.user == "ann"
    assert look_for_orphans(repository, "ann", remove=False).prefixes == 0


def test_young_files_are_nobodys_orphans(repository, monkeypatch):
    monkeypatch.setattr(orphans, "QUIET_S", 3600.0)
    assert look_for_orphans(repository, "ann", remove=True).prefixes == 0
    assert len(paths(repository)) == 10


def test_a_look_ends_at_its_limits(repository):
    found = find_orphans(repository.catalogue, repository.store, most_files=2, within_s=60)
    assert (found.looked_at, found.complete) == (2, False)
    found = find_orphans(repository.catalogue, repository.store, most_files=100, within_s=-1)
    assert (found.looked_at, found.complete) == (0, False)


def test_a_catalogue_without_runs_removes_nothing(repository):
    repository.catalogue.delete(repository.catalogue.get(RUN), garbage(KEPT))
    with pytest.raises(OrphanError):
        look_for_orphans(repository, "ann", remove=True)
    assert len(paths(repository)) == 10


def test_the_state_is_what_the_last_look_left(repository):
    assert orphan_state(repository).last_at is None
    for remove in (False, True):
        record_look(repository.catalogue, "ann", look_for_orphans(repository, "ann", remove=remove))
        state = orphan_state(repository)
        assert (state.prefixes, state.bytes, state.running) == (
            (0, 0, False) if remove else (3, 18, False)
        )
        assert state.complete


def test_a_job_looks_as_the_command_does(repository):
    kind, jobs = KINDS["orphans"], Jobs(repository.catalogue)
    names = kind.tasks(repository, {"remove": False})
    job = jobs.add("orphans", names, "ann", {"remove": False}, owner="p")
    assert orphan_state(repository).running
    done = kind.work(repository, job)(names[0])
    jobs.record(job.job_id, 0, failed=done.failed, answer=done.answer)
    jobs.end(job.job_id, "p", "done")
    state = orphan_state(repository)
    assert (state.running, state.prefixes, state.files) == (False, 3, 4)
