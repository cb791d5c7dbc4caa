"""Command `predict`: compare the cycles that a performance model predicted with the measured
cycles.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import with_settings
from app.cli.records import command_errors, print_record
from schema.decimals import share_percent
from schema.plurals import plural

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.command()
@with_settings
@click.argument("run_ids", metavar="[RUN]...", nargs=-1)
@click.option(
    "--records",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Compare the records of a sweep of IRON (records.jsonl) instead of runs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def predict(
    settings: Settings, run_ids: tuple[str, ...], *, records: Path | None, as_json: bool
) -> None:
    """Print predicted and measured cycles of captures, and for several runs the regret of the
    model's choice.

    RUN is an id or its beginning. The predictions are in a file next to the trace:
    slot_latency_breakdown.yaml of stream or estimate.json of IRON.
    """
    if bool(run_ids) == (records is not None):
        raise click.UsageError("give RUN, one or several, or --records FILE")
    with command_errors():
        mapping = _sweep(records) if records is not None else _runs(settings, run_ids)
    lines = _sweep_lines(mapping) if records is not None else _run_lines(mapping)
    print_record(mapping, lines, as_json=as_json)


def _runs(settings: Settings, run_ids: tuple[str, ...]) -> dict[str, Any]:
    from schema.choices import METHODS
    from services.run.data_cache import RunDataCache
    from services.run.predict import predict_mapping

    repository = settings.repository()
    resolved = dict.fromkeys(repository.resolve(run_id) for run_id in run_ids)
    cache = RunDataCache(repository)
    return predict_mapping([cache.get(run_id, METHODS[0], {}) for run_id in resolved])


def _sweep(records: Path) -> dict[str, Any]:
    from services.run.sweep_records import records_mapping

    return records_mapping(records)


def _run_lines(mapping: dict[str, Any]) -> Iterator[str]:
    """Yield lines per run: its terms in cycles; then a line per problem with its regret."""
    for run in mapping["runs"]:
        yield f"{run['run_id']}  {plural(run['kernels'], 'kernel')}"
        for term in run["terms"]:
            numbers = (
                f"predicted {_cycles(term['predicted'])}, measured {_cycles(term['measured'])}"
            )
            end = (
                f"{share_percent(term['residual'], signed=True)} of measured"
                if term["residual"] is not None
                else term["reason"]
            )
            yield f"  {term['term']:<8} {numbers}: {end}"
    for regret in mapping["regret"]:
        chosen = "x".join(map(str, regret["chosen"]["tile"]))
        fastest = "x".join(map(str, regret["fastest"]["tile"]))
        lost = share_percent(regret["regret"])
        yield f"{plural(regret['runs'], 'run')}: the model chooses {chosen}, fastest is {fastest}, regret {lost}"


def _cycles(value: float | None) -> str:
    return "unknown" if value is None else plural(round(value), "cycle")


def _sweep_lines(mapping: dict[str, Any]) -> Iterator[str]:
    """Yield the dispatch floor, a line per candidate in microseconds, and a line per choice."""
    floor = mapping["dispatch_us"]
    yield f"dispatch {'unknown' if floor is None else f'{floor:g} us'}, {mapping['failed']} failed"
    for row in mapping["latency"]:
        numbers = f"predicted {row['predicted_us']:.1f} us, measured {row['measured_us']:.1f} us"
        residual = share_percent(row["residual"], signed=True)
        yield f"{row['shape']} {row['seq_len']} {row['candidate']}: {numbers}, {residual} of measured"
    for row in mapping["choices"]:
        yield (
            f"{row['shape']} {row['seq_len']}: built {row['built']}, priced fastest {row['priced_fastest']}, "
            f"measured fastest {row['measured_fastest']}, regret {share_percent(row['regret'])}"
        )
