"""Output of command `ops` for a profile of ONNX Runtime."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from app.cli.common import printable

if TYPE_CHECKING:
    from services.run.node_operators import NodeOperators

_MAX_LINES = 50
"""Maximum number of operators that are printed as text."""


def print_node_operators(result: NodeOperators, *, as_json: bool) -> None:
    """Print the operators of a profile, a type of nodes per row, as a table or as JSON."""
    from components.kernels.operator_words import operators_sentence
    from services.run.node_operators import node_operators_mapping

    sentence = operators_sentence(result.rows, result.runs, result.unattributed)
    if as_json:
        mapping = node_operators_mapping(result) | {"sentence": sentence}
        click.echo(json.dumps(mapping, ensure_ascii=False))
        return
    for line in (sentence or "No operator took time.", *_lines(result)):
        click.echo(printable(line))


def _lines(result: NodeOperators) -> Iterator[str]:
    from components.kernels.step_words import time_text

    yield f"{'device':>10}  {'host, own':>10}  {'host':>10}  {'calls':>8}  {'nodes':>8}  operator"
    for row in result.rows.head(_MAX_LINES).to_dict("records"):
        times = "  ".join(
            f"{time_text(row[name]):>10}" for name in ("self_device", "self_cpu", "total_cpu")
        )
        nodes = "unknown" if row["nodes"] is None or row["nodes"] != row["nodes"] else row["nodes"]
        yield f"{times}  {row['calls']:>8}  {nodes:>8}  {row['name']}"
    left = len(result.rows) - _MAX_LINES
    if left > 0:
        yield f"and {left} more: --json has all"
