"""Command `pace`: limiters of a capture, and the rate without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from app.cli.common import set_option
from app.cli.records import command_errors, print_record
from app.cli.run_options import method_option, with_run
from schema.decimals import decimals
from schema.plurals import plural

if TYPE_CHECKING:
    from analysis.aie.pace.pace import Pace
    from storage.repository import Repository


@click.command()
@with_run
@method_option("Method of the analysis.")
@set_option(
    "Setting of the run to compute with, such as clock_hz=1.8GHz; the stored run stays as it is."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def pace(
    repository: Repository,
    run_id: str,
    *,
    method: str,
    settings_given: dict[str, str],
    as_json: bool,
) -> None:
    """Print the limiters of the rate of a capture of an array, the gain without each, and the time
    of each core by part.

    RUN is an id or its beginning. Cycles are means over the complete perf iterations.
    """
    from services.run.pace import find_pace, pace_mapping

    with command_errors():
        result = find_pace(repository, run_id, method, settings_given)
    print_record(pace_mapping(result), _lines(result), as_json=as_json)


def _lines(result: Pace) -> Iterator[str]:
    """Yield the sentence and the rate, a line per limiter by rank from 1, and a line per core
    (cycles), cores without slack first.
    """
    yield result.sentence
    yield f"{plural(round(result.elapsed), 'cycle')} per iteration, {_rate(result.gmacs)} GMAC/s"
    if result.limiters:
        yield "rank  cycles    share  if fixed  cumulative  limiter"
    for rank, one in enumerate(result.limiters, start=1):
        rates = f"{_rate(one.gmacs_if_fixed):>8}  {_rate(one.cumulative_gmacs):>10}"
        size = f"{one.cycles:>6.0f}  {100 * one.share:>5.1f} %"
        others = [str(other) for other in one.together]
        together = f", together with {', '.join(others)}" if others else ""
        yield f"{rank:>4}  {size}  {rates}  {one.where}: {one.what.replace('_', ' ')}{together}"
    for tile in result.tiles.sort_values("slack", kind="stable").to_dict("records"):
        parts = [
            f"{str(name).replace('_', ' ')} {cycles:.0f}"
            for name, cycles in tile.items()
            # Less than half a cycle would be printed as 0.
            if name not in ("tile", "slack") and cycles >= 0.5
        ]
        parts += [
            f"waits for {name} {cycles:.0f}"
            for name, cycles in result.waits.get(tile["tile"], {}).items()
            if cycles >= 0.5
        ]
        yield f"{tile['tile']}  slack {tile['slack']:.0f}: {', '.join(parts)}"


def _rate(gmacs: float | None) -> str:
    return "-" if gmacs is None else decimals(gmacs, 1)
