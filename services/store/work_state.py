"""Work in progress in a store, and failures of the last week: uploads, jobs, watched folders,
messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from services.store.backups import KIND as BACKUP
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.clock import seconds_since, timestamp
from storage.deliveries import DEAD, Deliveries
from storage.delivery_leases import WAITING
from storage.job_counts import JobCounts, count_jobs
from storage.uploads import Uploads
from storage.watchers import Watcher, Watchers

WEEK = timedelta(days=7)
"""Age up to which failures are reported."""
_SHOWN = 20
"""Maximum number of uploads that are listed."""
_STALLED = timedelta(hours=1)
"""An upload in parts is stalled if it received no part for this time."""
_LOOKS, _MIN_QUIET_S = 3, 60.0
"""A watcher is gone after this many intervals without a scan, and after at least this many seconds.
"""


@dataclass(frozen=True)
class FailedUpload:
    """An upload that gave no run: time (ISO 8601 in UTC), user, file name, reason."""

    at: str
    user: str
    name: str
    reason: str


@dataclass(frozen=True)
class IncompleteUpload:
    """An upload in parts: user, file name, received and total bytes, and seconds since the last
    part.
    """

    user: str
    name: str
    received: int
    size: int
    quiet_s: float


@dataclass(frozen=True)
class UploadState:
    """Failed uploads of the last week, and the number and bytes of uploads in progress.

    `stalled` uploads in progress have received no part for some time. `last_failed` has the newest
    failures, `quietest` the uploads that have waited longest for a part. An upload that received no
    part for a day is removed when another one begins.
    """

    failed: int
    incomplete: int
    incomplete_bytes: int
    stalled: int
    last_failed: tuple[FailedUpload, ...]
    quietest: tuple[IncompleteUpload, ...]


@dataclass(frozen=True)
class WatchedFolder:
    """A folder that a command watches: the columns of `storage.watchers.Watcher`.

    `is_gone` is True if the command no longer looks for files.
    """

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
    """Numbers of undelivered messages of alerts: waiting, and given up after the last attempt."""

    waiting: int
    given_up: int


def upload_state(catalogue: Catalogue) -> UploadState:
    """Return the number of failed uploads of the last week and of uploads in progress (also their
    received bytes, and how many are stalled), with the latest failures and the longest waiting
    uploads, at most _SHOWN (20) each.
    """
    since = timestamp(-WEEK)
    (count, received) = Uploads(catalogue).sums()
    entries = Audit(catalogue).entries(_SHOWN, action="upload.fail")
    quietest = [
        IncompleteUpload(
            upload.user_name,
            upload.name,
            upload.offset,
            upload.size,
            seconds_since(upload.touched_at),
        )
        for upload in Uploads(catalogue).oldest(_SHOWN)
    ]
    return UploadState(
        failed=Audit(catalogue).count("upload.fail", since),
        incomplete=count,
        incomplete_bytes=received,
        stalled=Uploads(catalogue).count_stale(_STALLED),
        last_failed=tuple(
            FailedUpload(e.at, e.user, e.object, e.detail) for e in entries if e.at >= since
        ),
        quietest=tuple(quietest),
    )


def job_state(catalogue: Catalogue) -> JobCounts:
    """Count the jobs by state, and the failures of the last seven days.

    Backups are not counted: `BackupState` has them.
    """
    return count_jobs(catalogue, timestamp(-WEEK), but=BACKUP)


def watched_folders(catalogue: Catalogue) -> tuple[WatchedFolder, ...]:
    """Return the watched folders; a watcher that is gone is left out if another watcher scans the
    same folder.
    """
    watchers = Watchers(catalogue).all()
    looked_at = {watcher.folder for watcher in watchers if not _is_quiet(watcher)}
    return tuple(
        _folder(watcher)
        for watcher in watchers
        if not _is_quiet(watcher) or watcher.folder not in looked_at
    )


def messages_of_alerts(catalogue: Catalogue) -> Messages:
    """Count the undelivered messages of alerts: waiting, and given up."""
    counts = Deliveries(catalogue).counts()
    return Messages(counts[WAITING], counts[DEAD])


def _is_quiet(watcher: Watcher) -> bool:
    return watcher.quiet_s > max(_LOOKS * watcher.interval_s, _MIN_QUIET_S)


def _folder(watcher: Watcher) -> WatchedFolder:
    host = watcher.host.partition(" ")[0]
    return WatchedFolder(**{**vars(watcher), "host": host}, is_gone=_is_quiet(watcher))
