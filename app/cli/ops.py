"""Command `ops`: time of a profile's operators on the host and on devices."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from app.cli.records import command_errors, print_record
from app.cli.run_options import with_run

if TYPE_CHECKING:
    from services.run.node_operators import NodeOperators
    from services.run.operators import Operators
    from storage.repository import Repository

_MAX_LINES = 50
"""Maximum number of operators that are printed as text."""


@click.command()
@with_run
@click.option("--json", "as_json", is_flag=True, help="Print JSON, times in ns.")
def ops(repository: Repository, run_id: str, *, as_json: bool) -> None:
    """Print the operators of a profile with their time on the host and on devices.

    RUN is an id or its beginning. The own time of an operator excludes the operators directly inside of it, and
    includes its calls into the device's library. In a profile of ONNX Runtime an operator is a type of nodes.
    """
    from app.run_records import find_run_operators, operators_record
    from services.run.node_operators import NodeOperators

    with command_errors():
        found = find_run_operators(repository, run_id)
    record = operators_record(found)
    lines = _lines(found, has_nodes=isinstance(found, NodeOperators))
    print_record(record, chain([record["sentence"]], lines), as_json=as_json)


def _lines(result: Operators | NodeOperators, *, has_nodes: bool) -> Iterator[str]:
    """Write a line per operator in descending order of time, with its number of nodes if the
    operators are types of nodes.
    """
    from components.kernels.step_words import time_text
    from components.numbers import rate_text

    heads = f"{'device':>10}  {'host, own':>10}  {'host':>10}  {'FLOP/s':>13}  {'calls':>8}"
    yield f"{heads}{'     nodes' if has_nodes else ''}  operator"
    for row in result.rows.head(_MAX_LINES).to_dict("records"):
        times = "  ".join(
            f"{time_text(row[name]):>10}" for name in ("self_device", "self_cpu", "total_cpu")
        )
        nodes = f"  {_node_text(row['nodes']):>8}" if has_nodes else ""
        rate = rate_text(row["flop_rate"], "FLOP/s")
        yield f"{times}  {rate:>13}  {row['calls']:>8}{nodes}  {row['name']}"
    left = len(result.rows) - _MAX_LINES
    if left > 0:
        yield f"and {left} more: --json has all"


def _node_text(nodes: float | None) -> str:
    return "unknown" if nodes is None or math.isnan(nodes) else str(nodes)
