"""The run that a command is about, and options that several commands of runs have."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import INDEX, Command, with_settings
from schema.choices import METHODS

if TYPE_CHECKING:
    from app.config.settings import Settings


def with_run(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: add the option `--data` and the argument RUN, and pass the store and the id
    of the run to the command as its first two arguments.
    """

    @with_settings
    @click.argument("run_id", metavar="RUN")
    @functools.wraps(command)
    def run(settings: Settings, run_id: str, **arguments: object) -> None:
        repository = settings.repository()
        command(repository, repository.resolve(run_id), **arguments)

    return run


def method_option(meaning: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the option `--method` with the methods of the analysis."""
    kind = click.Choice(METHODS)
    return click.option("--method", type=kind, default=METHODS[0], show_default=True, help=meaning)


def steps_option(command: Command) -> Command:
    """Add the option `--steps PREFIX` as the argument `prefix`, by default ""."""
    meaning = (
        "Take the annotations whose names begin with PREFIX as steps, in place of the profiler's."
    )
    return click.option("--steps", "prefix", metavar="PREFIX", default="", help=meaning)(command)


def output_option(command: Command) -> Command:
    """Add the option `--output` as the argument `output`, a file or None."""
    kind = click.Path(dir_okay=False, path_type=Path)
    return click.option("--output", type=kind, help="File to write instead of stdout.")(command)


def attempt_option(default: str = "the one shown first") -> Callable[[Command], Command]:
    """Return a decorator that adds the option `--attempt RANK`; `default` describes its default in
    the help text.
    """
    meaning = f"Attempt or level, by its rank (default: {default})."
    return click.option("--attempt", type=INDEX, help=meaning)


def format_option(
    formats: Sequence[str], meaning: str = "Format of the output."
) -> Callable[[Command], Command]:
    """Return a decorator that adds the option `--format` as the argument `fmt`; the first format is
    the default.
    """
    kind = click.Choice(formats)
    return click.option(
        "--format", "fmt", type=kind, default=formats[0], show_default=True, help=meaning
    )


def thresholds_option(command: Command) -> Command:
    """Add the option `--threshold METRIC=PERCENT`, which may be repeated, as `thresholds`."""
    return click.option(
        "--threshold",
        "thresholds",
        multiple=True,
        metavar="METRIC=PERCENT",
        help="Smallest change that counts as a change.",
    )(command)


def check_parquet_output(fmt: str, output: Path | None) -> None:
    """Raise UsageError if a command would write Parquet, which is binary, to a terminal."""
    if fmt == "parquet" and output is None and sys.stdout.isatty():
        raise click.UsageError(
            "Parquet cannot be written to a terminal: give a file with --output, or redirect stdout"
        )
