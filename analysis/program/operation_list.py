"""List of the operations of a compiled program, in the order of execution."""

from __future__ import annotations

from analysis.program.nodes import Nodes

MAX_OPERATIONS = 20_000
"""Maximum number of operations in the list."""
_MAX_ARGUMENT = 200
"""Maximum number of characters of an argument."""


def operation_list(nodes: Nodes, program: int) -> list[str]:
    """Write a line per operation of the LINEAR node below a PROGRAM node, in order of execution; []
    if it has no such list.

    `3 ADD float (1, 2)`: index (from 0), operation, type, indices of the operands (`-` outside of
    the list), argument; at most MAX_OPERATIONS (20,000) lines.
    """
    lists = [source for source in nodes.sources[program] if nodes.operations[source] == "LINEAR"]
    listed = nodes.sources[lists[0]][:MAX_OPERATIONS] if lists else ()
    place = {node: rank for rank, node in enumerate(listed)}
    return [_line(nodes, node, place) for node in listed]


def _line(nodes: Nodes, node: int, place: dict[int, int]) -> str:
    operands = ", ".join(
        str(place[source]) if source in place else "-" for source in nodes.sources[node]
    )
    dtype = nodes.dtypes[node]
    argument = " ".join(nodes.argument_texts[node].split())[:_MAX_ARGUMENT]
    parts = [
        nodes.operations[node],
        "" if dtype == "void" else dtype,
        f"({operands})" if operands else "",
        argument,
    ]
    return f"{place[node]:4} {' '.join(part for part in parts if part)}"
