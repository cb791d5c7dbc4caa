"""Backups that a server makes by itself, in a process background."""

import signal
import subprocess
import time

import pytest

from app.config.settings import load_settings
from app.server import background
from app.server.backups import take_round
from ingest.files import ingest
from services.store.backups import backup_state, stored_backups
from services.store.verify import verify
from tests.support.live_server import running
from tests.support.waiting import wait_until


@pytest.fixture
def place(tmp_path):
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept"


@pytest.fixture
def repository(settings, samples):
    opened = settings.repository()
    ingest(opened, [samples / "minimalloc"], {})
    yield opened
    opened.catalogue.close()


@pytest.fixture
def settings(tmp_path, place):
    return load_settings(
        data=tmp_path / "data", backup_to=str(place), backup_every="1h", backup_keep=2
    )


@pytest.mark.slow
def test_what_is_due_is_made_once(settings, repository, place):
    assert take_round(settings, repository.catalogue)
    assert not take_round(settings, repository.catalogue)
    (kept,) = stored_backups(repository.catalogue, settings.backup_plan())
    found = verify(place / kept.name)
    assert (found.runs, found.problems) == (repository.count(), ())
    assert [path.name for path in place.iterdir()] == [kept.name]


@pytest.mark.slow
def test_a_failure_is_logged_in_one_line_and_kept(settings, repository, place, capfd):
    place.rmdir()
    assert take_round(settings, repository.catalogue)
    (line,) = capfd.readouterr().err.splitlines()
    assert str(place) in line
    state = backup_state(repository.catalogue, settings.backup_plan())
    assert (state.failures, state.running, state.last_at) == (1, False, None)
    assert str(place) in state.last_error


def test_a_process_that_is_killed_is_a_failure(settings, repository, place, monkeypatch, caplog):
    start = subprocess.Popen

    def killed(*arguments, **options):
        process = start(*arguments, **options)
        process.send_signal(signal.SIGKILL)
        return process

    monkeypatch.setattr(background.subprocess, "Popen", killed)
    assert take_round(settings, repository.catalogue)
    state = backup_state(repository.catalogue, settings.backup_plan())
    assert (state.failures, state.running) == (1, False)
    assert str(-signal.SIGKILL) in state.last_error
    assert len(caplog.records) == 1


@pytest.mark.slow
def test_what_the_process_is_given_is_in_no_list_of_processes(settings, repository, monkeypatch):
    given = []
    start = subprocess.Popen

    def seen(command, **options):
        given.append(command)
        return start(command, **options)

    monkeypatch.setattr(background.subprocess, "Popen", seen)
    take_round(settings.model_copy(update={"alert_secret": "s" * 20}), repository.catalogue)
    assert "s" * 20 not in " ".join(given[0])
    assert backup_state(repository.catalogue, settings.backup_plan()).failures == 0


@pytest.mark.slow
def test_of_the_processes_of_a_server_one_makes_it(tmp_path, place, samples):
    every = {"backup_to": place, "backup_every": "1h", "workers": 3}
    with running(tmp_path, **every) as server:
        (kept,) = wait_until(lambda: [*place.glob("tilescope-*.tar")])
        size = f"tilescope_backup_last_size_bytes {float(kept.stat().st_size)}"
        # the file is there before the catalogue says so
        wait_until(lambda: size in server.request("/metrics")[2].decode())
        time.sleep(background._LOOK_S)  # every process has looked once
    assert verify(kept).problems == ()
    assert [*place.glob("tilescope-*.tar")] == [kept]
