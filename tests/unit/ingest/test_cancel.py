"""A user cancels an ingest: its processes end, and no file that is not read yet becomes a run."""

import threading

import pytest

from data_loaders.reading.limits import Limits
from ingest.cancel import CANCELLED
from ingest.files import ingest
from ingest.isolation import reading_processes
from ingest.pool import Pool
from ingest.processes import Ended, WorkProcesses
from ingest.steps import ProgressListener
from tests.support.archives import write_tar
from tests.support.greedy_work import obey
from tests.support.large_inputs import MAKERS
from tests.support.pool_work import finish_when_asked
from tests.support.waiting import PATIENCE_S, wait_until


class Cancel(ProgressListener):
    """A user who cancels as soon as a file is being read."""

    def __init__(self):
        self.cancelled = False

    def on_begin(self, index):
        self.cancelled = True


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Let a cancelled task clean up however slow the machine is."""
    monkeypatch.setattr("ingest.pool._CANCEL_S", PATIENCE_S)


@pytest.fixture
def source():
    processes = WorkProcesses(Limits())
    yield processes
    processes.close()


@pytest.fixture
def readers():
    processes = reading_processes(Limits())
    yield processes
    processes.close()


def test_a_running_task_ends_and_no_other_begins(source):
    begun = []
    pool = Pool(obey, 1, source=source, on_start=begun.append, is_cancelled=lambda: bool(begun))
    results = list(pool.results([("spin", 0), ("quick", 1)]))
    assert [(index, isinstance(result, Ended)) for index, result in results] == [(0, True)]
    assert begun == [0]
    assert next(iter(Pool(obey, 1, source=source).results([("quick", 2)])))[1][0] == 2


def test_nothing_begins_after_a_cancel(source):
    pool = Pool(obey, 1, source=source, is_cancelled=lambda: True)
    assert list(pool.results([("quick", 1)])) == []


def test_a_result_that_is_being_stored_is_reported(source, tmp_path):
    pool = Pool(finish_when_asked, 1, source=source, is_cancelled=(tmp_path / "begun").exists)
    results = []
    thread = threading.Thread(target=lambda: results.extend(pool.results([str(tmp_path)])))
    thread.start()
    wait_until(lambda: pool._cancelled)
    (tmp_path / "go").touch()
    thread.join(PATIENCE_S)
    assert results == [(0, "stored")]
    assert next(iter(Pool(obey, 1, source=source).results([("quick", 2)])))[1][0] == 2


@pytest.mark.slow
def test_a_cancelled_file_has_no_run_and_leaves_nothing(repository, readers, tmp_path):
    path = MAKERS["kineto"](tmp_path, 150_000)
    user = Cancel()
    answer = ingest(
        repository, [path], {}, source=readers, steps=user, is_cancelled=lambda: user.cancelled
    )
    assert answer.runs == []
    assert [(s.path, s.reason) for s in answer.skipped] == [(str(path), CANCELLED)]
    assert repository.runs().empty
    assert repository.catalogue.pending() == []


def test_an_archive_is_cancelled_before_it_is_unpacked(repository, readers, tmp_path):
    path = write_tar(tmp_path / "x.tgz", {"a": b"1"})
    answer = ingest(repository, [path], {}, source=readers, is_cancelled=lambda: True)
    assert [(s.path, s.reason) for s in answer.skipped] == [(str(path), CANCELLED)]


def test_the_look_at_files_is_cancelled_too(repository, readers, write):
    path = write()
    answer = ingest(repository, [path], {}, source=readers, is_cancelled=lambda: True)
    assert [(s.path, s.reason) for s in answer.skipped] == [(str(path), CANCELLED)]
