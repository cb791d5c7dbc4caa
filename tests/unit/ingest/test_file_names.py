"""Files whose names are text in no encoding: a run as any other, whoever reads them and however they come."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from data_loaders.registry import get_loader, loader_names, sniff
from ingest.files import ingest
from services.jobs.log import MANY, JobLog, closing_log
from services.store.backup import back_up
from services.store.restore import restore
from services.store.watch import FolderWatch
from storage.jobs import Jobs
from storage.repository import Repository
from storage.watched import Watched
from tests.support.backups import rows_of
from tests.support.command_line import run as run_command

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
ODD = os.fsdecode(b"caf\xe9\xff")


def sample_of(name):
    """Return the smallest file of the samples that a loader claims and that names a run."""
    files = sorted((path.stat().st_size, path) for path in SAMPLES.rglob("*") if path.is_file())
    claimed = (path for _, path in files if sniff(path)[name] is None)
    return next(path for path in claimed if get_loader(name).bundle(path).primary == path)


def check_texts(stored):
    """Check that a run is whole, and that all that is shown of it can be encoded."""
    assert not stored.damaged
    json.dumps([stored.run, stored.findings, stored.settings], ensure_ascii=False).encode()


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("name", loader_names())
def test_a_run_of_each_source_has_texts_alone(name, tmp_path, repository):
    sample = sample_of(name)
    path = tmp_path / f"in {ODD}" / f"{ODD}{''.join(sample.suffixes)}"
    path.parent.mkdir()
    shutil.copy(sample, path)
    (told,) = ingest(repository, [path.parent], {}).runs
    stored = repository.catalogue.get(told.run_id)
    check_texts(stored)
    for frame in stored.frames:
        for _, column in (
            repository.frame(told.run_id, frame)
            .select_dtypes(["object", "str", "category"])
            .items()
        ):
            "".join(map(str, column)).encode()
    assert ingest(repository, [path.parent], {}).runs[0].status == "unchanged"


@pytest.mark.usefixtures("loader")
class TestWaysIn:
    def test_a_file_that_is_read_along_is_named_in_the_run(self, repository, write):
        write(f"{ODD}.note", "note")
        assert [run.status for run in ingest(repository, [write(f"{ODD}.fake")], {}).runs] == [
            "new"
        ]
        (stored,) = repository.catalogue.each()
        check_texts(stored)
        assert stored.run["companions"].endswith(".note")
        assert [run.status for run in ingest(repository, [write(f"{ODD}.fake")], {}).runs] == [
            "unchanged"
        ]

    def test_the_path_that_a_sender_tells_may_be_any(self, repository, write):
        path = write()
        ingest(repository, [path], {}, places={path: f"{ODD}/{ODD}.fake"})
        check_texts(next(repository.catalogue.each()))

    def test_the_command_line_answers_in_text(self, tmp_path, write):
        data = tmp_path / "data"
        done = run_command(
            "ingest", "--data", data, "--json", write(f"{ODD}.fake"), tmp_path / f"none {ODD}"
        )
        answer = json.loads(done.stdout)
        json.dumps(answer, ensure_ascii=False).encode()
        assert len(answer["runs"]) == len(answer["skipped"]) == 1

    def test_a_watched_folder_tries_it_once(self, tmp_path, repository, write):
        write(f"inbox/{ODD}.fake")
        write(f"inbox/{ODD}.txt").write_text("fake unreadable")
        told = []
        for _ in range(2):
            watch = FolderWatch(
                tmp_path / "inbox",
                Watched(repository.catalogue),
                lambda paths: ingest(repository, paths, {}),
            )
            told = [*told, [len(list(watch.look())) for _ in range(3)]]
        assert told == [[0, 2, 0], [0, 0, 0]]
        check_texts(next(repository.catalogue.each()))

    @pytest.mark.slow
    def test_a_job_lists_its_files(self, repository, write):
        paths = [write(f"{ODD}{rank}.fake", f"t{rank}") for rank in range(MANY)]
        with closing_log(JobLog(repository.catalogue, "me")) as log:
            assert ingest(repository, paths, {}, steps=log).ok
        (job,) = Jobs(repository.catalogue).all()
        assert (job.done, job.failed) == (MANY, 0)

    def test_a_job_says_why_a_file_is_no_run(self, repository):
        with closing_log(JobLog(repository.catalogue, "me")) as log:
            log.on_plan([f"{ODD}.fake"] * MANY)
            log.on_end(0, f"{ODD}.note is damaged")
        jobs = Jobs(repository.catalogue)
        (task,) = jobs.tasks(jobs.all()[0].job_id, ["failed"])
        json.dumps([task.name, task.answer], ensure_ascii=False).encode()


@pytest.fixture
def of_an_older_release(repository, write, loader):
    """A run that a release stored which took names as they are, and its file."""
    path = write(f"{ODD}.fake")
    ingest(repository, [path], {})
    (stored,) = repository.catalogue.each()
    row = json.dumps(stored.run | {"file": path.name})
    with closing(
        sqlite3.connect(Path(repository.catalogue.address.removeprefix("sqlite:///")))
    ) as connection:
        connection.execute("UPDATE runs SET run = ?", (row,))
        connection.commit()
    assert repository.catalogue.get(stored.run_id).damaged
    return path


def test_ingesting_again_heals_what_an_older_release_stored(repository, of_an_older_release):
    (told,) = ingest(repository, [of_an_older_release], {}).runs
    assert told.status == "updated"
    check_texts(repository.catalogue.get(told.run_id))


def test_a_backup_has_it(repository, of_an_older_release, tmp_path):
    (told,) = ingest(repository, [of_an_older_release], {}).runs
    copied = back_up(repository, tmp_path / "b.tar")
    assert (copied.runs, copied.findings) == (1, [])
    target = Repository(
        f"sqlite:///{tmp_path}/target/catalogue.db", str(tmp_path / "target" / "frames")
    )
    restore(target, tmp_path / "b.tar")
    assert rows_of(target) == rows_of(repository)
    check_texts(target.catalogue.get(told.run_id))
    target.catalogue.close()
