"""Numbers that constants of a graph are made of: what gives a shape."""

from __future__ import annotations

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
