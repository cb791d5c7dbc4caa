"""`watch`."""

from __future__ import annotations

import os
import select
import signal
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import printable, with_settings
from app.cli.ingest import ingest_paths, run_line

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.command()
@with_settings
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--interval", type=click.FloatRange(0.1, 86_400), default=10, show_default=True, help="Seconds between two scans."
)
def watch(settings: Settings, folder: Path, interval: float) -> None:
    """Ingest what comes into FOLDER or below it, until a signal or Ctrl-C ends it.

    A file is read when two looks found it the same, together with the files that belong to it, and again when it
    changes. The files stay as they are. What was tried is remembered: a restart does not try it again.
    """
    from services.store.watch import FolderWatch
    from storage.watched import Watched

    end, repository = _End(), settings.repository()
    watched = FolderWatch(
        folder.resolve(),
        Watched(repository.catalogue),
        lambda paths: ingest_paths(settings, tuple(paths), {}, repository=repository),
        end.came,
    )
    while not end.came():
        for told in watched.look():
            _tell(told if isinstance(told, str) else run_line(told))
        end.came(interval)


def _tell(line: str) -> None:
    click.echo(f"{datetime.now().astimezone().isoformat(timespec='seconds')} {printable(line)}")


class _End:
    """Whether a signal came that ends the process; a pipe has it, so that none is missed and waiting ends with it."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os.write(self._write, b"\0") and None)

    def came(self, within_s: float = 0) -> bool:
        """Return whether a signal came, or comes within so many seconds."""
        return bool(select.select([self._read], [], [], within_s)[0])
