"""Command `plan`: memory of all operators of a network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import ByteSizes, printable, with_settings

if TYPE_CHECKING:
    from app.config.settings import Settings


@click.command()
@with_settings
@click.argument("run_id", metavar="RUN")
@click.option(
    "--level",
    metavar="NAME",
    help="Memory level (default: all levels, and the two innermost levels together).",
)
@click.option(
    "--capacities", type=ByteSizes(), default=(), help="Capacities to try, such as 64KiB,128KiB."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, with every operator and every capacity."
)
def plan(
    settings: Settings,
    run_id: str,
    *,
    level: str | None,
    capacities: tuple[int, ...],
    as_json: bool,
) -> None:
    """Print what all operators of a network move at each memory level, and the smallest capacity that they fit.

    RUN is an id or its beginning, of a run whose operators are cut into tiles, such as one of Deeploy.
    """
    repository = settings.repository()
    run_id = repository.resolve(run_id)
    from schema.choices import METHODS
    from services.run.data import RunDataCache
    from services.run.plan import plan_mapping

    try:
        mapping = plan_mapping(
            RunDataCache(repository).get(run_id, METHODS[0], {}), level, capacities
        )
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(mapping, ensure_ascii=False))
        return
    for line in _lines(mapping):
        click.echo(printable(line))


def _lines(mapping: dict[str, Any]) -> Iterator[str]:
    """Yield lines for each level: traffic in bytes, smallest capacity, operators that move most,
    tried capacities.
    """
    for level in mapping["levels"]:
        least = level["least_capacity"]
        lacking = (
            f", {level['unknown']} of {len(level['operators'])} operators unknown"
            if level["unknown"]
            else ""
        )
        yield f"{level['level']}: {level['bytes_in']} bytes in, {level['bytes_out']} out{lacking}"
        yield f"  smallest capacity {least['any']} bytes, as tiled {least['chosen']}, now {level['capacity']}"
        for row in level["worst"]:
            yield f"  {row['share']:6.1%}  {row['bytes_in']} in, {row['bytes_out']} out  {row['name']}"
        for row in level["sweep"]:
            moved = (
                f"{row['bytes']} bytes moved"
                if row["feasible"]
                else f"{row['fitting']} operators fit"
            )
            yield f"  capacity {row['capacity']}: {moved}"
