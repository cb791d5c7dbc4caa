"""Command `compare`: compares runs with runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from app.cli.common import CannotDecideError, printable, set_option, with_settings
from app.cli.run_options import thresholds_option

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.command()
@with_settings
@click.argument("runs", metavar="[BASE NEW]", nargs=-1)
@click.option("--base", multiple=True, metavar="RUN", help="A run of the base; repeatable.")
@click.option(
    "--new",
    multiple=True,
    metavar="RUN",
    help="A run of the group to compare with the base; repeatable.",
)
@set_option(
    "Setting of the base to compute with, such as clock_hz=1.8GHz.", "--set-base", "set_base"
)
@set_option(
    "Setting of the new runs to compute with; the stored runs stay as they are.",
    "--set-new",
    "set_new",
)
@thresholds_option
@click.option("--json", "as_json", is_flag=True, help="Print the complete comparison as JSON.")
def compare(
    settings: Settings,
    runs: tuple[str, ...],
    *,
    base: tuple[str, ...],
    new: tuple[str, ...],
    set_base: dict[str, str],
    set_new: dict[str, str],
    thresholds: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compare two runs, or groups of runs.

    BASE and NEW are ids or beginnings of them. The exit code is 0 for every verdict, and 2 if the
    runs have different sources.
    """
    if bool(runs) == bool(base or new) or (runs and len(runs) != 2) or bool(base) != bool(new):
        raise click.UsageError(
            "give two runs, BASE and NEW, or groups of runs with --base and --new"
        )
    from services.comparison.compare import CompareError
    from services.comparison.compare import compare as compared
    from services.comparison.thresholds import parse_thresholds

    repository = settings.repository()
    sides = [
        [repository.resolve(run) for run in side]
        for side in ((runs[:1], runs[1:]) if runs else (base, new))
    ]
    try:
        comparison = compared(
            repository, sides[0], sides[1], parse_thresholds(thresholds), (set_base, set_new)
        )
    except CompareError as error:
        raise CannotDecideError(str(error)) from error
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    from app.gate_formats import comparison_json, comparison_text

    text = comparison_json(comparison) if as_json else comparison_text(comparison)
    # Line by line, as `printable` replaces line ends too.
    click.echo("\n".join(map(printable, text.splitlines())))
