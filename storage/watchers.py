"""Commands that watch folders, in the catalogue; each records a heartbeat when it looks for files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from storage.catalogue import Catalogue
from storage.clock import seconds, timestamp
from storage.pending import own_host
from storage.text import plain_text
from storage.upsert import put, transact
from storage.work_tables import WATCHERS

_FORGOTTEN_S = 7 * 86_400.0
"""Seconds without a heartbeat after which a killed command is deleted from the table."""
_MAX_HOST_LENGTH, _MAX_PROBLEM_LENGTH = 255, 2_000


@dataclass(frozen=True)
class Watcher:
    """A command that watches a folder: host, user, start (ISO 8601 in UTC), and seconds between two
    looks for files.

    `runs` counts the ingested runs, `refused` the files that could not be read. `quiet_s` is the
    time in seconds since the last look, `problem` the error of that look.
    """

    folder: str
    host: str
    user: str
    started_at: str
    interval_s: float
    runs: int = 0
    refused: int = 0
    problem: str = ""
    quiet_s: float = 0.0


def begin_watcher(folder: str, user: str, interval_s: float) -> Watcher:
    """Create the record of a folder that this process begins to watch every `interval_s` seconds;
    it is not stored yet.
    """
    return Watcher(
        plain_text(folder), own_host()[:_MAX_HOST_LENGTH], plain_text(user), timestamp(), interval_s
    )


class Watchers:
    """Reads and writes the watchers of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def put(self, watcher: Watcher) -> None:
        """Store a watcher with its heartbeat at the current time, in place of the watcher of the
        same folder and host.

        Watchers without a heartbeat for 7 days (_FORGOTTEN_S) are deleted.
        """
        row = {"folder": watcher.folder, "host": watcher.host, "user_name": watcher.user}
        row |= {"watcher_id": _id(watcher), "started_at": watcher.started_at}
        counts = {
            "interval_s": watcher.interval_s,
            "runs": watcher.runs,
            "refused": watcher.refused,
        }
        problem = plain_text(watcher.problem)[:_MAX_PROBLEM_LENGTH]
        self._catalogue.create()

        def write(connection: Connection) -> None:
            now = seconds(connection)
            connection.execute(delete(WATCHERS).where(WATCHERS.c.beat < now - _FORGOTTEN_S))
            put(connection, WATCHERS, {**row, **counts, "problem": problem, "beat": now})

        transact(self._catalogue, write)

    def remove(self, watcher: Watcher) -> None:
        """Delete a watcher that ends; a watcher that is not stored is ignored."""
        with self._catalogue.begin() as connection:
            connection.execute(delete(WATCHERS).where(WATCHERS.c.watcher_id == _id(watcher)))

    def all(self) -> list[Watcher]:
        """List all watchers, sorted by folder and host; empty if there is no catalogue."""
        if not self._catalogue.is_created():
            return []
        c = WATCHERS.c
        own = (
            c.folder,
            c.host,
            c.user_name.label("user"),
            c.started_at,
            c.interval_s,
            c.runs,
            c.refused,
            c.problem,
        )
        with self._catalogue.connect() as connection:
            query = select(*own, (seconds(connection) - c.beat).label("quiet_s")).order_by(
                c.folder, c.host
            )
            return [Watcher(**row._mapping) for row in connection.execute(query)]


def _id(watcher: Watcher) -> str:
    return hashlib.sha256(f"{watcher.host}\0{watcher.folder}".encode()).hexdigest()
