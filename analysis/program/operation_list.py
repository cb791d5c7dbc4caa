"""The list of operations that a program is compiled to, in the order in which they run."""

from __future__ import annotations

from analysis.program.nodes import Nodes

MOST_OPERATIONS = 20_000
_MOST_ARGUMENT = 200


def operation_list(nodes: Nodes, program: int) -> list[str]:
    """Return a line per operation of the list that is an operand of a node PROGRAM; empty where there is none.

    `3 ADD float (1, 2)`: its place, operation, type, places of its operands, argument; at most MOST_OPERATIONS.
    """
    lists = [source for source in nodes.sources[program] if nodes.operations[source] == "LINEAR"]
    listed = nodes.sources[lists[0]][:MOST_OPERATIONS] if lists else ()
    place = {node: rank for rank, node in enumerate(listed)}
    return [_line(nodes, node, place) for node in listed]


def _line(nodes: Nodes, node: int, place: dict[int, int]) -> str:
    operands = ", ".join(str(place[source]) if source in place else "-" for source in nodes.sources[node])
    dtype = nodes.dtypes[node]
    argument = " ".join(nodes.argument_texts[node].split())[:_MOST_ARGUMENT]
    said = [nodes.operations[node], "" if dtype == "void" else dtype, f"({operands})" if operands else "", argument]
    return f"{place[node]:4} {' '.join(part for part in said if part)}"
