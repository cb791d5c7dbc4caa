"""Running searches, at most one per user, each in a process with hard limits; every process of a
machine can see them.

A search is a folder named after its user. The server that creates the folder owns the search: one
of its threads starts the process, which runs all tasks of the search one after another, touches
`beat` while it waits, and finally removes the folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.allocators.compiler import is_prepared
from analysis.allocators.listed import LISTED
from analysis.allocators.placement import Improvement
from analysis.allocators.problem import Problem
from services.lab.beat import BEAT, is_stale
from services.lab.group_searches import GroupSearches
from services.lab.warm_process import WarmProcess
from services.run.placement_files import (
    ANSWER,
    PROGRESS,
    STOP,
    TASK,
    read_json,
    write_json,
    write_problem,
)
from services.run.placement_question import LabQuestion
from services.run.placements import LabPlacements

MAX_SEARCHES = 4
"""Maximum number of searches on a machine, of all users."""
MAX_LIST_S = 900.0
"""Seconds on the clock after which no further task of a list begins."""
_STATE, _COMPLAINTS = "state.json", "complaints"
_POLL_S, _GRACE_S = 0.1, 1.5
"""Seconds between two checks of the process, and seconds until a cancelled process is killed."""
_START_S = 90.0
"""Seconds on the clock for the start and compiling, or waiting for another process that compiles,
in addition to the search."""
_LOG = logging.getLogger("tilescope")


class BusyError(Exception):
    """No search can begin now; the message is a sentence for the user."""


@dataclass(frozen=True)
class Task:
    """A question about a run with the problem to place, and the bytes above the constants that it
    must fit into (`room`).

    `stored` has the file's address of each storage if the question is which placements move few
    bytes, else `None`.
    """

    run_id: str
    question: LabQuestion
    problem: Problem
    room: int | None
    stored: Sequence[int] | None = None


@dataclass(frozen=True)
class Running:
    """Progress of a search: `rank` of `total` strategies, and the result of the current strategy so
    far.

    `doing` is a sentence if it does something else, such as compiling, else "". `key` identifies
    the problem. `extent` and `bound` are in bytes.
    """

    key: str
    run_id: str
    strategy: str
    rank: int
    total: int
    doing: str
    effort: int
    seconds: float
    extent: int | None
    bound: int | None
    trace: tuple[Improvement, ...]
    stopping: bool


class Searches:
    """Searches of at most `seconds` and `memory_mb` each; their placements are cached in files."""

    def __init__(self, folder: Path, seconds: float, memory_mb: int) -> None:
        self.seconds, self._memory_mb = seconds, memory_mb
        self._folder = folder / "running"
        self.placements = LabPlacements(folder / "answers")
        self.groups = GroupSearches(folder, memory_mb)

    def start(self, user: str, tasks: Sequence[Task]) -> None:
        """Begin to search, task by task, on a thread, and return immediately.

        Raises BusyError if the user has a search, or the machine MAX_SEARCHES (4). A task that
        fails does not end the following tasks. After MAX_LIST_S (900 s) no further task begins.
        """
        folder = self._claim_folder(user)
        try:
            self._failure(user).unlink(missing_ok=True)
            self._describe(folder, tasks, 0)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        # The thread must live as long as the process: Linux kills the child when the thread that
        # started it ends.
        threading.Thread(
            target=self._run, args=(user, tasks, folder), name="lab", daemon=True
        ).start()

    def running(self, user: str) -> Running | None:
        """Return the progress of a user's search; `None` if none is running or its server is gone."""
        folder = self._of(user)
        state = read_json(folder / _STATE)
        if state is None or is_stale(folder):
            return None
        progress = read_json(folder / PROGRESS) or {}
        return Running(
            **state,
            doing=str(progress.get("doing", "")),
            effort=int(progress.get("effort", 0)),
            seconds=float(progress.get("seconds", 0.0)),
            extent=progress.get("extent"),
            bound=progress.get("bound"),
            trace=tuple(Improvement(**step) for step in progress.get("trace", ())),
            stopping=(folder / STOP).exists(),
        )

    def failure(self, user: str, key: str) -> str:
        """Return why a user's last search failed, if it was for the problem `key`; else ""."""
        last = read_json(self._failure(user)) or {}
        return str(last.get("sentence", "")) if last.get("key") == key else ""

    def cancel(self, user: str) -> None:
        """Request that a user's search stops, if there is one. If it does not stop within 1.5 s,
        its process is killed.
        """
        with contextlib.suppress(OSError):
            (self._of(user) / STOP).touch()

    def _of(self, user: str) -> Path:
        # A user name may contain any character, so that only its hash is a safe file name.
        return self._folder / hashlib.sha256(user.encode()).hexdigest()[:24]

    def _failure(self, user: str) -> Path:
        return self._of(user).with_suffix(".json")

    def _claim_folder(self, user: str) -> Path:
        """Create and return the folder of a user's new search.

        Raises BusyError if the machine has MAX_SEARCHES (4) searches or the user has one.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        for other in self._folder.iterdir():
            if other.is_dir() and is_stale(other):
                shutil.rmtree(other, ignore_errors=True)
        running = [other for other in self._folder.iterdir() if other.is_dir() and not other.suffix]
        if len(running) >= MAX_SEARCHES:
            raise BusyError(
                f"{MAX_SEARCHES} searches are running on this server: try again when a search has ended"
            )
        folder = self._of(user)
        try:
            # mkdir is atomic: of several servers only one gets the search of a user
            folder.mkdir()
        except FileExistsError as error:
            raise BusyError("your search is still running: wait for it, or cancel it") from error
        (folder / BEAT).touch()
        return folder

    def _describe(self, folder: Path, tasks: Sequence[Task], rank: int) -> None:
        """Write the input of the process for the task at position `rank`."""
        task = tasks[rank]
        for name in (ANSWER, PROGRESS):
            (folder / name).unlink(missing_ok=True)
        question = task.question
        write_problem(folder, task.problem)
        settings = {
            "strategy": question.strategy,
            "seed": question.seed,
            "effort": question.effort,
            "room": task.room,
        }
        settings |= {} if task.stored is None else {"stored": list(task.stored)}
        write_json(
            folder / TASK, settings | {"seconds": self.seconds, "memory_mb": self._memory_mb}
        )
        state = {"key": question.problem.key, "run_id": task.run_id, "strategy": question.strategy}
        write_json(folder / _STATE, state | {"rank": rank, "total": len(tasks)})

    def _run(self, user: str, tasks: Sequence[Task], folder: Path) -> None:
        ends = time.monotonic() + MAX_LIST_S
        complaints = (folder / _COMPLAINTS).open("wb")
        processes: dict[bool, WarmProcess] = {}
        task = tasks[0]
        try:
            for rank, task in enumerate(tasks):
                if rank and time.monotonic() > ends:
                    self._record_failure(
                        user,
                        task,
                        f"{MAX_LIST_S:.0f} s passed before it could start; start it again",
                    )
                    break
                if rank:
                    self._describe(folder, tasks, rank)
                # A strategy with a single layout is faster interpreted than compiled, if it would
                # have to be compiled first.
                compiler = is_prepared() or not _is_single(task.question.strategy)
                if compiler in processes and processes[compiler].has_ended:
                    processes.pop(compiler).close()
                if compiler not in processes:
                    processes[compiler] = WarmProcess(complaints, compiler=compiler)
                self._run_task(user, task, folder, processes[compiler])
                if (folder / STOP).exists():
                    break
        except Exception:
            _LOG.exception("a search of run %s", task.run_id)
            self._record_failure(
                user, task, "it failed unexpectedly; the server log has the reason"
            )
        finally:
            for process in processes.values():
                process.close()
            complaints.close()
            _remove_folder(folder)

    def _run_task(self, user: str, task: Task, folder: Path, process: WarmProcess) -> None:
        """Run a task in the process, and cache its placement or record the reason of its
        failure.
        """
        code = self._wait(folder, process)
        result: dict[str, Any] | None = read_json(folder / ANSWER)
        if result is not None and "points" in result:
            self.placements.keep_front(task.question, result["points"])
            return
        if result is not None and "failed" not in result:
            self.placements.keep(task.question, result)
            return
        if result is None and (folder / STOP).exists():
            sentence = "it was cancelled before it had a result"
        else:
            sentence = str(result["failed"]) if result else _ending(code, folder)
        self._record_failure(user, task, sentence)

    def _record_failure(self, user: str, task: Task, sentence: str) -> None:
        record = {
            "key": task.question.problem.key,
            "sentence": f"{task.question.strategy}: {sentence}",
        }
        with contextlib.suppress(OSError):
            write_json(self._failure(user), record)

    def _wait(self, folder: Path, process: WarmProcess) -> int:
        """Run the search of the folder in the process; return its exit code.

        It is killed _GRACE_S (1.5 s) after a cancellation, or at the end of its time.
        """
        process.begin(folder)
        ends = time.monotonic() + self.seconds + _START_S
        stopped = False
        while (code := process.wait(_POLL_S)) is None:
            with contextlib.suppress(OSError):
                (folder / BEAT).touch()
            if not stopped and (folder / STOP).exists():
                stopped = True
                ends = time.monotonic() + _GRACE_S
            if time.monotonic() > ends:
                process.kill()
        return code


def _remove_folder(folder: Path) -> None:
    """Remove the folder of a search that is over.

    It is renamed first, which is atomic: once `running` returns `None`, the user can start the next
    search.
    """
    ended = folder.with_suffix(f".{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):
        folder.rename(ended)
    shutil.rmtree(ended, ignore_errors=True)


def _is_single(strategy: str) -> bool:
    return strategy in LISTED and LISTED[strategy].is_single


def _ending(code: int, folder: Path) -> str:
    """Return a sentence with the reason why a process ended without a result, by its exit code; its
    error output is logged.
    """
    with contextlib.suppress(OSError):
        text = (folder / _COMPLAINTS).read_text(encoding="utf-8", errors="replace")
        _LOG.warning("a search ended with %d: %s", code, ascii(text[-2000:]))
    if -code == signal.SIGXCPU:
        return "it exceeded its limit of processor time"
    if -code == signal.SIGKILL:
        return "it exceeded its limit of time or memory and was stopped"
    return "it failed; the server log has the reason"
