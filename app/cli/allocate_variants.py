"""Variants of `allocate`: all strategies on several runs, and placements that move few bytes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import output_stream, printable
from app.cli.records import command_errors
from schema.plurals import plural

if TYPE_CHECKING:
    from app.config.settings import Settings
    from services.lab.allocate import Asked

TEXT, JSON, CSV = "text", "json", "csv"
DEFAULT_SECONDS = 10.0
"""Time limit in seconds of an attempt if neither time nor effort is limited."""


def build_search(options: dict[str, Any], strategy: str) -> Asked:
    """Build the settings of the search from the options of the command; without seconds and effort
    the time limit is DEFAULT_SECONDS (10 s).

    Raises UsageError if a block is fixed twice.
    """
    from analysis.allocators.placement import Question
    from services.lab.allocate import Asked

    seconds = options["seconds"]
    effort = options["effort"]
    # A dict would keep only the last address of a block that is given twice.
    counts = Counter(block for block, _ in options["fixed"])
    repeated = [block for block, count in counts.items() if count > 1]
    if repeated:
        raise click.UsageError(f"--fix: block {repeated[0]} can be fixed only once")
    fixed = dict(options["fixed"])
    # With an effort the result is the same on every machine, which a time limit would undo.
    seconds = DEFAULT_SECONDS if seconds is None and effort is None else seconds
    return Asked(
        strategy, options["capacity"], Question(None, seconds, effort, options["seed"]), fixed
    )


def print_matrix(
    settings: Settings, prefixes: Sequence[str], options: dict[str, Any], form: str
) -> None:
    """Print a cell per run, attempt and strategy, as text, JSON or CSV.

    Raises UsageError if options do not fit; strategies that cannot run have refused cells.
    """
    if any(options[name] for name in ("strategy", "keep", "fixed")):
        raise click.UsageError("--all-strategies excludes --strategy, --keep and --fix")
    from analysis.allocators.listed import DEFAULT
    from services.lab.allocate import choose_attempts, memory_of, prepare
    from services.lab.matrix import matrix_cells
    from services.lab.matrix_table import matrix_frame
    from services.run.data_cache import RunDataCache
    from services.run.export import write_frame

    repository = settings.repository()
    ids = list(dict.fromkeys(map(repository.resolve, prefixes)))
    cache = RunDataCache(repository)
    runs = []
    for run_id in ids:
        memory = memory_of(cache, run_id)
        runs.append(
            (
                run_id,
                memory,
                choose_attempts(memory, run_id, options["attempt"], every=options["every"]),
            )
        )
    try:
        prepare(DEFAULT, lambda sentence: click.echo(sentence, err=True))
    # Without a compiler the simple strategies still run, and fill their cells.
    except RuntimeError as error:
        click.echo(f"{error}; its cells are empty", err=True)
    cells = list(matrix_cells(runs, build_search(options, DEFAULT)))
    if form == JSON:
        click.echo(json.dumps({"matrix": cells}))
    elif form == CSV:
        with output_stream(None) as stream:
            write_frame(matrix_frame(cells), "csv", stream)
    else:
        click.echo("\n".join(map(_cell_line, cells)))


def print_front(settings: Settings, prefix: str, options: dict[str, Any], *, as_json: bool) -> None:
    """Print placements of an attempt, from no moved block to the lowest extent, as lines or JSON.

    Raises UsageError if options do not fit, ClickException if there is no compiler or the problem
    is invalid.
    """
    if options["strategy"] or options["keep"] or options["every"]:
        raise click.UsageError("--keep-most excludes --strategy, --keep and --all")
    from analysis.allocators.listed import DEFAULT
    from services.lab.allocate import choose_attempts, memory_of, prepare
    from services.lab.least_moved import move_front
    from services.run.data_cache import RunDataCache

    repository = settings.repository()
    run_id = repository.resolve(prefix)
    memory = memory_of(RunDataCache(repository), run_id)
    (attempt,) = choose_attempts(memory, run_id, options["attempt"], every=False)
    with command_errors(ValueError, RuntimeError):
        prepare(DEFAULT, lambda sentence: click.echo(sentence, err=True))
        front = move_front(memory, attempt, build_search(options, DEFAULT))
    click.echo(
        json.dumps({"front": front})
        if as_json
        else "\n".join(map(_point_line, front)) or "No placement."
    )


def _cell_line(cell: dict[str, Any]) -> str:
    """Format a cell of the matrix as a line of text: run, attempt, strategy, status, then the
    reason of a refusal, or extent and bound in bytes and seconds.
    """
    head = f"{cell['run_id']}  {cell['label']}  {cell['strategy']}: {cell['status']}"
    if cell["reason"]:
        return printable(f"{head}, {cell['reason']}")
    extent = "no placement" if cell["extent"] is None else plural(cell["extent"], "byte")
    return printable(f"{head}, {extent} of at least {cell['bound']}, {cell['seconds']:.2f} s")


def _point_line(point: dict[str, Any]) -> str:
    """Format a placement of the front as a line of text: moved bytes and blocks, extent and bound
    in bytes.
    """
    of = f"{plural(point['moved_bytes'], 'byte')} of {plural(point['moved_blocks'], 'block')}"
    return f"{of} moved: {plural(point['extent'], 'byte')} of at least {point['bound']}"
