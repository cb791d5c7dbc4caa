"""Ingest many runs: in this process, in several processes if there is enough work, or on Dask
workers.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from data_loaders.protocol import LoadError
from data_loaders.reading.files import describe, is_gzip
from ingest.cancel import CANCELLED, IsCancelled, never
from ingest.isolation import MODULES, compute_time_limit
from ingest.pool import Pool
from ingest.processes import Ended, WorkProcesses
from ingest.remote import RemoteWorkers
from ingest.steps import ProgressListener
from ingest.work import Failure, Outcome, Task, Work, why_ended
from storage.pending import sweep

MIN_PARALLEL_S = 3.0
"""Estimated processor time in s from which several processes are used: the first repeats all
imports.
"""
_RUN_S, _S_PER_MIB = 0.05, 0.04


class Executor(Protocol):
    """Local or remote processes that execute tasks."""

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Outcome | Ended]]:
        """Yield (index, result) of each task when it is done, in any order.

        Ended if its process ended before.
        """

    def stop(self) -> None:
        """Begin no further tasks; tasks that have begun are finished."""


@dataclass(frozen=True)
class Readers:
    """The processes that read: workers of the Dask `scheduler` if there is one, else up to
    `processes` processes of `source`; without a source new processes, or this process.

    Once `is_cancelled` returns True, no further run is read; only processes of a `source` are also
    ended.
    """

    processes: int = 1
    scheduler: str = ""
    source: WorkProcesses | None = None
    is_cancelled: IsCancelled = never


def outcomes(
    work: Work, tasks: Sequence[Task], steps: ProgressListener, readers: Readers
) -> dict[int, Outcome]:
    """Ingest the runs of all tasks and map the index of each task to its outcome: the run, or the
    reason why it failed.

    Tasks are missing if the store failed before they began, if `steps` ended the ingest, or if the
    user cancelled it. Several processes are used if there is enough work. Raises SchedulerError if
    the scheduler or its workers are missing or disappear.
    """
    source, is_cancelled = readers.source, readers.is_cancelled
    is_much = readers.processes > 1 and _estimated_s(tasks) >= MIN_PARALLEL_S
    several = min(readers.processes, len(tasks)) if is_much else 1
    results: dict[int, Outcome] = {}
    executor: Executor | None = None
    if readers.scheduler and tasks:
        executor = RemoteWorkers(readers.scheduler, work, key=_content, on_start=steps.on_begin)
    elif source is not None and tasks:
        limits = work.terms.limits
        isolated = replace(work, terms=replace(work.terms, isolated=True))
        seconds = partial(compute_time_limit, limits)
        executor = Pool(
            isolated, several, MODULES, _content, steps.on_begin, source, seconds, is_cancelled
        )
    elif several > 1:
        executor = Pool(work, several, MODULES, _content, steps.on_begin)
    done = (
        _one_by_one(work, tasks, steps, is_cancelled)
        if executor is None
        else _execute(executor, work, tasks, is_cancelled)
    )
    for index, outcome in done:
        results[index] = outcome
        failure = outcome if isinstance(outcome, Failure) else None
        goes_on = steps.on_end(index, failure.reason if failure else None)
        if not goes_on or (failure and failure.storage is not None):
            if executor is None:
                break
            executor.stop()
    return results


def _one_by_one(
    work: Work, tasks: Sequence[Task], steps: ProgressListener, is_cancelled: IsCancelled
) -> Iterator[tuple[int, Outcome]]:
    for index, task in enumerate(tasks):
        if is_cancelled():
            return
        steps.on_begin(index)
        yield index, work.outcome(task)


def _execute(
    executor: Executor, work: Work, tasks: Sequence[Task], is_cancelled: IsCancelled
) -> Iterator[tuple[int, Outcome]]:
    """Yield (index, outcome) of the tasks that an executor does.

    The end of a process becomes a Failure. The remains of killed processes are removed at the end.
    """
    work.repository.catalogue.close()
    killed = False
    for index, result in executor.results(_add_hashes(tasks, work.terms.max_content_bytes)):
        if not isinstance(result, Ended):
            yield index, result
            continue
        killed = True
        reason = CANCELLED if is_cancelled() else why_ended(work.terms.limits, result)
        yield index, Failure(reason)
    if killed:
        sweep(work.repository.catalogue, work.repository.store, work.repository.stale_after_s)


def _content(task: Task) -> tuple[str, object]:
    return task.loader, task.content or task.bundle.primary


def _add_hashes(tasks: Sequence[Task], max_content_bytes: int) -> list[Task]:
    """Return the tasks in order.

    Tasks whose primary file has the size of another task's get the hash of their content ("" if
    unreadable). Tasks with an equal hash are executed one after another, so that the first of them
    names the run.
    """
    sizes = [_size(task.bundle.primary) for task in tasks]
    often = Counter(sizes)
    return [
        Task(task.loader, task.bundle, task.settings, _hash(task.bundle.primary, max_content_bytes))
        if often[size] > 1
        else task
        for task, size in zip(tasks, sizes, strict=True)
    ]


def _hash(path: Path, max_content_bytes: int) -> str:
    with suppress(LoadError, OSError):
        return describe(path, max_content_bytes).sha256
    return ""


def _size(path: Path) -> int:
    """Return the size of the content in bytes modulo 2^32; -1 if the file cannot be read.

    A gzip file stores this number in its last four bytes, so that it need not be decompressed.
    """
    try:
        if not is_gzip(path):
            return path.stat().st_size % 2**32
        with path.open("rb") as stream:
            stream.seek(-4, os.SEEK_END)
            return int.from_bytes(stream.read(4), "little")
    except OSError:
        return -1


def _estimated_s(tasks: Sequence[Task]) -> float:
    """Estimate the processor time of the tasks in s: 0.05 s per task and 0.04 s per MiB of its
    files.

    Unreadable files count as empty.
    """
    files = [path for task in tasks for path in (task.bundle.primary, *task.bundle.companions)]
    return _RUN_S * len(tasks) + _S_PER_MIB * sum(max(0, _size(path)) for path in files) / 2**20
