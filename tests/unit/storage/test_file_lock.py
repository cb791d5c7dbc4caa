"""A lock is held by one process or thread at a time, and waiting for it has an end."""

import os
from multiprocessing import get_context

import pytest

from storage.file_lock import hold_lock
from tests.support.waiting import PATIENCE_S

LOCKS = 4


def note_turn(folder, log, max_wait_s):
    """Hold the lock for a while, as another process does; log its beginning and end."""
    with hold_lock(folder, "page", LOCKS, max_wait_s), log.open("a", buffering=1) as lines:
        lines.write("begin\n")
        for _ in range(200):
            os.sched_yield()
        lines.write("end\n")


@pytest.mark.slow
@pytest.mark.parametrize("max_wait_s", [None, PATIENCE_S])
def test_processes_hold_a_lock_one_after_the_other(tmp_path, max_wait_s):
    context = get_context("fork")
    log = tmp_path / "log"
    given = (tmp_path / "locks", log, max_wait_s)
    holders = [context.Process(target=note_turn, args=given) for _ in range(4)]
    for holder in holders:
        holder.start()
    for holder in holders:
        holder.join(PATIENCE_S)
    assert log.read_text().split() == ["begin", "end"] * 4


def test_who_has_waited_long_enough_goes_on_without_the_lock(tmp_path):
    turns = []
    with hold_lock(tmp_path, "page", LOCKS), hold_lock(tmp_path, "page", LOCKS, 0):
        turns.append("both")
    assert turns == ["both"]


def test_names_share_a_bounded_number_of_files(tmp_path):
    for number in range(40):
        with hold_lock(tmp_path / "locks", f"{number}", LOCKS, 0):
            pass
    assert 1 < len([*(tmp_path / "locks").iterdir()]) <= LOCKS


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError), hold_lock(tmp_path / "file" / "locks", "page", LOCKS, 0):
        pass
