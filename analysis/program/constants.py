"""Values of constant nodes."""

from __future__ import annotations

from analysis.program.nodes import WorkingNodes

_CONSTANTS = frozenset(("CONST", "VCONST"))
"""Operations with a constant as argument."""
_STACKS = frozenset(("STACK", "VECTORIZE"))
"""Operations that combine scalars to a vector."""


MAX_VALUES = 100
"""Maximum number of values to write for a constant, which may be an operand of
thousands of nodes.
"""


def constant_values(nodes: WorkingNodes, node: int) -> list[str] | None:
    """Read the values of a constant node, or of a vector of constants, as texts in order; `None` if
    the node is neither.

    Of more than MAX_VALUES (100) values the first 100 are listed, and then a text such as `… 12
    more`.
    """
    operation = nodes.operations[node]
    if operation in _CONSTANTS:
        text = nodes.argument_text(node)
        return _first([part.strip() for part in text.strip("()").split(",") if part.strip()])
    if operation not in _STACKS:
        return None
    sources = nodes.sources[node]
    # A vector is a constant only if all of its elements are.
    if any(nodes.operations[source] != "CONST" for source in sources):
        return None
    return _first([nodes.argument_text(source) for source in sources])


def _first(values: list[str]) -> list[str]:
    left = len(values) - MAX_VALUES
    return [*values[:MAX_VALUES], f"… {left} more"] if left > 0 else values
