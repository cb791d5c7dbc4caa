import os
import subprocess
import sys
import time

import pytest

from storage.catalogue import Catalogue, Pending
from storage.frame_store import FrameStore
from storage.pending import discard, garbage, is_abandoned, process_identity, reservation, sweep

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
    deadline = time.monotonic() + 20
    while process_identity(child.pid) is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert process_identity(child.pid) is None
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
    assert (kept.exists(), there.exists(), gone.exists(), stranger.exists()) == (True, True, False, True)
    assert sorted(p.prefix for p in catalogue.pending()) == ["a/1", "a/2"]
    discard(catalogue, store, "a/1")
    assert not kept.exists()
