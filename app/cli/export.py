"""Commands that write data of runs to files: `frames`, `minimalloc`, `report` and `snapshot`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import output_stream, set_option, with_settings
from app.cli.records import command_errors
from app.cli.run_options import (
    attempt_option,
    check_parquet_output,
    format_option,
    method_option,
    output_option,
    with_run,
)
from schema.choices import LAYOUTS, MIME_TYPES, PLACED
from schema.plurals import plural

if TYPE_CHECKING:
    from app.config.settings import Settings
    from storage.repository import Repository


@click.command()
@with_settings
@click.argument("run_id", metavar="RUN")
@click.argument("name", metavar="FRAME")
@method_option("Method of derived frames.")
@set_option(
    "Setting of the run to compute with, such as clock_hz=1.8GHz; the stored run stays as it is."
)
@format_option([*MIME_TYPES])
@output_option
def frames(
    settings: Settings,
    run_id: str,
    name: str,
    *,
    method: str,
    settings_given: dict[str, str],
    fmt: str,
    output: Path | None,
) -> None:
    """Write a frame of a run, stored or derived. RUN is an id or its beginning.

    JSON is a list of records with null for what is missing. CSV has an apostrophe before text that a spreadsheet
    would run as a formula.
    """
    check_parquet_output(fmt, output)
    repository = settings.repository()
    run_id = repository.resolve(run_id)
    from services.run.export import write_frame
    from services.run.frames import find_frame

    with command_errors():
        frame = find_frame(repository, run_id, name, method, settings_given)
    with output_stream(output) as stream:
        write_frame(frame, fmt, stream)


@click.command()
@with_run
@attempt_option()
@click.option("--solution", is_flag=True, help="Include the addresses.")
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    default=PLACED,
    show_default=True,
    help="Whose addresses.",
)
@output_option
def minimalloc(
    repository: Repository,
    run_id: str,
    *,
    attempt: int | None,
    solution: bool,
    layout: str,
    output: Path | None,
) -> None:
    """Write an attempt or memory level as a MiniMalloc CSV. RUN is an id or its beginning.

    The addresses of a solution are those of the run, or those of a built-in allocator.
    """
    from services.run.data_cache import RunDataCache
    from services.run.minimalloc import problem_text

    with command_errors():
        text = problem_text(
            RunDataCache(repository), run_id, attempt, solution=solution, layout=layout
        )
    with output_stream(output) as stream:
        stream.write(text.encode())


@click.command()
@with_run
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder to write to.",
)
def report(repository: Repository, run_id: str, output: Path) -> None:
    """Write the files of the reference script: tile*.json, details.md, index.json, aggregate_perf.json."""
    from analysis.aie.reference_report import report_files

    try:
        files = report_files(
            {name: repository.frame(run_id, name) for name in repository.frame_names(run_id)}
        )
    except (KeyError, ValueError) as error:
        raise click.ClickException(f"cannot create a report of run {run_id}: {error}") from error
    # All names are checked before a file is written.
    for name in files:
        if not is_plain_name(name):
            raise click.ClickException(
                f"the report has a file {name!r}, which is outside of {output}"
            )
    output.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        # newline="" keeps the line ends of the reference script on every system.
        (output / name).write_text(text, encoding="utf-8", newline="")
    click.echo(f"wrote {plural(len(files), 'file')} to {output}")


@click.command()
@with_settings
@click.argument("run_ids", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--state",
    default="",
    metavar="QUERY",
    help="View state: the query string of the page's address.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="HTML file to write.",
)
def snapshot(settings: Settings, run_ids: tuple[str, ...], state: str, output: Path) -> None:
    """Write runs as one HTML file that works offline. RUN is an id or its beginning."""
    repository = settings.repository()
    resolved = list(dict.fromkeys(repository.resolve(run_id) for run_id in run_ids))
    from app.pages.run.snapshot import snapshot_html

    html = snapshot_html(repository, resolved, state.removeprefix("?"))
    with output_stream(output) as stream:
        stream.write(html.encode())
    click.echo(f"wrote {output}")


def is_plain_name(name: str) -> bool:
    """Whether a file of this name stays in the folder that it is written to: no `.`, `..`, slash,
    backslash or null character.
    """
    return name not in ("", ".", "..") and not any(c in name for c in "/\\\0")
