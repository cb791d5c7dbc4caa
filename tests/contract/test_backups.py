"""Backups by schedule, in both kinds of catalogue and place: one server makes one, and the good ones stay."""

from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import update

from ingest.files import ingest
from services.store import backup, backup_place, scheduled_backup
from services.store.backup_file import BackupError
from services.store.backups import (
    SCHEDULE,
    BackupPlan,
    backup_state,
    begin_backup,
    claim_due,
    end_lost,
    rotate,
    stored_backups,
)
from services.store.scheduled_backup import BackupStoppedError, make_backup
from services.store.verify import verify
from storage.audit import Audit
from storage.clock import timestamp
from storage.errors import StorageError
from storage.files import open_files
from storage.jobs import QUIET_S, Jobs
from storage.repository import Repository
from storage.work_tables import JOBS
from tests.support.frame_files import damage
from tests.support.races import at_once

HOUR = 3600.0
# Databases and places do not know of each other: the other two pairs would run no other code.
pytestmark = pytest.mark.parametrize(
    ("new_database", "new_place"),
    [("sqlite", "folder"), ("postgresql", "s3")],
    indirect=True,
    scope="module",
)


@pytest.fixture
def repository(new_database, tmp_path, write, loader):
    opened = Repository(new_database(), str(tmp_path / "frames"))
    ingest(opened, [write("a.fake", "a"), write("b.fake", "b")], {})
    yield opened
    opened.catalogue.close()


@pytest.fixture
def plan(new_place):
    place = new_place()
    if "://" not in place:
        Path(place).mkdir()
    return BackupPlan(place, HOUR, 2)


@pytest.fixture
def make(repository, plan):
    """Make a backup now."""

    def maker(**more):
        attempt = begin_backup(repository.catalogue, SCHEDULE)
        return make_backup(repository, plan, attempt, SCHEDULE, **more)

    return maker


def move_back(repository, **columns):
    """Let all jobs have happened earlier."""
    with repository.catalogue.begin() as connection:
        connection.execute(update(JOBS).values(columns))


def ago(seconds):
    return timestamp(timedelta(seconds=-seconds))


def fill_disk(monkeypatch):
    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scheduled_backup, "back_up", full)


def damage_store(repository):
    run = next(iter(repository.catalogue.runs()))
    damage(repository, run.run_id, "events")


def actions(repository):
    return [entry.action for entry in Audit(repository.catalogue).entries()]


def left_at(plan):
    """Return everything that lies at a place of this machine."""
    return [] if "://" in plan.to else [path.name for path in Path(plan.to).iterdir()]


@pytest.mark.slow
def test_a_backup_is_whole_at_its_place_and_known(repository, plan, make):
    made = make()
    found = verify(f"{plan.to}/{made.name}")
    assert (found.runs, found.size, found.problems) == (2, made.size, ())
    (kept,) = stored_backups(repository.catalogue, plan)
    assert (kept.name, kept.size, kept.runs, kept.problems) == (made.name, made.size, 2, 0)
    state = backup_state(repository.catalogue, plan)
    assert (state.last_name, state.size, state.failures, state.last_error) == (
        made.name,
        made.size,
        0,
        "",
    )
    assert not state.running
    assert state.last_at < state.next_at
    assert actions(repository)[0] == "backup.make"
    assert left_at(plan) in ([], [made.name])


@pytest.mark.slow
def test_of_many_servers_one_makes_it(repository, plan):
    attempts = at_once(*(partial(claim_due, repository.catalogue, plan) for _ in range(6)))
    (attempt,) = [one for one in attempts if one is not None]
    assert claim_due(repository.catalogue, plan) is None
    assert backup_state(repository.catalogue, plan).running
    with pytest.raises(BackupError):
        begin_backup(repository.catalogue, "me")
    make_backup(repository, plan, attempt, SCHEDULE)
    assert claim_due(repository.catalogue, plan) is None


def test_the_next_one_is_due_after_the_time_that_is_set(repository, plan, make):
    make()
    begin = BackupPlan(plan.to, 2 * HOUR, 2)
    move_back(repository, created_at=ago(1.5 * HOUR))
    assert claim_due(repository.catalogue, begin) is None
    assert claim_due(repository.catalogue, BackupPlan(plan.to, 0.0, 2)) is None
    assert claim_due(repository.catalogue, plan) is not None


@pytest.mark.slow
def test_another_server_makes_it_where_one_is_gone(repository, plan):
    first = claim_due(repository.catalogue, plan)
    with repository.catalogue.begin() as connection:
        connection.execute(update(JOBS).values(beat=JOBS.c.beat - 2 * QUIET_S))
    assert not backup_state(repository.catalogue, plan).running
    (second,) = [
        one
        for one in at_once(*[partial(claim_due, repository.catalogue, plan)] * 4)
        if one is not None
    ]
    assert (second.job_id, second.name) == (first.job_id, first.name)
    assert not end_lost(repository.catalogue, first, "late")
    make_backup(repository, plan, second, SCHEDULE)
    assert backup_state(repository.catalogue, plan).failures == 0


def test_a_process_that_ends_without_a_word_has_failed(repository, plan):
    attempt = claim_due(repository.catalogue, plan)
    assert end_lost(repository.catalogue, attempt, "killed")
    state = backup_state(repository.catalogue, plan)
    assert (state.failures, state.last_error, state.running) == (1, "killed", False)


def test_an_interrupted_one_is_taken_on(repository, plan, make):
    def interrupt(*_arguments):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(on_run=interrupt)
    assert left_at(plan) == []
    assert claim_due(repository.catalogue, plan) is not None


@pytest.mark.slow
def test_a_failure_is_kept_and_tried_again_sooner(repository, plan, make, monkeypatch):
    good = make()
    with monkeypatch.context() as patch:
        fill_disk(patch)
        with pytest.raises(StorageError):
            make()
    state = backup_state(repository.catalogue, plan)
    assert state.last_name == good.name
    assert "No space left" in state.last_error
    assert state.failures == 1
    assert actions(repository)[0] == "backup.fail"
    assert [one.name for one in stored_backups(repository.catalogue, plan)] == [good.name]
    daily = BackupPlan(plan.to, 24 * HOUR, 2)
    assert claim_due(repository.catalogue, daily) is None
    move_back(repository, ended_at=ago(1.1 * HOUR))
    make_backup(repository, daily, claim_due(repository.catalogue, daily), SCHEDULE)
    assert backup_state(repository.catalogue, plan).last_error == ""


def test_what_is_written_wrongly_is_not_kept(repository, plan, make, monkeypatch):
    write = backup.back_up

    def wrong(repository, target, on_run):
        copied = write(repository, target, on_run)
        content = bytearray(target.read_bytes())
        content[len(content) // 2] ^= 1
        target.write_bytes(content)
        return copied

    monkeypatch.setattr(scheduled_backup, "back_up", wrong)
    with pytest.raises(BackupError):
        make()
    assert stored_backups(repository.catalogue, plan) == []
    assert left_at(plan) == []


def test_a_cancelled_one_ends_and_leaves_nothing(repository, plan):
    attempt = begin_backup(repository.catalogue, "me")
    with pytest.raises(BackupStoppedError):
        make_backup(
            repository,
            plan,
            attempt,
            "me",
            lambda *_: Jobs(repository.catalogue).cancel(attempt.job_id),
        )
    assert Jobs(repository.catalogue).get(attempt.job_id).state == "cancelled"
    assert stored_backups(repository.catalogue, plan) == []
    assert left_at(plan) == []


def test_one_that_another_process_took_is_not_given_a_name(repository, plan):
    attempt = begin_backup(repository.catalogue, "me")

    def lose(*_arguments):
        with repository.catalogue.begin() as connection:
            connection.execute(update(JOBS).values(owner="other"))

    with pytest.raises(BackupStoppedError):
        make_backup(repository, plan, attempt, "me", lose)
    assert Jobs(repository.catalogue).get(attempt.job_id).state == "running"
    assert stored_backups(repository.catalogue, plan) == []


class TestRotation:
    @pytest.mark.slow
    def test_the_oldest_go_and_it_is_put_down(self, repository, plan, make):
        made = [make().name for _ in range(4)]
        kept = [one.name for one in stored_backups(repository.catalogue, plan)]
        assert {*kept} == {*made[-2:]}
        assert actions(repository).count("backup.remove") == 2

    @pytest.mark.slow
    def test_the_newest_good_one_stays(self, repository, plan, make):
        good = make().name
        damage_store(repository)
        bad = [make() for _ in range(3)]
        assert all(one.problems and one.note for one in bad)
        kept = {one.name for one in stored_backups(repository.catalogue, plan)}
        assert kept == {good, *(one.name for one in bad[-2:])}
        state = backup_state(repository.catalogue, plan)
        assert (state.problems, state.last_name) == (bad[-1].problems, bad[-1].name)

    @pytest.mark.slow
    def test_nothing_else_at_the_place_is_touched(self, repository, plan, make, tmp_path):
        others = ["tilescope-20200101-000000-0a0a0a0a.tar", "mine.tar", "a.txt"]
        (tmp_path / "x").write_bytes(b"theirs")
        for name in others:
            open_files(plan.to).put(name, tmp_path / "x")
        for _ in range(4):
            make()
        assert {*others} <= {*open_files(plan.to).names()}
        (other,) = [
            one for one in stored_backups(repository.catalogue, plan) if one.name == others[0]
        ]
        assert (other.runs, other.problems) == (None, None)

    @pytest.mark.slow
    def test_a_place_that_cannot_be_tidied_does_not_make_it_fail(
        self, repository, plan, make, monkeypatch
    ):
        def refuse(*_arguments):
            raise StorageError("refused")

        for _ in range(2):
            make()
        monkeypatch.setattr(backup_place.BackupPlace, "remove", refuse)
        made = make()
        assert "refused" in made.note
        state = backup_state(repository.catalogue, plan)
        assert state.failures == 0
        assert state.note and "refused" not in state.note
        monkeypatch.undo()
        assert len(rotate(repository.catalogue, plan, "me")) == 1


def test_a_place_that_is_not_there_is_said_and_never_made(repository, plan):
    gone = BackupPlan(plan.to + "-none" if "://" not in plan.to else "s3://none/here", HOUR, 2)
    with pytest.raises(StorageError) as said:
        make_backup(repository, gone, claim_due(repository.catalogue, gone), SCHEDULE)
    assert gone.to in str(said.value)
    assert backup_state(repository.catalogue, gone).last_error == str(said.value)
    (job,) = Jobs(repository.catalogue).all()
    (task,) = Jobs(repository.catalogue).tasks(job.job_id, ("failed",))
    assert gone.to not in f"{job} {task}"  # viewers see these
    with pytest.raises(StorageError):
        stored_backups(repository.catalogue, gone)


def test_an_object_that_was_not_stored_as_it_was_sent_is_no_backup(
    repository, plan, make, monkeypatch
):
    if "://" not in plan.to:
        pytest.skip("a folder is not read back: it was verified there")
    fetch = type(open_files(plan.to)).fetch

    def cut(self, path, target):
        fetch(self, path, target)
        target.write_bytes(target.read_bytes()[:-1]) if path.startswith("tilescope-") else None

    monkeypatch.setattr(type(open_files(plan.to)), "fetch", cut)
    with pytest.raises(BackupError):
        make()
    monkeypatch.undo()
    assert stored_backups(repository.catalogue, plan) == []


def test_a_store_that_was_never_made_has_no_backup(new_database, plan):
    catalogue = Repository(new_database(), "none").catalogue
    with pytest.raises(BackupError):
        begin_backup(catalogue, "me")
    state = backup_state(catalogue, plan)
    assert (state.last_at, state.age_s, state.running, state.failures) == (None, None, False, 0)
    catalogue.close()
