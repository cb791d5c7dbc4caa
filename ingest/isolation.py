"""Read files in processes with limits, so that a harmful file affects neither the server nor other
files.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from data_loaders.reading.limits import Limits
from ingest.bundles import LookAtFiles, Sighting, look_at_files
from ingest.cancel import IngestCancelledError, IsCancelled, never
from ingest.inputs import Input, Skipped
from ingest.pool import Pool
from ingest.processes import Ended, WorkProcesses
from ingest.work import Failure, Outcome, Task, Work, over_memory, why_ended
from schema.sources import SOURCES

FEW_MODULES = (
    "ingest.isolation",
    "ingest.many",
    # The embedded store, which the process and its copies open one after the other.
    "storage.folder_files",
    "sqlalchemy.dialects.sqlite",
)
"""Modules of a reading process for any source; it imports the loaders that it uses."""
_FAMILIES = (
    "analysis.aie.derive",
    "analysis.aie.headline",
    "analysis.aie.pace.record",
    "analysis.kernels.headline",
    "analysis.memory.derive",
    "analysis.memory.large_maps",
    "ingest.graph_snapshots",
)
"""Analyses of the families, which an ingest imports if a run needs them."""
MODULES = (
    *FEW_MODULES,
    *_FAMILIES,
    *(source.loader.partition(":")[0] for source in SOURCES),
    # Their loaders import them to load a file.
    "data_loaders.onnxruntime.run",
    "data_loaders.tpu_mlir.runs",
)
"""Modules that are imported once for all reading processes."""
_READINGS = 4
"""Factor between the time limit of an ingest and that of its reader.

A capture is read twice if its companion is bad, and its machine code is decoded and its graphs are
computed by further processes, each of which has its own limit.
"""
_STORING_S = 60.0
"""Additional time in s to analyse and store a run."""
_LOOK_S, _LOOK_S_PER_FILE = 60.0, 1.0
"""Time limits in s to find the loaders of files: in total, and per file."""


def reading_processes(limits: Limits, modules: Sequence[str] = MODULES) -> WorkProcesses:
    """Create a source of processes that read files within these limits.

    It starts them when they are needed. `modules` are imported once for all of them.
    """
    return WorkProcesses(limits, modules)


def compute_time_limit(limits: Limits, task: Task) -> float:
    """Compute the time limit in s for the ingest of a task's files: 4 times the reader's limit and
    60 s.

    Missing files count as empty.
    """
    sizes = [_size(path) for path in (task.bundle.primary, *task.bundle.companions)]
    return _READINGS * limits.clock(sum(sizes)) + _STORING_S


def make_look(source: WorkProcesses | None, is_cancelled: IsCancelled = never) -> LookAtFiles:
    """Return the function that finds the loaders of files, called as `look_at_files`.

    It works in processes of `source`, or in this process if that is `None`. Processes are ended,
    and the function raises IngestCancelledError, if the user cancels.
    """
    return look_at_files if source is None else LookInProcess(source, is_cancelled)


@dataclass(frozen=True)
class LookInProcess:
    """Finds the loaders of files in a process of `source`; a file that ends the process is skipped."""

    source: WorkProcesses
    is_cancelled: IsCancelled = never

    def __call__(
        self, inputs: Sequence[Input], loader: str | None, places: Mapping[Path, str]
    ) -> list[Sighting]:
        """Find the loader and the bundle of each file, in the order of the inputs, like
        `look_at_files`.

        Files that end the process are skipped with a reason.
        """
        sightings = self._look(list(inputs), loader, places)
        if isinstance(sightings, Failure):  # a task per file finds the harmful files
            return [self._look_at_one(entry, loader, places) for entry in inputs]
        return sightings

    def _look_at_one(
        self, entry: Input, loader: str | None, places: Mapping[Path, str]
    ) -> Sighting:
        sightings = self._look([entry], loader, places)
        if isinstance(sightings, Failure):
            return Sighting(
                skipped=Skipped(places.get(entry.path, str(entry.path)), sightings.reason)
            )
        return sightings[0]

    def _look(
        self, inputs: list[Input], loader: str | None, places: Mapping[Path, str]
    ) -> list[Sighting] | Failure:
        """Find the loaders of the files in one task.

        Returns a Failure if the process ended or lacked memory. Raises IngestCancelledError.
        """
        pool = Pool(
            _LookWork(loader, places),
            1,
            source=self.source,
            seconds=_seconds_to_look,
            is_cancelled=self.is_cancelled,
        )
        results = [result for _, result in pool.results([inputs])]
        if self.is_cancelled():
            raise IngestCancelledError
        (result,) = results
        if isinstance(result, Ended):
            return Failure("the process that examined it ended")
        if result is None and self.source.limits is not None:
            return Failure(over_memory(self.source.limits))
        return result if result is not None else Failure("there is too little memory to examine it")


@dataclass(frozen=True)
class _LookWork:
    """Work of the process: it finds the loaders of a task's files, and returns None if it lacks
    memory.
    """

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
    """Work of a Dask worker: it ingests a task's files in a separate process with limits."""

    work: Work

    def __call__(self, task: Task) -> Outcome:
        """Ingest a run in a process of its own.

        Expected errors, and the end of the process, become a Failure. Raises only unexpected
        errors.
        """
        limits = self.work.terms.limits
        if multiprocessing.current_process().daemon:  # a daemon process may not start processes
            return self.work(task)
        work = replace(self.work, terms=replace(self.work.terms, isolated=True))
        pool = Pool(
            work,
            1,
            source=_processes_of_worker(limits),
            seconds=lambda task: compute_time_limit(limits, task),
        )
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
