"""Commands `backup` and `restore`."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from app.cli.common import operator, printable, with_settings
from app.cli.progress import progress
from app.cli.records import command_errors
from schema.plurals import plural

if TYPE_CHECKING:
    from app.config.settings import Settings
    from services.store.backup import Copied, OnRun
    from services.store.backups import BackupPlan
    from storage.repository import Repository

File = TypeVar("File", str, Path)


class BackupFile(click.ParamType[str]):
    """Command line type of an existing file, or of an address in object storage."""

    name = "FILE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401 - click's own
        """Return the value unchanged; fails with a usage error if it is a file that is missing."""
        from services.store.backup_place import is_address

        if not is_address(str(value)):
            click.Path(dir_okay=False, exists=True).convert(value, param, ctx)
        return str(value)


@click.command()
@with_settings
@click.option(
    "--verify", "is_verify", is_flag=True, help="Check the backup FILE instead of writing a backup."
)
@click.option(
    "--list",
    "is_list",
    is_flag=True,
    help="List the backups in `backup_to` instead of writing a backup.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; needs --verify or --list.")
@click.argument("file", required=False)
@click.pass_context
def backup(
    context: click.Context,
    settings: Settings,
    *,
    file: str | None,
    is_verify: bool,
    is_list: bool,
    as_json: bool,
) -> None:
    """Write the store to FILE, a tar that `restore` reads into a store of any kind. Servers may go on meanwhile.

    It has runs, notes, tags, pins, baselines, saved views, the audit log and the hashes of API tokens: a store that is
    restored from it accepts these tokens. Only you may read FILE. Sessions and work in progress are left out.

    Exits with 1 if a part of the store was damaged; FILE has the other parts.

    Without FILE, make a backup as the schedule of the servers does: in `backup_to`, verified, and without the oldest
    beyond `backup_keep`. `--list` lists these backups, the time of the next, and the reason if the last failed.

    With `--verify`, read FILE (or an address such as s3://bucket/backup.tar) and no store: hashes of all files, rows,
    and every frame of the runs. Prints the content and a line for each problem; exits with 1 if there is a problem.
    """
    if (
        is_list + is_verify > 1
        or (as_json and not (is_list or is_verify))
        or (is_list and file is not None)
    ):
        raise click.UsageError(
            "give FILE, --verify FILE or --list, or none of them; --json needs --verify or --list"
        )
    if is_list:
        _list_stored(settings, as_json)
    elif is_verify:
        if file is None:
            raise click.UsageError("--verify needs a FILE")
        _verify(BackupFile().convert(file, None, context), as_json)
    elif file is None:
        _make_stored(settings)
    else:
        _write(settings, file)


@click.command()
@with_settings
@click.option(
    "--accept-damage", is_flag=True, help="Restore frames even if they differ from their checksums."
)
@click.argument("file", type=BackupFile())
def restore(settings: Settings, file: str, *, accept_damage: bool) -> None:
    """Read a FILE that `backup` wrote into an empty store, of any kind. It is checked before anything is written.

    If the checksum of a frame differs from that in the catalogue, the frame is named and nothing is written;
    `--accept-damage` restores the backup of a store that was damaged already.

    FILE may be an address of object storage, such as s3://bucket/backup.tar. API tokens and pins hold as before;
    everyone has to sign in again.
    """
    from services.store.restore import restore as restore_store

    copied = _copy(settings, partial(restore_store, accept_damage=accept_damage), file)
    click.echo(
        f"restored {plural(copied.runs, 'run')} in {plural(copied.files, 'file')}: {copied.size:,} bytes"
    )


def _write(settings: Settings, file: str) -> None:
    from services.store.backup import back_up
    from services.store.backup_place import is_address

    if is_address(file):
        raise click.ClickException(
            f"{file}: FILE must be a local file; only setting backup_to may be an address"
        )
    click.Path(dir_okay=False).convert(file, None, None)
    copied = _copy(settings, back_up, Path(file))
    for finding in copied.findings:
        click.echo(printable(f"Warning: {finding}"), err=True)
    click.echo(
        f"backed up {plural(copied.runs, 'run')} in {plural(copied.files, 'file')}: {copied.size:,} bytes in {file}"
    )
    sys.exit(1 if copied.findings else 0)


def _make_stored(settings: Settings) -> None:
    """Make a backup in `backup_to`, remove older backups, and exit: with 1 if the backup has a note
    about damage, else 0.
    """
    from services.store.backups import begin_backup
    from services.store.scheduled_backup import make_backup

    plan = _plan(settings)
    repository = settings.repository()
    user = operator()
    with _ending_well(), progress("runs") as on_run:
        attempt = begin_backup(repository.catalogue, user)
        copied = make_backup(repository, plan, attempt, user, on_run or (lambda *_: None))
    if copied.note:
        click.echo(printable(f"Warning: {copied.note}"), err=True)
    place = printable(f"{plan.to}/{copied.name}")
    click.echo(
        f"backed up {plural(copied.runs, 'run')} in {plural(copied.files, 'file')}: {copied.size:,} bytes in {place}"
    )
    sys.exit(1 if copied.note else 0)


def _list_stored(settings: Settings, as_json: bool) -> None:
    from services.store.backups import backup_state, stored_backups

    plan = _plan(settings)
    catalogue = settings.catalogue()
    state = backup_state(catalogue, plan)
    backups = stored_backups(catalogue, plan)
    if as_json:
        click.echo(
            json.dumps({**state.record(), "backups": [asdict(stored) for stored in backups]})
        )
        return
    for stored in backups:
        content = (
            "of another store"
            if stored.runs is None or stored.problems is None
            else f"{plural(stored.runs, 'run')}, {plural(stored.problems, 'problem')}"
        )
        click.echo(printable(f"{stored.name}  {stored.size:>15,} bytes  {content}"))
    if not backups:
        click.echo(printable(f"No backups in {plan.to}."))
    if state.last_error:
        click.echo(
            printable(f"The newest attempt failed at {state.last_error_at}: {state.last_error}")
        )
    if state.running:
        click.echo("A backup is being made.")
    elif state.next_at:
        click.echo(f"The next backup is due at {state.next_at}.")


def _plan(settings: Settings) -> BackupPlan:
    """Return the place and interval of backups; raises ClickException if no place is set."""
    plan = settings.backup_plan()
    if not plan.to:
        raise click.ClickException("give a FILE, or set the place of backups in setting backup_to")
    return plan


def _verify(file: str, as_json: bool) -> None:
    """Print the content and the problems of a backup, and exit: with 1 if there is a problem, else
    0.
    """
    from services.store.verify import verify

    with _ending_well(), progress("runs") as on_run:
        checked = verify(file, on_run or (lambda *_: None))
    if as_json:
        click.echo(json.dumps(checked.record()))
    else:
        origin = (
            f", made at {checked.made_at} by revision {checked.revision}" if checked.made_at else ""
        )
        held = f"{plural(checked.runs, 'run')} in {plural(checked.files, 'file')}: {checked.size:,} bytes{origin}"
        click.echo(printable(f"{file} holds {held}"))
        for problem in checked.problems:
            click.echo(printable(f"Error: {problem}"), err=True)
    sys.exit(1 if checked.problems else 0)


def _copy(
    settings: Settings, copy: Callable[[Repository, File, OnRun], Copied], file: File
) -> Copied:
    """Call `copy` with the store, the file and a progress callback, and return its result; a bar is
    drawn on a terminal.

    A BackupError becomes a ClickException.
    """
    with _ending_well(), progress("runs") as on_run:
        return copy(settings.repository(), file, on_run or (lambda *_: None))


@contextmanager
def _ending_well() -> Iterator[None]:
    """Context in which SIGTERM runs the clean-up of the process before it exits, and a BackupError
    becomes a ClickException.
    """
    from services.store.backup_file import BackupError

    # By default SIGTERM ends a process without running its `finally` blocks.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with command_errors(BackupError):
        yield
