"""`trend`: a number over time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from app.cli.common import printable, with_settings

if TYPE_CHECKING:
    from app.settings import Settings


@click.command()
@with_settings
@click.option("--metric", required=True, help="A headline metric, such as gmacs_mean.")
@click.option("--source", help="Only runs of this source.")
@click.option("--hwid", help="Only runs of this hardware.")
@click.option("--M", "m", type=int, help="Only runs of GEMMs of this size.")
@click.option("--K", "k", type=int)
@click.option("--N", "n", type=int)
@click.option("--tag", default="", help="Only runs with this tag.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def trend(
    settings: Settings,
    *,
    metric: str,
    source: str | None,
    hwid: str | None,
    m: int | None,
    k: int | None,
    n: int | None,
    tag: str,
    as_json: bool,
) -> None:
    """Print a metric over the runs that fit, in the order in which they were captured, and where it changes."""
    from services.trend import TrendError
    from services.trend import trend as trend_of

    filters = {"source": source, "hwid": hwid, "M": m, "K": k, "N": n}
    try:
        found = trend_of(settings.repository(), metric, filters, tag)
    except TrendError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(found.record(), indent=2))
        return
    changes = {point.index: point for point in found.change_points}
    for index, (run_id, value) in enumerate(found.points):
        change = f"  {changes[index].verdict} by {100 * changes[index].relative:+.1f} %" if index in changes else ""
        click.echo(printable(f"{run_id}  {value:.6g}{change}"))
    if found.note:
        click.echo(found.note, err=True)
