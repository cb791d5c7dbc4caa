"""What processes of a pool do in tests: functions that another process imports."""

import os
import signal
import time
from pathlib import Path

from ingest.processes import finish_before_end


def obey(task):
    """Do what a task (a word and a number) says; return its number and the process."""
    word, number = task
    if word == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
    if word == "exit":
        os._exit(3)
    if word == "slow":
        time.sleep(0.2)
    return number, os.getpid()


def wait_for_interrupt(folder):
    """Say that it began; where it is interrupted, say that it tidied up."""
    try:
        Path(folder, f"begun-{os.getpid()}").touch()
        time.sleep(60)
    except BaseException:
        Path(folder, f"tidy-{os.getpid()}").touch()
        raise


def append(task):
    """Note begin and end of a task in a file; where it has a line to wait for, it ends after that one, or a minute."""
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
    """Return what a file holds."""
    return Path(path).read_text(encoding="utf-8")


def finish_when_asked(folder):
    """Wait for the file `go` with a result that must not get lost: SIGTERM does not end the wait."""
    finish_before_end()
    Path(folder, "begun").touch()
    last = time.monotonic() + 60
    while not Path(folder, "go").exists() and time.monotonic() < last:
        time.sleep(0.01)
    return "stored"
