import os
import socket
import subprocess
import sys
import threading

import pytest

from storage import pending
from storage.catalogue import Catalogue, Pending
from storage.errors import StorageError
from storage.frame_store import FrameStore
from storage.pending import (
    alive,
    discard,
    garbage,
    is_abandoned,
    process_identity,
    reservation,
    sweep,
)
from tests.support.waiting import wait_until

HOUR = 3600.0


@pytest.fixture
def catalogue(tmp_path):
    opened = Catalogue(f"sqlite:///{tmp_path}/catalogue.db")
    opened.create()
    yield opened
    opened.close()


@pytest.fixture
def store(tmp_path):
    return FrameStore(str(tmp_path / "frames"))


def written(tmp_path, prefix):
    folder = tmp_path / "frames" / prefix
    folder.mkdir(parents=True)
    (folder / "events.parquet").write_text("half")
    return folder


def dead_process():
    """Return the identity that a process had which is gone."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        identity = process_identity(child.pid)
    return identity


def test_attempts_have_prefixes_of_their_own():
    assert reservation("abc").prefix.startswith("abc/")
    assert reservation("abc").prefix != reservation("abc").prefix


def test_this_process_is_alive_and_a_dead_one_is_not():
    assert not is_abandoned(garbage("a/1"), 0)
    gone = Pending("a/1", garbage("").host, dead_process())
    assert is_abandoned(gone, HOUR)


def test_a_number_that_another_process_has_now_is_not_taken_for_the_old_one():
    reused = Pending("a/1", garbage("").host, f"{os.getpid()}:1")
    assert is_abandoned(reused, HOUR)


def test_another_hosts_ingest_is_given_time():
    there = Pending("a/1", "elsewhere", "12:34", HOUR)
    assert not is_abandoned(there, 2 * HOUR)
    assert is_abandoned(there, HOUR / 2)


def test_a_zombie_is_dead():
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    wait_until(lambda: process_identity(child.pid) is None)
    child.wait()


def test_the_sweep_takes_what_the_dead_left_and_nothing_else(catalogue, store, tmp_path):
    host = garbage("").host
    kept = written(tmp_path, "a/1")
    catalogue.reserve(Pending("a/1", host, process_identity(os.getpid())))
    there = written(tmp_path, "a/2")
    catalogue.reserve(Pending("a/2", "elsewhere", "1:1"))
    gone = written(tmp_path, "a/3")
    catalogue.reserve(Pending("a/3", host, dead_process()))
    catalogue.reserve(Pending("b/1", host, dead_process()))
    stranger = written(tmp_path, "c/1")
    sweep(catalogue, store)
    assert (kept.exists(), there.exists(), gone.exists(), stranger.exists()) == (
        True,
        True,
        False,
        True,
    )
    assert sorted(p.prefix for p in catalogue.pending()) == ["a/1", "a/2"]
    discard(catalogue, store, "a/1")
    assert not kept.exists()


class Unwritable:
    """A store whose files cannot be removed."""

    def remove(self, prefix):
        raise StorageError(f"{prefix} is on another disk")


def test_what_cannot_be_removed_stays_for_the_next_sweep(catalogue, store, tmp_path):
    left = written(tmp_path, "a/1")
    catalogue.reserve(Pending("a/1", garbage("").host, dead_process()))
    sweep(catalogue, Unwritable())
    assert [one.prefix for one in catalogue.pending()] == ["a/1"]
    sweep(catalogue, store)
    assert (left.exists(), list(catalogue.pending())) == (False, [])


def test_signs_of_life_are_given_until_the_block_ends(catalogue, monkeypatch):
    monkeypatch.setattr(pending, "_BEAT_S", 0.01)
    catalogue.reserve(garbage("a/1"))
    with catalogue.begin() as connection:
        connection.exec_driver_sql("UPDATE pending SET beat = beat - 1000")
    (quiet,) = catalogue.pending()
    assert quiet.quiet_s > HOUR / 4
    before = set(threading.enumerate())
    with alive(catalogue):
        started = set(threading.enumerate()) - before
        wait_until(lambda: next(iter(catalogue.pending())).quiet_s < HOUR / 4)
    assert started
    wait_until(lambda: not any(one.name.endswith("(_beat)") for one in started if one.is_alive()))


def test_a_catalogue_that_fails_ends_no_signs_of_life(catalogue, monkeypatch):
    monkeypatch.setattr(pending, "_BEAT_S", 0.01)
    beats = []

    def beat(*_who):
        beats.append(1)
        raise StorageError("the catalogue is away")

    monkeypatch.setattr(catalogue, "beat", beat)
    with alive(catalogue):
        wait_until(lambda: len(beats) > 1)


class TestWithoutProc:
    """Where the system has no /proc, a number has to do."""

    @pytest.fixture(autouse=True)
    def proc(self, monkeypatch, tmp_path):
        real = pending.Path
        monkeypatch.setattr(
            pending, "Path", lambda path: real(str(path).replace("/proc", str(tmp_path / "none")))
        )

    def test_a_process_is_known_by_its_number(self):
        assert process_identity(os.getpid()) == str(os.getpid())
        assert not is_abandoned(garbage("a/1"), 0)

    def test_a_process_of_somebody_else_is_alive(self, monkeypatch):
        def refuse(*_given):
            raise PermissionError

        monkeypatch.setattr(os, "kill", refuse)
        assert process_identity(1) == "1"

    def test_a_process_that_ended_is_gone(self):
        with subprocess.Popen([sys.executable, "-c", ""]) as child:
            pass
        assert process_identity(child.pid) is None

    def test_a_host_is_known_by_its_name(self):
        assert garbage("a/1").host == socket.gethostname()


def test_a_number_that_no_process_has_is_gone():
    assert process_identity(2**22 + 1) is None
