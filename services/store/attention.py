"""Problems of a store that need an operator's attention, the most urgent first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Literal

from services.store.backups import BackupState
from services.store.overview import Overview
from storage.clock import timestamp

Kind = Literal[
    "runs damaged",
    "disk full",
    "backup missing",
    "backup failed",
    "backup late",
    "backup damaged",
    "workers missing",
    "scheduler silent",
    "jobs silent",
    "watcher gone",
    "watcher failing",
    "messages given up",
    "uploads failed",
    "uploads stalled",
    "jobs failed",
    "tokens expiring",
    "orphans",
    "leftovers",
]
"""Names of the problems, as the API has them."""
_MIN_FREE_BYTES = 2**30
"""Free bytes of a disk below which it counts as nearly full.

It also does if twice the bytes of the last week do not fit.
"""
_LATE = 2.0
"""A backup is late after this many intervals of its schedule."""
_SOON = timedelta(days=7)
"""Tokens that expire within this time are reported."""


@dataclass(frozen=True)
class Attention:
    """A problem that needs attention: its kind, the number of things concerned (`None` if it has no
    number), and a detail such as a reason.
    """

    kind: Kind
    count: int | None = None
    about: str = ""

    def record(self) -> dict[str, Any]:
        """Convert the problem to JSON types: kind, count and about."""
        return asdict(self)


def needs_attention(overview: Overview) -> list[Attention]:
    """List the problems of a store that need attention, of its data, backups, processes, then
    users; empty if the store is in order.
    """
    return [
        *_data_problems(overview),
        *backup_problems(overview.backups),
        *_process_problems(overview),
        *_user_problems(overview),
    ]


def _data_problems(overview: Overview) -> Iterator[Attention]:
    size = overview.size
    if size.damaged:
        yield Attention("runs damaged", size.damaged)
    if size.free_bytes is not None and size.free_bytes < max(
        _MIN_FREE_BYTES, 2 * size.last_week.bytes
    ):
        yield Attention("disk full", size.free_bytes)


def backup_problems(backups: BackupState) -> Iterator[Attention]:
    """Yield the problems of scheduled backups: failed, missing, late or damaged."""
    if backups.last_error:
        yield Attention("backup failed", None, backups.last_error)
    if (
        backups.every_s
        and backups.last_at is None
        and not backups.running
        # A failed first attempt is reported as failed, not as missing too.
        and not backups.last_error
    ):
        yield Attention("backup missing")
    if backups.every_s and (backups.age_s or 0.0) > _LATE * backups.every_s:
        yield Attention("backup late")
    if backups.problems:
        yield Attention("backup damaged", backups.problems, backups.note)


def _process_problems(overview: Overview) -> Iterator[Attention]:
    workers = overview.workers
    if workers.error:
        yield Attention("scheduler silent", None, workers.error)
    elif workers.scheduler and not workers.workers:
        yield Attention("workers missing")
    if overview.jobs.silent:
        yield Attention("jobs silent", overview.jobs.silent)
    for folder in overview.watched:
        if folder.is_gone:
            yield Attention("watcher gone", None, folder.folder)
        elif folder.problem:
            yield Attention("watcher failing", None, folder.problem)
    if overview.jobs.failed_since:
        yield Attention("jobs failed", overview.jobs.failed_since)
    if overview.messages.given_up:
        yield Attention("messages given up", overview.messages.given_up)


def _user_problems(overview: Overview) -> Iterator[Attention]:
    uploads = overview.uploads
    orphans = overview.orphans
    if uploads.failed:
        yield Attention("uploads failed", uploads.failed)
    if uploads.stalled:
        yield Attention("uploads stalled", uploads.stalled)
    soon = [
        token
        for token in overview.tokens
        if token.state == "valid" and token.expires_at and token.expires_at < timestamp(_SOON)
    ]
    if soon:
        yield Attention("tokens expiring", len(soon), ", ".join(token.name for token in soon[:3]))
    if orphans.bytes:
        yield Attention("orphans", orphans.prefixes)
    if orphans.leftovers:
        yield Attention("leftovers", orphans.leftovers)
