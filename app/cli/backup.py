"""`backup` and `restore`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import printable, with_settings
from app.cli.progress import progress

if TYPE_CHECKING:
    from app.config.settings import Settings
    from services.store.backup import Copied, OnRun
    from storage.repository import Repository


@click.command()
@with_settings
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup(settings: Settings, file: Path) -> None:
    """Write the store to FILE, a tar that `restore` reads into a store of any kind. Servers may go on meanwhile.

    It has runs, notes, tags, pins, baselines, saved views, the audit log and the hashes of API tokens: who restores it
    has a store that takes these tokens. Only you may read FILE. Sessions and work under way are left out.

    Exits with 1 if something was damaged in the store; FILE has the rest.
    """
    from services.store.backup import back_up

    copied = _copy(settings, back_up, file)
    for finding in copied.findings:
        click.echo(printable(f"Warning: {finding}"), err=True)
    click.echo(f"backed up {copied.runs} runs in {copied.files} files: {copied.size:,} bytes in {file}")
    sys.exit(1 if copied.findings else 0)


@click.command()
@with_settings
@click.argument("file", type=click.Path(dir_okay=False, exists=True, path_type=Path))
def restore(settings: Settings, file: Path) -> None:
    """Read a FILE that `backup` wrote into an empty store, of any kind. It is checked whole before it is written.

    API tokens and pins hold as before; everyone has to sign in again.
    """
    from services.store.restore import restore as restore_store

    copied = _copy(settings, restore_store, file)
    click.echo(f"restored {copied.runs} runs in {copied.files} files: {copied.size:,} bytes")


def _copy(settings: Settings, copy: Callable[[Repository, Path, OnRun], Copied], file: Path) -> Copied:
    """Copy with a progress bar on a terminal; a signal that ends the process lets it tidy up."""
    from services.store.backup_file import BackupError

    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        with progress("runs") as on_run:
            return copy(settings.repository(), file, on_run or (lambda *_: None))
    except BackupError as error:
        raise click.ClickException(str(error)) from error
