"""What jobs do: a record per kind says which tasks there are and what is done with one."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ingest.refresh import refresh
from services.deletion import delete_run
from storage.errors import RunNotFound, RunPinned, StorageError
from storage.jobs import Job
from storage.repository import Repository
from storage.retention import outdated

INGEST = "ingest"
"""Kind of the jobs that a command hands out itself, as the files lie where it runs."""


@dataclass(frozen=True)
class Done:
    """What came of a task; `where` is the machine and process that did it."""

    failed: bool
    answer: Mapping[str, Any]


@dataclass(frozen=True)
class Derive:
    """Makes the numbers of a run anew from its stored frames."""

    repository: Repository

    def __call__(self, run_id: str) -> Done:
        """Derive one run; one that was deleted meanwhile is passed over."""
        found = next(refresh(self.repository, [run_id]), None)
        if found is None:
            return _done("deleted")
        return _done(found.status, found.reason)


@dataclass(frozen=True)
class Retain:
    """Deletes a run that a rule of retention named."""

    repository: Repository
    user: str

    def __call__(self, run_id: str) -> Done:
        """Delete one run, unless it was pinned meanwhile."""
        try:
            delete_run(self.repository, run_id, self.user, "retention")
        except RunNotFound:
            return _done("deleted")
        except RunPinned:
            return _done("pinned")
        except StorageError as error:
            return _done("failed", error.public)
        return _done("deleted")


@dataclass(frozen=True)
class Kind:
    """A kind of job: its tasks by its arguments, and what is done with each."""

    tasks: Callable[[Repository, Mapping[str, Any]], Sequence[str]]
    work: Callable[[Repository, Job], Callable[[str], Done]]


def _derive_tasks(repository: Repository, arguments: Mapping[str, Any]) -> Sequence[str]:
    named = arguments.get("runs")
    return [run.run_id for run in repository.catalogue.each()] if named is None else list(dict.fromkeys(named))


def _retain_tasks(repository: Repository, arguments: Mapping[str, Any]) -> Sequence[str]:
    return outdated(repository.catalogue, int(arguments["keep_last"]), list(arguments["by"]))


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "derive": Kind(_derive_tasks, lambda repository, _job: Derive(repository)),
        "retention": Kind(_retain_tasks, lambda repository, job: Retain(repository, job.created_by)),
    }
)
"""Kinds that a server hands out."""


def _done(status: str, reason: str = "") -> Done:
    answer = {"status": status, "where": f"{socket.gethostname()} {os.getpid()}"}
    return Done(status == "failed", answer | ({"reason": reason} if reason else {}))
