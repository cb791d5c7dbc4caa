"""Shapes of nodes, as far as the nodes themselves say them: what depends on a tool's own inference is not known."""

from __future__ import annotations

from collections.abc import Callable

from analysis.program.nodes import WorkingNodes

_CONSTANTS = frozenset(("CONST", "VCONST"))
_STACKS = frozenset(("STACK", "VECTORIZE"))


MOST_VALUES = 100
"""Numbers of a constant that are written; it may be an operand of thousands of nodes."""


def constant_values(nodes: WorkingNodes, node: int) -> list[str] | None:
    """Return the texts of the numbers that a node is made of, with how many more there are as the last; None where it
    is no constant.
    """
    operation = nodes.operations[node]
    if operation in _CONSTANTS:
        text = nodes.argument_text(node)
        return _first([part.strip() for part in text.strip("()").split(",") if part.strip()])
    if operation not in _STACKS:
        return None
    sources = nodes.sources[node]
    if any(nodes.operations[source] != "CONST" for source in sources):
        return None
    return _first([nodes.argument_text(source) for source in sources])


def _first(values: list[str]) -> list[str]:
    left = len(values) - MOST_VALUES
    return [*values[:MOST_VALUES], f"… {left} more"] if left > 0 else values


def shape_text(nodes: WorkingNodes, node: int, values_of: Callable[[int], list[str] | None]) -> str:
    """Return `shape (2, 64)` of a node that names its shape as an operand of constants; empty where it does not.

    `values_of` returns what `constant_values` does.
    """
    sources = nodes.sources[node]
    if nodes.operations[node] not in ("RESHAPE", "EXPAND") or len(sources) < 2:
        return ""
    values = values_of(sources[1])
    return f"shape ({', '.join(values)})" if values is not None else ""
