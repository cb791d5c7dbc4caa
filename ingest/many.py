"""Runs that are ingested one after another, or by several processes where there is enough to do."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from data_loaders.protocol import Bundle, LoadError
from data_loaders.reading.files import describe, is_gzip
from data_loaders.reading.limits import Limits
from data_loaders.registry import get_loader, limited
from ingest.one_run import Ingested, Request, ingest_run
from ingest.pool import Ended, Pool
from storage.errors import StorageError
from storage.pending import sweep
from storage.repository import Repository

WORTH_S = 3.0
"""Estimated seconds of processor from which processes pay: the first costs the imports once more."""
_RUN_S, _S_PER_MIB = 0.05, 0.04
_MODULES = ("ingest.many", "data_loaders.aie.trace")
"""Imported once for all processes: what every ingest needs."""


@dataclass(frozen=True)
class Terms:
    """What holds for all runs of an ingest (see `ingest.files.ingest`)."""

    places: Mapping[Path, str]
    defaults: Mapping[str, str]
    max_content_bytes: int
    limits: Limits


@dataclass(frozen=True)
class Task:
    """A run to ingest: the name of its loader, its files, and the settings that are its own."""

    loader: str
    bundle: Bundle
    settings: Mapping[str, str]
    content: str = ""
    """Hash of the content where another run of this ingest may have the same, so that they follow each other."""


@dataclass(frozen=True)
class Failure:
    """Why a run was not ingested, in a sentence; `storage` where the store failed, so that no other is tried."""

    reason: str
    storage: StorageError | None = None


Outcome = Ingested | Failure


@dataclass(frozen=True)
class Work:
    """What is done with each task, in this process or in another one; calling it never raises an Exception there."""

    repository: Repository
    terms: Terms

    def __call__(self, task: Task) -> Outcome:
        try:
            return self.outcome(task)
        except Exception as error:  # what nobody expects ends a process, and then nobody would know what it was
            return Failure(f"unexpected {type(error).__name__}: {error}")

    def outcome(self, task: Task) -> Outcome:
        """Ingest a run; raises only what nobody expects."""
        request = self._request(task)
        path, place = request.path, request.origin or str(request.path)
        try:
            return ingest_run(self.repository, request)
        except LoadError as error:
            reason = request.displayed(str(error).removeprefix(f"{path}: "))
            return Failure(reason.replace(path.name, Path(place).name))
        except StorageError as error:
            return Failure(error.public, error)
        except OSError as error:
            return Failure(f"cannot be read: {error.strerror or request.displayed(str(error))}")

    def _request(self, task: Task) -> Request:
        terms, reader = self.terms, limited(get_loader(task.loader), self.terms.limits)
        return Request(reader, task.bundle, terms.places, task.settings, terms.defaults, terms.max_content_bytes)


def outcomes(work: Work, tasks: Sequence[Task], processes: int, on_start: Callable[[int], None]) -> dict[int, Outcome]:
    """Return what became of each task by its index; those that were not tried are left out, as the store had failed."""
    several = min(processes, len(tasks))
    found: dict[int, Outcome] = {}
    done = _one_by_one(work, tasks, on_start)
    pool: Pool[Task, Outcome] | None = None
    if several > 1 and _estimated_s(tasks) >= WORTH_S:
        pool = Pool(work, several, _MODULES, _content, on_start)
        done = _pooled(work, pool, _in_order(tasks, work.terms.max_content_bytes))
    for index, outcome in done:
        found[index] = outcome
        if isinstance(outcome, Failure) and outcome.storage is not None:
            if pool is None:
                break
            pool.stop()
    return found


def _one_by_one(work: Work, tasks: Sequence[Task], on_start: Callable[[int], None]) -> Iterator[tuple[int, Outcome]]:
    for index, task in enumerate(tasks):
        on_start(index)
        yield index, work.outcome(task)


def _pooled(work: Work, pool: Pool[Task, Outcome], tasks: Sequence[Task]) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcomes; what a killed process left behind is removed at the end."""
    work.repository.catalogue.close()
    killed = False
    for index, result in pool.results(tasks):
        killed |= isinstance(result, Ended)
        yield index, Failure(f"the process that read it was {result.text}") if isinstance(result, Ended) else result
    if killed:
        sweep(work.repository.catalogue, work.repository.store, work.repository.stale_after_s)


def _content(task: Task) -> tuple[str, object]:
    return task.loader, task.content or task.bundle.primary


def _in_order(tasks: Sequence[Task], max_content_bytes: int) -> list[Task]:
    """Return the tasks with the hash of those whose content another one may have: the first of them names the run."""
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
    """Return the size of the content modulo 2^32, of a gzip file what its end says; -1 where it cannot be read."""
    try:
        if not is_gzip(path):
            return path.stat().st_size % 2**32
        with path.open("rb") as stream:
            stream.seek(-4, os.SEEK_END)
            return int.from_bytes(stream.read(4), "little")
    except OSError:
        return -1


def _estimated_s(tasks: Sequence[Task]) -> float:
    """Return about how much processor time the tasks take."""
    files = [path for task in tasks for path in (task.bundle.primary, *task.bundle.companions)]
    return _RUN_S * len(tasks) + _S_PER_MIB * sum(max(0, _size(path)) for path in files) / 2**20
