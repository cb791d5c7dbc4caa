"""Files are read in processes with limits: what a file does to its reader harms neither server nor other files."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from data_loaders.reading.limits import Limits
from ingest.bundles import LookAtFiles, Sighting, look_at_files
from ingest.inputs import Input, Skipped
from ingest.pool import Pool
from ingest.processes import Ended, WorkProcesses
from ingest.work import Failure, Outcome, Task, Work, over_memory, why_ended
from schema.sources import SOURCES

MODULES = ("ingest.isolation", "ingest.many", *(source.loader.partition(":")[0] for source in SOURCES))
"""Imported once for all processes that read."""
_READINGS = 4
"""An ingest may take so many times the time of its reader: a capture is read twice if its companion is bad, its machine
code decoded and its graphs drawn, each by a process with a limit of its own."""
_STORING_S = 60.0
"""Time in s that analysing and storing a run may take besides."""
_LOOK_S, _LOOK_S_PER_FILE = 60.0, 1.0
"""Time in s that the loaders may take to look at files."""


def reading_processes(limits: Limits) -> WorkProcesses:
    """Return a source of processes that read files under these limits."""
    return WorkProcesses(limits, MODULES)


def seconds_for(limits: Limits, task: Task) -> float:
    """Return the time in s that an ingest of the task's files may take."""
    sizes = [_size(path) for path in (task.bundle.primary, *task.bundle.companions)]
    return _READINGS * limits.clock(sum(sizes)) + _STORING_S


def make_look(source: WorkProcesses | None) -> LookAtFiles:
    """Make the function that looks at files: in the processes of `source`, in this process if there is no source."""
    return look_at_files if source is None else LookInProcess(source)


@dataclass(frozen=True)
class LookInProcess:
    """Looks at files in a process of `source`; a file that ends the process is skipped."""

    source: WorkProcesses

    def __call__(self, inputs: Sequence[Input], loader: str | None, places: Mapping[Path, str]) -> list[Sighting]:
        """Return a sighting of each file, in the order of the inputs."""
        sightings = self._look(list(inputs), loader, places)
        if isinstance(sightings, Failure):  # look at each file in a task of its own, to find the harmful files
            return [self._look_at_one(entry, loader, places) for entry in inputs]
        return sightings

    def _look_at_one(self, entry: Input, loader: str | None, places: Mapping[Path, str]) -> Sighting:
        sightings = self._look([entry], loader, places)
        if isinstance(sightings, Failure):
            return Sighting(skipped=Skipped(places.get(entry.path, str(entry.path)), sightings.reason))
        return sightings[0]

    def _look(self, inputs: list[Input], loader: str | None, places: Mapping[Path, str]) -> list[Sighting] | Failure:
        """Look at the files in one task; return a Failure if the process ended or lacked memory."""
        pool = Pool(_LookWork(loader, places), 1, source=self.source, seconds=_seconds_to_look)
        ((_, result),) = pool.results([inputs])
        if isinstance(result, Ended):
            return Failure("the process that looked at it ended")
        if result is None and self.source.limits is not None:
            return Failure(over_memory(self.source.limits))
        return result if result is not None else Failure("there is too little memory to look at it")


@dataclass(frozen=True)
class _LookWork:
    """The work of the process: it looks at the files of a task, and returns None if it lacks memory."""

    loader: str | None
    places: Mapping[Path, str]

    def __call__(self, inputs: list[Input]) -> list[Sighting] | None:
        try:
            return look_at_files(inputs, self.loader, self.places)
        except MemoryError:
            return None


def _seconds_to_look(inputs: list[Input]) -> float:
    return _LOOK_S + _LOOK_S_PER_FILE * len(inputs)


@dataclass(frozen=True)
class WorkOnWorker:
    """What a Dask worker does with a task: it has a process of its own read the files."""

    work: Work

    def __call__(self, task: Task) -> Outcome:
        """Ingest a run; raises only what nobody expects."""
        limits = self.work.terms.limits
        if multiprocessing.current_process().daemon:  # such a process may start no other one
            return self.work(task)
        work = replace(self.work, terms=replace(self.work.terms, isolated=True))
        pool = Pool(work, 1, source=_processes_of_worker(limits), seconds=lambda task: seconds_for(limits, task))
        ((_, result),) = pool.results([task])
        return Failure(why_ended(limits, result)) if isinstance(result, Ended) else result


@cache
def _processes_of_worker(limits: Limits) -> WorkProcesses:
    return reading_processes(limits)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
