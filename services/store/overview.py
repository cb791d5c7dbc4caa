"""Overview of a store for its operator, the same record for page, command and API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from services.store.backups import BackupPlan, BackupState, backup_state
from services.store.orphans import OrphanState, orphan_state
from services.store.store_size import StoreSize, store_size
from services.store.work_state import (
    Messages,
    UploadState,
    WatchedFolder,
    job_state,
    messages_of_alerts,
    upload_state,
    watched_folders,
)
from services.store.workers import Workers
from storage.alerts import Alerts
from storage.annotations import Annotations
from storage.baselines import Baselines
from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.job_counts import JobCounts
from storage.repository import Repository
from storage.revisions import HEAD
from storage.rules import Rules
from storage.store_sizes import AuthorRuns, catalogue_revision, stored_by_author
from storage.tokens import Token, Tokens

MAX_AUTHORS = 50
"""Maximum number of authors that are listed; authors with the most runs come first."""


@dataclass(frozen=True)
class TokenUse:
    """A token of the API without its secret.

    Times are ISO 8601 in UTC; `state` is `valid`, `expired` or `revoked`.
    """

    id: str
    name: str
    scope: str
    state: str
    created_at: str
    created_by: str
    expires_at: str | None
    used_at: str | None


@dataclass(frozen=True)
class Holds:
    """Protection of runs from retention: the number of pinned runs, and the names of baselines,
    baseline rules and alerts.
    """

    pinned: int
    baselines: tuple[str, ...]
    rules: tuple[str, ...]
    alerts: tuple[str, ...]


@dataclass(frozen=True)
class SettingInForce:
    """A setting with its current value; for secrets `value` is `set` or `not set`."""

    name: str
    value: str
    is_default: bool


@dataclass(frozen=True)
class Overview:
    """State of a store `at` a time (ISO 8601 in UTC)."""

    at: str
    size: StoreSize
    orphans: OrphanState
    authors: tuple[AuthorRuns, ...]
    uploads: UploadState
    tokens: tuple[TokenUse, ...]
    holds: Holds
    backups: BackupState
    watched: tuple[WatchedFolder, ...]
    jobs: JobCounts
    messages: Messages
    workers: Workers
    revision: str
    newest_revision: str
    settings: tuple[SettingInForce, ...]

    def record(self) -> dict[str, Any]:
        """Convert the overview to JSON types, a dict of all fields, nested records as dicts."""
        return asdict(self)


def store_overview(
    repository: Repository, plan: BackupPlan, workers: Workers, settings: Sequence[SettingInForce]
) -> Overview:
    """Return the state of a store now, from its catalogue; `workers` and `settings` are passed on.
    Raises StorageError.
    """
    catalogue = repository.catalogue
    return Overview(
        at=timestamp(),
        size=store_size(repository),
        orphans=orphan_state(repository),
        authors=tuple(stored_by_author(catalogue, MAX_AUTHORS)),
        uploads=upload_state(catalogue),
        tokens=tuple(map(_token_use, Tokens(catalogue).all())),
        holds=_holds(catalogue),
        backups=backup_state(catalogue, plan),
        watched=watched_folders(catalogue),
        jobs=job_state(catalogue),
        messages=messages_of_alerts(catalogue),
        workers=workers,
        revision=catalogue_revision(catalogue) or "",
        newest_revision=HEAD,
        settings=tuple(settings),
    )


def _holds(catalogue: Catalogue) -> Holds:
    return Holds(
        Annotations(catalogue).count_pinned(),
        tuple(named.name for named in Baselines(catalogue).all()),
        tuple(named.name for named in Rules(catalogue).all()),
        tuple(named.name for named in Alerts(catalogue).all()),
    )


def _token_use(token: Token) -> TokenUse:
    state = "valid" if token.is_valid else "revoked" if token.revoked_at else "expired"
    own: Mapping[str, Any] = vars(token)
    names = ("name", "scope", "created_at", "created_by", "expires_at", "used_at")
    return TokenUse(id=token.token_id, state=state, **{name: own[name] for name in names})
