"""Ingest runs on the workers of a Dask scheduler; files reach the workers through the store."""

from __future__ import annotations

from dataclasses import dataclass, replace

from data_loaders.protocol import LoadError
from ingest.isolation import WorkOnWorker
from ingest.scheduler import Workers
from ingest.staging import StagedFile, fetch_copies, stage, unstage
from ingest.work import Failure, Outcome, Task, Work
from storage.errors import StorageError


@dataclass(frozen=True)
class StagedTask:
    """A task whose files were copied to the store; `problem` if that failed."""

    task: Task
    prefix: str = ""
    files: tuple[StagedFile, ...] = ()
    problem: Failure | None = None


@dataclass(frozen=True)
class RemoteWork:
    """Work of a Dask worker: it downloads the files of a task and ingests them like local files."""

    work: Work

    def __call__(self, staged: StagedTask) -> Outcome:
        """Ingest the run of a staged task from downloaded copies; expected errors become a Failure.

        Raises only unexpected errors.
        """
        if staged.problem is not None:
            return staged.problem
        store = self.work.repository.store
        bundle = staged.task.bundle
        terms = self.work.terms
        originals = (bundle.primary, *bundle.companions)
        try:
            with fetch_copies(store, staged.files) as copies:
                pairs = list(zip(copies, originals, staged.files, strict=True))
                places = {copy: terms.places.get(path, str(path)) for copy, path, _ in pairs}
                times = {
                    copy: file.modified_s for copy, path, file in pairs if path not in terms.places
                }
                work = replace(self.work, terms=replace(terms, places=places, modified=times))
                copied = replace(bundle, primary=copies[0], companions=tuple(copies[1:]))
                return WorkOnWorker(work)(replace(staged.task, bundle=copied))
        except StorageError as error:
            return Failure(error.public, error)


class RemoteWorkers(Workers[Task, Outcome]):
    """The workers of a scheduler, which receive staged tasks."""

    def __init__(self, address: str, work: Work, **more: object) -> None:
        super().__init__(address, RemoteWork(work), **more)  # type: ignore[arg-type]
        self._own = work.repository

    def payload(self, task: Task) -> StagedTask:
        """Copy the files of a task to the store and return the staged task.

        If a file cannot be read, the staged task has the Failure as `problem` and no files. Raises
        StorageError if the store fails.
        """
        try:
            prefix, files = stage(
                self._own.catalogue, self._own.store, (task.bundle.primary, *task.bundle.companions)
            )
        except LoadError as error:
            return StagedTask(task, problem=Failure(str(error)))
        except OSError as error:
            return StagedTask(task, problem=Failure(f"cannot be read: {error.strerror or error}"))
        return StagedTask(task, prefix, tuple(files))

    def let_go(self, payload: StagedTask) -> None:
        """Remove the copies of a staged task's files from the store, if there are any."""
        if payload.prefix:
            unstage(self._own.catalogue, self._own.store, payload.prefix)
