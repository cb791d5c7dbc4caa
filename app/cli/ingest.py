"""Command `ingest`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import operator, printable, set_option, with_settings
from app.cli.progress import progress
from ingest.steps import ProgressListener
from schema.plurals import plural, plural_form
from storage.errors import StorageError

if TYPE_CHECKING:
    from app.config.settings import Settings
    from ingest.files import IngestedRun, IngestResult
    from ingest.processes import WorkProcesses
    from services.jobs.log import JobLog
    from storage.repository import Repository


_FEW_FILES = 4
"""Number of files up to which a reading process imports only their loaders.

With more files, several processes would import the same loaders.
"""
_MAX_REASONS = 10
"""Maximum number of printed reasons why files are not input, if no run was ingested."""


@click.command()
@with_settings
@click.argument(
    "paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@set_option(
    "Setting of the runs; overrides path and files and changes a run that is already stored."
)
@click.option(
    "--loader", metavar="NAME", help="Use this loader instead of detecting it from the content."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    help="Maximum number of parallel processes (default: one per core).",
)
@click.option(
    "--scheduler", metavar="URL", help="Dask scheduler whose workers ingest (default: setting)."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def ingest(
    settings: Settings,
    paths: tuple[Path, ...],
    settings_given: dict[str, str],
    *,
    loader: str | None,
    jobs: int | None,
    scheduler: str | None,
    as_json: bool,
) -> None:
    """Ingest files, folders and archives; folders are walked, and an archive counts as a folder.

    Up to --jobs processes share the work, or the workers of a Dask scheduler, with the same result. Exits with 1 if no
    run was ingested, or a file or the storage failed.
    """
    # Arrow reads it when it is imported. Its own allocator would keep the memory of large files.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    from data_loaders.protocol import LoadError
    from ingest.settings import check_request

    try:
        check_request(settings_given, loader)
    except LoadError as error:
        raise click.UsageError(str(error)) from error
    try:
        with open_readers(settings, paths) as readers:
            result = ingest_paths(
                settings,
                paths,
                settings_given,
                loader=loader,
                jobs=jobs,
                scheduler=scheduler,
                readers=readers,
            )
    except StorageError as error:
        if as_json:
            # Scripts get valid JSON even when the store fails.
            skipped = [{"path": str(path), "reason": str(error)} for path in paths]
            click.echo(json.dumps({"runs": [], "skipped": skipped}))
        raise
    if as_json:
        click.echo(json.dumps(result.as_json()))
    else:
        _print(result)
    _print_failures(result)
    sys.exit(0 if result.ok else 1)


def ingest_paths(
    settings: Settings,
    paths: tuple[Path, ...],
    settings_given: dict[str, str],
    *,
    loader: str | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    repository: Repository | None = None,
    readers: WorkProcesses | None = None,
) -> IngestResult:
    """Ingest files and folders with a progress bar on a terminal, in up to `jobs` processes or on
    Dask workers; return the runs, skipped files and failure.

    `repository` is an open storage, by default that of the settings. `readers` are processes that
    the caller uses for several ingests.
    """
    from ingest.files import ingest as ingest_files
    from ingest.work import Author
    from services.jobs.log import closing_log

    store = repository or settings.repository()
    with (
        nullcontext(readers) if readers else open_readers(settings, paths) as source,
        progress("ingest") as draw,
        closing_log(_log(store, draw)) as log,
    ):
        return ingest_files(
            store,
            paths,
            settings_given,
            loader=loader,
            steps=log,
            author=Author(operator()),
            defaults=settings.loader_defaults(),
            max_content_bytes=settings.max_content_bytes,
            limits=settings.reader_limits(),
            # Only the cores that this process may use, which a container can limit.
            processes=jobs or len(os.sched_getaffinity(0)),
            scheduler=settings.dask_scheduler if scheduler is None else scheduler,
            source=source,
        )


@contextmanager
def open_readers(settings: Settings, paths: Sequence[Path] = ()) -> Iterator[WorkProcesses]:
    """Provide processes that read files under the limits of the settings; they end with the block.

    Enter the block before the store is opened, because the processes are copies of this process.
    If `paths` are a few files, the processes import only the loaders of these files.
    """
    from ingest.isolation import FEW_MODULES, MODULES, reading_processes

    is_small = 0 < len(paths) <= _FEW_FILES and not any(path.is_dir() for path in paths)
    readers = reading_processes(settings.reader_limits(), FEW_MODULES if is_small else MODULES)
    try:
        readers.use_template()
        yield readers
    finally:
        readers.close()


def _log(repository: Repository, draw: Callable[[int, int, str], None] | None) -> JobLog:
    from services.jobs.log import JobLog

    return JobLog(repository.catalogue, operator(), _Bar(draw) if draw else ProgressListener())


class _Bar(ProgressListener):
    """Listener that draws the progress of an ingest on the terminal."""

    def __init__(self, draw: Callable[[int, int, str], None]) -> None:
        self._draw = draw
        self._names: Sequence[str] = ()
        self._begun = 0

    def on_plan(self, names: Sequence[str]) -> None:
        self._names = names

    def on_begin(self, index: int) -> None:
        self._draw(self._begun, len(self._names), self._names[index])
        self._begun += 1


def _print(result: IngestResult) -> None:
    for run in result.runs:
        click.echo(run_line(run))
    for warning in [*single_warnings(result.runs), *main_number_warnings(result.runs)]:
        click.echo(printable(f"warning: {warning}"), err=True)
    along = sum(skipped.along for skipped in result.skipped)
    if along:
        as_what = "a companion file" if along == 1 else "companion files"
        their = "its run" if along == 1 else "their runs"
        click.echo(f"{_files_were(along)} read as {as_what} (--json lists {their}).")
    others = sum(not (skipped.failed or skipped.along) for skipped in result.skipped)
    if others:
        why = "the reason" if others == 1 else "the reasons"
        click.echo(f"{_files_were(others)} not read (--json lists {why}).")


def _files_were(count: int) -> str:
    return f"{count} other {'file was' if count == 1 else 'files were'}"


def _print_failures(result: IngestResult) -> None:
    """Print to stderr the files that failed by reason, the failure of the storage, and whether no
    run was ingested at all; if no file failed, why files were skipped.
    """
    failed = [skipped for skipped in result.skipped if skipped.failed]
    by_reason: dict[str, list[str]] = {}
    for skipped in failed or ([] if result.runs else result.skipped):
        by_reason.setdefault(skipped.reason, []).append(skipped.path)
    for reason, (first, *others) in list(by_reason.items())[: None if failed else _MAX_REASONS]:
        more = (
            f" (and {len(others)} more {'file' if len(others) == 1 else 'files'})" if others else ""
        )
        click.echo(printable(f"Error: {first}: {reason}{more}"), err=True)
    if result.failure is not None:
        click.echo(printable(f"Error: {result.failure}"), err=True)
    if not result.runs:
        click.echo("Error: no run was ingested", err=True)


def main_number_warnings(runs: Iterable[IngestedRun]) -> list[str]:
    """List why runs lack their main metric, as `NAME and 2 other runs: REASON`: each reason once,
    with the first run that has it; empty if no run lacks it.
    """
    by_reason: dict[str, list[str]] = {}
    for run in runs:
        for finding in run.diagnostics:
            if finding.code == "settings_unknown" and finding.severity == "warning":
                by_reason.setdefault(finding.message, []).append(run.name)
    others = {reason: len(names) - 1 for reason, names in by_reason.items()}
    more = {
        reason: f" and {plural(count, 'other run')}" if count else ""
        for reason, count in others.items()
    }
    return [f"{names[0]}{more[reason]}: {reason}" for reason, names in by_reason.items()]


SHOWN_FINDINGS = ("poorer_reading", "file_cut")
"""Findings that the command prints: the stored run was not replaced by a poorer reading of the same
content, or the file ends too early.
"""


def single_warnings(runs: Iterable[IngestedRun]) -> list[str]:
    """List the findings of SHOWN_FINDINGS of all runs as `NAME: REASON`; empty if there are none."""
    return [
        f"{run.name}: {finding.message}"
        for run in runs
        for finding in run.diagnostics
        if finding.code in SHOWN_FINDINGS
    ]


def _row_noun(frame: str) -> str:
    """Return the name of one row of a frame: `match` of frame `matches`; names that are not plurals
    stay.
    """
    endings = ((3, "y"), (2, ""), (1, ""))
    nouns = (f"{frame[:-length]}{end}" for length, end in endings)
    return next((noun for noun in nouns if plural_form(noun) == frame), frame)


def run_line(run: IngestedRun) -> str:
    """Format an ingested run as a line: status, id, name, rows of each frame, and the numbers of
    errors and warnings if there are any.
    """
    sizes = ", ".join(
        f"{rows} {_row_noun(name) if rows == 1 else name}"
        for name, rows in run.frames.items()
        if name not in ("run", "diagnostics")
    )
    counts = [(sum(d.severity == s for d in run.diagnostics), s) for s in ("error", "warning")]
    findings = ", ".join(
        f"{count} {severity}{'s' if count > 1 else ''}" for count, severity in counts if count
    )
    return printable(
        f"{run.status:9}  {run.run_id}  {run.name}: {sizes}{'; ' + findings if findings else ''}"
    )
