"""What is under way in a store, and what failed of it in the last week: uploads, jobs, watched folders, messages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from services.store.backups import KIND as BACKUP
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.clock import seconds_since, timestamp
from storage.deliveries import DEAD, WAITING, Deliveries
from storage.job_counts import JobCounts, count_jobs
from storage.uploads import Uploads
from storage.watchers import Watcher, Watchers

WEEK = timedelta(days=7)
_SHOWN = 20
_STALLED = timedelta(hours=1)
"""An upload in parts counts as stalled that nothing came of for so long."""
_LOOKS, _LEAST_QUIET_S = 3, 60.0
"""Intervals without a look after which a watcher counts as gone, and the least seconds of them."""


@dataclass(frozen=True)
class FailedUpload:
    """An upload that gave no run: when (ISO 8601 in UTC), whose, its file, and why."""

    at: str
    user: str
    name: str
    reason: str


@dataclass(frozen=True)
class IncompleteUpload:
    """An upload in parts: whose, its file, the bytes that came of its size, and for how long nothing came."""

    user: str
    name: str
    received: int
    size: int
    quiet_s: float


@dataclass(frozen=True)
class UploadState:
    """Uploads of the last week that failed, and those under way; the lists have the newest and the quietest of them.

    An upload that nothing came of for a day is removed when another one begins.
    """

    failed: int
    incomplete: int
    incomplete_bytes: int
    stalled: int
    last_failed: tuple[FailedUpload, ...]
    quietest: tuple[IncompleteUpload, ...]


@dataclass(frozen=True)
class WatchedFolder:
    """A folder that a command watches, see `storage.watchers`; `is_gone` where it no longer looks."""

    folder: str
    host: str
    user: str
    started_at: str
    interval_s: float
    runs: int
    refused: int
    problem: str
    quiet_s: float
    is_gone: bool


@dataclass(frozen=True)
class Messages:
    """Messages of alerts that were not delivered: those that wait, and those that were given up."""

    waiting: int
    given_up: int


def upload_state(catalogue: Catalogue) -> UploadState:
    """Return how uploads are."""
    since, (count, received) = timestamp(-WEEK), Uploads(catalogue).sums()
    entries = Audit(catalogue).entries(_SHOWN, action="upload.fail")
    quietest = [
        IncompleteUpload(one.user_name, one.name, one.offset, one.size, seconds_since(one.touched_at))
        for one in Uploads(catalogue).oldest(_SHOWN)
    ]
    return UploadState(
        failed=Audit(catalogue).count("upload.fail", since),
        incomplete=count,
        incomplete_bytes=received,
        stalled=Uploads(catalogue).count_stale(_STALLED),
        last_failed=tuple(FailedUpload(e.at, e.user, e.object, e.detail) for e in entries if e.at >= since),
        quietest=tuple(quietest),
    )


def job_state(catalogue: Catalogue) -> JobCounts:
    """Return how many jobs there are, and how many failed in the last week; of backups their own state tells."""
    return count_jobs(catalogue, timestamp(-WEEK), but=BACKUP)


def watched_folders(catalogue: Catalogue) -> tuple[WatchedFolder, ...]:
    """Return the watched folders; where one command took another's place, that one alone."""
    known = Watchers(catalogue).all()
    looked_at = {one.folder for one in known if not _is_quiet(one)}
    return tuple(_folder(one) for one in known if not _is_quiet(one) or one.folder not in looked_at)


def messages_of_alerts(catalogue: Catalogue) -> Messages:
    """Return how many messages of alerts were not delivered."""
    counts = Deliveries(catalogue).counts()
    return Messages(counts[WAITING], counts[DEAD])


def _is_quiet(watcher: Watcher) -> bool:
    return watcher.quiet_s > max(_LOOKS * watcher.interval_s, _LEAST_QUIET_S)


def _folder(one: Watcher) -> WatchedFolder:
    host = one.host.partition(" ")[0]
    return WatchedFolder(**{**vars(one), "host": host}, is_gone=_is_quiet(one))
