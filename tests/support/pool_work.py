"""Functions for the processes of a pool, which another process imports."""

import os
import signal
import time
from pathlib import Path

from ingest.processes import finish_before_end


def obey(task):
    """Do the task (word, number), and return (number, process id)."""
    word, number = task
    if word == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
    if word == "exit":
        os._exit(3)
    if word == "fork" and os.fork():  # the copy ends after its result
        os.wait()
    if word == "slow":
        time.sleep(0.2)
    return number, os.getpid()


def wait_for_interrupt(folder):
    """Create a file `begun-PID`, sleep for a minute, and create `tidy-PID` if the sleep is
    interrupted.
    """
    try:
        Path(folder, f"begun-{os.getpid()}").touch()
        time.sleep(60)
    except BaseException:
        Path(folder, f"tidy-{os.getpid()}").touch()
        raise


def append(task):
    """Write a line to a file at the begin and at the end of a task; a task with a line to wait for
    ends after that line appears, or after a minute.
    """
    path, number, awaited = task
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"begin {number}\n")
    last = time.monotonic() + 60
    while (
        awaited
        and awaited not in Path(path).read_text(encoding="utf-8")
        and time.monotonic() < last
    ):
        time.sleep(0.01)
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"end {number}\n")


def content_of(path):
    """Read a file."""
    return Path(path).read_text(encoding="utf-8")


def finish_when_asked(folder):
    """Wait for the file `go` while holding a result that must not be lost: SIGTERM does not end the
    wait.
    """
    finish_before_end()
    Path(folder, "begun").touch()
    last = time.monotonic() + 60
    while not Path(folder, "go").exists() and time.monotonic() < last:
        time.sleep(0.01)
    return "stored"
