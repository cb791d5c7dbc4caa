"""A task of an ingest and its execution, in this process, in another process, or on another
machine.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from data_loaders.protocol import Bundle, LoadError
from data_loaders.reading.limits import Limits, release_reserve
from data_loaders.registry import get_loader, limit_loader
from ingest.one_run import ingest_run
from ingest.processes import Ended
from ingest.request import Ingested, Request
from storage.audit import Action, Audit
from storage.errors import StorageError
from storage.repository import Repository

_NO_ROOM_FOR_THREAD = "can't start new thread"
"""Message of Python's error if there is no memory for the stack of a thread."""


@dataclass(frozen=True)
class Author:
    """User and action of an ingest, as recorded in the audit log."""

    user: str
    action: Action = "ingest"


@dataclass(frozen=True)
class Terms:
    """Options that apply to all runs of an ingest (see `ingest.files.ingest`)."""

    places: Mapping[Path, str]
    defaults: Mapping[str, str]
    max_content_bytes: int
    limits: Limits
    author: Author | None = None
    modified: Mapping[Path, float] = field(default_factory=dict)
    """Copy -> time of its original's last change, in seconds since 1970."""
    isolated: bool = False
    """Whether the process only reads files, so that it may set `limits` for itself."""


@dataclass(frozen=True)
class Task:
    """A run to ingest: name of the loader, files, and settings."""

    loader: str
    bundle: Bundle
    settings: Mapping[str, str]
    content: str = ""
    """Hash of the content if another task may have the same content, so that they run one after
    another.
    """


@dataclass(frozen=True)
class Failure:
    """The reason why a run was not ingested; `storage` is set if the store failed, which ends the
    ingest.
    """

    reason: str
    storage: StorageError | None = None


Outcome = Ingested | Failure


def over_memory(limits: Limits) -> str:
    """Format the reason why a file was not read if it needs more memory than the limit, as the end
    of a sentence about the file.
    """
    return f"it needs more than the {limits.memory_mb} MiB available to its reader (setting reader_memory_mb)"


def why_ended(limits: Limits, ended: Ended) -> str:
    """Format the reason why a file was not read if its reading process ended (time, signal or exit
    code), as the end of a sentence.
    """
    if ended.after_s is not None:
        return f"reading it took more than {ended.after_s:g} s (settings reader_clock_s and reader_clock_s_per_mb)"
    if -ended.code == signal.SIGXCPU:
        return (
            f"reading it took more than {limits.processor_s:g} s of processor time and {limits.processor_s_per_mb:g} s "
            "for each MiB (settings reader_processor_s and reader_processor_s_per_mb)"
        )
    if -ended.code == signal.SIGABRT:  # native code aborts if an allocation fails
        return f"its reader stopped, possibly because {over_memory(limits)}"
    return f"the process that read it was {ended.text}"


@dataclass(frozen=True)
class Work:
    """The function that executes tasks in any process; calling it never raises an Exception."""

    repository: Repository
    terms: Terms

    def __call__(self, task: Task) -> Outcome:
        try:
            return self.outcome(task)
        except (
            Exception
        ) as error:  # an uncaught error would end the process, and its message would be lost
            return Failure(f"unexpected {type(error).__name__}: {error}")

    def outcome(self, task: Task) -> Outcome:
        """Ingest a run.

        Expected errors of loader, files, store and memory become a Failure with the reason. Raises
        only unexpected errors.
        """
        request = self._request(task)
        path = request.path
        place = request.origin or str(path)
        try:
            ingested = ingest_run(self.repository, request)
            self._record(ingested, place)
            return ingested
        except LoadError as error:
            reason = request.display_text(str(error).removeprefix(f"{path}: "))
            return Failure(reason.replace(path.name, Path(place).name))
        except StorageError as error:
            return Failure(error.public, error)
        except OSError as error:
            return Failure(f"cannot be read: {error.strerror or request.display_text(str(error))}")
        except MemoryError:
            return Failure(self._lack_of_memory())
        except RuntimeError as error:
            if str(error) != _NO_ROOM_FOR_THREAD:
                raise
            return Failure(self._lack_of_memory())

    def _lack_of_memory(self) -> str:
        if not self.terms.isolated:
            return "it needs more memory than is available"
        release_reserve()
        return over_memory(self.terms.limits)

    def _record(self, ingested: Ingested, place: str) -> None:
        author = self.terms.author
        if author is not None and ingested.status != "unchanged":
            audit = Audit(self.repository.catalogue)
            audit.add(
                author.user, author.action, ingested.stored.run_id, f"{ingested.status}: {place}"
            )

    def _request(self, task: Task) -> Request:
        terms = self.terms
        reader = limit_loader(get_loader(task.loader), terms.limits)
        changed = terms.modified.get(task.bundle.primary)
        own = (
            reader,
            task.bundle,
            terms.places,
            task.settings,
            terms.defaults,
            terms.max_content_bytes,
        )
        limits = terms.limits if terms.isolated else None
        return Request(*own, changed, terms.author.user if terms.author else "", limits)
