"""An ingest's tasks and what is done with one, in this process, in another one, or on another machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from data_loaders.protocol import Bundle, LoadError
from data_loaders.reading.limits import Limits
from data_loaders.registry import get_loader, limit_loader
from ingest.one_run import Ingested, Request, ingest_run
from storage.audit import Action, Audit
from storage.errors import StorageError
from storage.repository import Repository


@dataclass(frozen=True)
class Author:
    """Who brings runs, and how, as the audit log has it."""

    user: str
    action: Action = "ingest"


@dataclass(frozen=True)
class Terms:
    """What holds for all runs of an ingest (see `ingest.files.ingest`)."""

    places: Mapping[Path, str]
    defaults: Mapping[str, str]
    max_content_bytes: int
    limits: Limits
    author: Author | None = None
    modified: Mapping[Path, float] = field(default_factory=dict)
    """When the originals of copies were last changed, in seconds of the epoch."""


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
            ingested = ingest_run(self.repository, request)
            self._put_down(ingested, place)
            return ingested
        except LoadError as error:
            reason = request.display_text(str(error).removeprefix(f"{path}: "))
            return Failure(reason.replace(path.name, Path(place).name))
        except StorageError as error:
            return Failure(error.public, error)
        except OSError as error:
            return Failure(f"cannot be read: {error.strerror or request.display_text(str(error))}")

    def _put_down(self, ingested: Ingested, place: str) -> None:
        author = self.terms.author
        if author is not None and ingested.status != "unchanged":
            audit, what = Audit(self.repository.catalogue), ingested.stored.run_id
            audit.add(author.user, author.action, what, f"{ingested.status}: {place}")

    def _request(self, task: Task) -> Request:
        terms, reader = self.terms, limit_loader(get_loader(task.loader), self.terms.limits)
        changed = terms.modified.get(task.bundle.primary)
        own = (reader, task.bundle, terms.places, task.settings, terms.defaults, terms.max_content_bytes)
        return Request(*own, changed, terms.author.user if terms.author else "")
