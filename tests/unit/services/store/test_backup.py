"""Backups: whole or not at all, of a store that others change meanwhile."""

import re

import pytest

from ingest.files import ingest
from services.store.backup import back_up
from services.store.backup_file import BackupError
from services.store.restore import restore
from storage.annotations import Annotations, Change
from storage.errors import RunDamaged, StorageError
from storage.repository import Repository
from tests.support.backups import files_of, rows_of
from tests.support.frame_files import damage, frame_bytes


@pytest.fixture
def ids(repository, write, loader):
    return sorted(
        run.run_id
        for run in ingest(repository, [write(f"{i}.fake", f"t{i}") for i in range(3)], {}).runs
    )


@pytest.fixture
def file(tmp_path):
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups" / "b.tar"


@pytest.fixture
def target(tmp_path):
    opened = Repository(
        f"sqlite:///{tmp_path}/target/catalogue.db", str(tmp_path / "target" / "frames")
    )
    yield opened
    opened.catalogue.close()


def test_only_the_file_is_left_and_only_its_owner_reads_it(repository, ids, file):
    back_up(repository, file)
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_a_run_that_is_deleted_meanwhile_is_left_out_of_rows_and_files(
    repository, ids, file, target
):
    Annotations(repository.catalogue).change(ids[1], Change(notes="gone"), "me")

    def delete(_index, _count, run_id):
        if run_id == ids[1]:
            repository.delete(run_id)

    copied = back_up(repository, file, delete)
    assert (copied.runs, copied.findings) == (2, [])
    restore(target, file)
    assert rows_of(target) == rows_of(repository)
    assert rows_of(target)["annotations"] == []
    assert files_of(target) == files_of(repository)


@pytest.mark.slow
def test_a_run_that_is_replaced_meanwhile_is_copied_as_it_is_then(
    repository, ids, file, target, write
):
    def replace(_index, _count, run_id):
        if run_id == ids[0]:
            ingest(repository, [write(f"{i}.fake", f"t{i}") for i in range(3)], {"M": "7"})

    copied = back_up(repository, file, replace)
    assert (copied.runs, copied.findings) == (3, [])
    restore(target, file)
    assert rows_of(target)["runs"] == rows_of(repository)["runs"]
    assert target.runs()["M"].tolist() == [7] * 3


def test_a_run_that_is_replaced_all_the_time_is_an_error(repository, ids, file, monkeypatch):
    def fetch(_store, _file, _target):
        stored = repository.catalogue.get(ids[0])
        with repository.catalogue.begin() as connection:
            connection.exec_driver_sql(f"UPDATE runs SET prefix = '{stored.prefix}x'")  # noqa: S608
        raise FileNotFoundError

    monkeypatch.setattr(type(repository.store), "fetch", fetch)
    with pytest.raises(StorageError, match=ids[0]):
        back_up(repository, file)
    assert [*file.parent.iterdir()] == []


def test_damage_is_told_and_stays_as_it_is(repository, ids, file, target):
    runs = {run.run_id: run for run in repository.catalogue.runs()}
    damage(repository, ids[0], "events")
    repository.store.files.remove(runs[ids[1]].prefix)
    with repository.catalogue.begin() as connection:
        connection.exec_driver_sql(f"UPDATE runs SET run = '{{' WHERE run_id = '{ids[2]}'")  # noqa: S608
    copied = back_up(repository, file)
    assert (copied.runs, copied.files, len(copied.findings)) == (2, 2, 4)
    assert "run" in next(finding for finding in copied.findings if "not backed up" in finding)
    restore(target, file, accept_damage=True)
    assert sorted(run.run_id for run in target.catalogue.runs()) == ids[:2]
    assert frame_bytes(target, target.find_run(ids[0]), "events").startswith(b"cut!")
    with pytest.raises(RunDamaged):
        target.frame(ids[0], "events")


def test_a_backup_that_fails_leaves_the_one_before(repository, ids, file, tmp_path):
    file.write_bytes(b"before")
    (tmp_path / "data" / "frames").rename(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match=r"\bfolder\b"):
        back_up(repository, file)
    assert file.read_bytes() == b"before"
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_what_cannot_be_written_or_is_not_there_is_said(repository, file, loader, write):
    with pytest.raises(BackupError, match=re.escape(repository.catalogue.address)):
        back_up(repository, file)
    ingest(repository, [write()], {})
    with pytest.raises(BackupError, match=re.escape(str(file.parent))):
        back_up(repository, file.parent)
    with pytest.raises(FileNotFoundError):
        back_up(repository, file.parent / "none" / "b.tar")
