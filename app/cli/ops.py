"""Command `ops`: time of a profile's operators on the host and on devices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from app.cli.common import printable, with_settings
from app.cli.node_operators import node_lines

if TYPE_CHECKING:
    from app.config.settings import Settings
    from services.run.operators import Operators

_MAX_LINES = 50
"""Maximum number of operators that are printed as text."""


@click.command()
@with_settings
@click.argument("run_id", metavar="RUN")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, times in ns.")
def ops(settings: Settings, run_id: str, *, as_json: bool) -> None:
    """Print the operators of a profile with their time on the host and on devices.

    RUN is an id or its beginning. Time of its own is without the operators directly inside of an operator; it
    includes its calls into the device's library. Of ONNX Runtime an operator is a type of nodes.
    """
    repository = settings.repository()
    run_id = repository.resolve(run_id)
    from app.run_records import find_run_operators, operators_record
    from services.run.node_operators import NodeOperators

    try:
        found = find_run_operators(repository, run_id)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    record = operators_record(found)
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    click.echo(printable(record["sentence"]))
    lines = node_lines(found) if isinstance(found, NodeOperators) else _lines(found)
    for line in lines:
        click.echo(printable(line))


def _lines(result: Operators) -> Iterator[str]:
    from components.kernels.step_words import time_text
    from components.numbers import rate_text

    yield f"{'device':>10}  {'host, own':>10}  {'host':>10}  {'FLOP/s':>13}  {'calls':>8}  operator"
    for row in result.rows.head(_MAX_LINES).to_dict("records"):
        times = "  ".join(
            f"{time_text(row[name]):>10}" for name in ("self_device", "self_cpu", "total_cpu")
        )
        rate = rate_text(row["flop_rate"], "FLOP/s")
        yield f"{times}  {rate:>13}  {row['calls']:>8}  {row['name']}"
    left = len(result.rows) - _MAX_LINES
    if left > 0:
        yield f"and {left} more: --json has all"
