"""Command `trend`: a metric over time."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.common import COUNT, printable, with_settings
from app.cli.records import command_errors

if TYPE_CHECKING:
    from analysis.comparison.series import Series
    from app.config.settings import Settings
    from services.trends.compared_trend import Trend

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@with_settings
@click.option("--metric", help="A headline metric, such as gmacs_mean.")
@click.option("--source", help="Only runs of this source.")
@click.option("--hwid", help="Only runs of this hardware.")
@click.option("--M", "M", type=COUNT, help="Only GEMMs with this many rows.")
@click.option("--K", "K", type=COUNT, help="Only GEMMs with this reduction length.")
@click.option("--N", "N", type=COUNT, help="Only GEMMs with this many columns.")
@click.option("--tag", help="Only runs with this tag.")
@click.option(
    "--search", default="", help="Only runs in which every word occurs, as in `runs --search`."
)
@click.option("--rule", help="Name of a baseline rule whose verdict about each run is printed.")
@click.option(
    "--values", type=_FILE, metavar="FILE", help="JSON file of values to use instead of runs."
)
@click.option(
    "--polarity",
    type=click.Choice(["1", "-1", "0"]),
    default="1",
    show_default=True,
    help="Polarity of --values: 1 if more is better, -1 if less is better, 0 if neither.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def trend(
    settings: Settings,
    *,
    metric: str | None,
    search: str,
    rule: str | None,
    values: Path | None,
    polarity: str,
    as_json: bool,
    **filters: str | int | None,
) -> None:
    """Print a metric of the matching runs in the order of their capture, a series per kind of run.

    Steps, dips and drifts are listed with their size and verdict; the verdict of a step or a dip is
    that of `compare` for the runs before and after it. With --values the numbers come from a file:
    {"series": [{"name": "a", "values": [1.5, 2]}]}.
    """
    if (metric is None) == (values is None):
        raise click.UsageError("give --metric, or a file with --values")
    if values is not None:
        _print_values(values, int(polarity), as_json=as_json)
        return
    from components.comparison.trend_names import series_names
    from components.comparison.trend_notes import left_out_text
    from services.baselines.members import BaselineError
    from services.trends.compared_trend import TrendError
    from services.trends.compared_trend import trend as trend_of

    with command_errors(TrendError, BaselineError):
        result = trend_of(settings.repository(), str(metric), filters, rule, search=search)
    if as_json:
        click.echo(json.dumps(result.record(), indent=2))
        return
    for name, series in zip(series_names(result.series), result.series, strict=True):
        _print_series(name, series, result)
    if not result.series:
        click.echo("no runs", err=True)
    if result.left_out:
        click.echo(printable(left_out_text(result.left_out, result.metric)), err=True)


def _print_values(file: Path, polarity: int, *, as_json: bool) -> None:
    """Print the development of each series of numbers in a file, as lines or JSON, without opening
    a store; `polarity` is 1, -1 or 0.

    Raises ClickException if the file is invalid.
    """
    from components.comparison.trend_words import development_text
    from services.trends.trend_values import TrendFileError, read_trends

    with command_errors(TrendFileError):
        trends = read_trends(file, polarity)
    if as_json:
        records = [{"name": series.name, **series.development.record()} for series in trends]
        click.echo(json.dumps({"series": records}))
        return
    for series in trends:
        text = development_text(len(series.values), series.development, "{:.6g}".format)
        click.echo(printable(f"{series.name}: {text}"))


def _print_series(name: str, series: Series, result: Trend) -> None:
    """Print how the metric developed, or why that is unknown, then a line per run.

    A run's line has its change and its verdict, if there are any.
    """
    from components.comparison.trend_words import change_text, development_text, value_text

    changes = {event.first: f"  {change_text(event)}" for event in series.development.changes}
    text = development_text(
        len(series.points), series.development, partial(value_text, metric=result.metric)
    )
    # A note says why the development is unknown, so it is not part of the output.
    click.echo(printable(f"{name}: {text}"), err=bool(series.development.note))
    for at, point in enumerate(series.points):
        verdict = result.verdict_of(point)
        verdict_text = f"  {verdict}" if verdict else ""
        click.echo(
            printable(f"{point.run_id}  {point.value:.6g}{verdict_text}{changes.get(at, '')}")
        )
