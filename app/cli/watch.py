"""Command `watch`."""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import operator, printable, with_settings
from app.cli.ingest import ingest_paths, open_readers, run_line
from storage.errors import StorageError

if TYPE_CHECKING:
    from app.config.settings import Settings
    from storage.catalogue import Catalogue
    from storage.watchers import Watcher

_PUT_EVERY_S = 10.0
"""Minimum seconds between two heartbeats in the catalogue; scans may be more frequent."""


@click.command()
@with_settings
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--interval",
    type=click.FloatRange(0.1, 86_400),
    default=10,
    show_default=True,
    help="Seconds between two scans.",
)
def watch(settings: Settings, folder: Path, interval: float) -> None:
    """Ingest files that appear in FOLDER or below it, until a signal or Ctrl-C.

    A file is read together with its companion files once two checks in a row find it unchanged, and
    again after each change. Files are never modified. The watch remembers files that it tried:
    after a restart it does not try them again.
    """
    from ingest.isolation import make_look
    from services.store.watch import FolderWatch
    from storage.watched import Watched
    from storage.watchers import begin_watcher

    end = _End()
    # Before the store is opened: the first reader is a fork, which no open SQLite file survives.
    with open_readers(settings) as readers:
        repository = settings.repository()
        reported = _ReportedWatch(
            repository.catalogue, begin_watcher(str(folder.resolve()), operator(), interval)
        )
        watched = FolderWatch(
            folder.resolve(),
            Watched(repository.catalogue),
            lambda paths: ingest_paths(
                settings, tuple(paths), {}, repository=repository, readers=readers
            ),
            end.came,
            make_look(readers),
        )
        while not end.came():
            for outcome in watched.look():
                _tell(outcome if isinstance(outcome, str) else run_line(outcome))
                reported.count(outcome)
            reported.put(watched.problem)
            end.came(interval)
        reported.remove()


def _tell(line: str) -> None:
    click.echo(f"{datetime.now().astimezone().isoformat(timespec='seconds')} {printable(line)}")


class _ReportedWatch:
    """Record of this watch in the catalogue, updated after each scan.

    If the catalogue cannot be written, the watch continues.
    """

    def __init__(self, catalogue: Catalogue, watcher: Watcher) -> None:
        from storage.watchers import Watchers

        self._watchers = Watchers(catalogue)
        self._watcher = watcher
        self._put_at = float("-inf")

    def count(self, outcome: object) -> None:
        """Count an outcome of the scan: a text is a refused file, anything else an ingested run."""
        runs = self._watcher.runs
        refused = self._watcher.refused
        more = (runs, refused + 1) if isinstance(outcome, str) else (runs + 1, refused)
        self._watcher = replace(self._watcher, runs=more[0], refused=more[1])

    def put(self, problem: str) -> None:
        """Record in the catalogue that the folder was scanned now, if _PUT_EVERY_S (10 s) have
        passed or its problem changed.

        A catalogue that cannot be written is ignored.
        """
        if problem == self._watcher.problem and time.monotonic() - self._put_at < _PUT_EVERY_S:
            return
        self._watcher = replace(self._watcher, problem=problem)
        self._put_at = time.monotonic()
        with suppress(StorageError):
            self._watchers.put(self._watcher)

    def remove(self) -> None:
        """Remove the watch from the catalogue when it ends; a catalogue that cannot be written is
        ignored.
        """
        with suppress(StorageError):
            self._watchers.remove(self._watcher)


class _End:
    """Signal handler that records a request to end the process.

    The signal is written to a pipe, so that no signal is missed and waiting ends immediately.
    """

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os.write(self._write, b"\0") and None)

    def came(self, within_s: float = 0) -> bool:
        """Whether a signal to end has come, or comes within `within_s` seconds; waits at most that
        long.
        """
        return bool(select.select([self._read], [], [], within_s)[0])
