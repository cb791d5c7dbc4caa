"""Output of command `ops` for a profile of ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.run.node_operators import NodeOperators

_MAX_LINES = 50
"""Maximum number of operators that are printed as text."""


def node_lines(result: NodeOperators) -> Iterator[str]:
    """Write a line per type of nodes, in descending order of time."""
    from components.kernels.step_words import time_text
    from components.numbers import rate_text

    heads = f"{'device':>10}  {'host, own':>10}  {'host':>10}  {'FLOP/s':>13}"
    yield f"{heads}  {'calls':>8}  {'nodes':>8}  operator"
    for row in result.rows.head(_MAX_LINES).to_dict("records"):
        times = "  ".join(
            f"{time_text(row[name]):>10}" for name in ("self_device", "self_cpu", "total_cpu")
        )
        nodes = "unknown" if row["nodes"] is None or row["nodes"] != row["nodes"] else row["nodes"]
        rate = rate_text(row["flop_rate"], "FLOP/s")
        yield f"{times}  {rate:>13}  {row['calls']:>8}  {nodes:>8}  {row['name']}"
    left = len(result.rows) - _MAX_LINES
    if left > 0:
        yield f"and {left} more: --json has all"
