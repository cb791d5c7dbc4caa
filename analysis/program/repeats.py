"""Finds repeats in a graph: operands of equal structure that feed the same user, or chain of users,
as unrolling creates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.program.picture import GraphPicture
from analysis.program.state import State

MIN_MEMBERS = 4
"""Minimum number of equal parts that form a repeat."""
_NUMBERED = frozenset(("CONST", "VCONST", "RANGE"))
"""Operations with an argument that may differ between equal parts."""
_MAX_VISITED, _MAX_VALUES = 60, 16
"""Maximum number of nodes of a part that are searched for differences, and of values that are
listed.
"""


@dataclass(frozen=True)
class Repeat:
    """Nodes of equal structure, and a description of their difference, "" if it is unknown."""

    members: Sequence[int]
    differ: str


def find_repeats(state: State, picture: GraphPicture) -> list[Repeat]:
    """Find the repeats of a picture (at least MIN_MEMBERS, 4, nodes of equal structure), with their
    members in the order of the graph; [] without any.
    """
    users: dict[int, list[int]] = {}
    for edge in picture.edges:
        users.setdefault(edge.operand, []).append(edge.user)
    alike = _structures(state)
    ends = _chain_ends(state, picture, users)
    groups: dict[tuple[int, int], list[int]] = {}
    for node in picture.nodes:
        own = users.get(node, ())
        if len(own) == 1:
            groups.setdefault((ends[own[0]], alike[node]), []).append(node)
    return [
        Repeat(members, _difference(state, members))
        for members in groups.values()
        if len(members) >= MIN_MEMBERS
    ]


def _structures(state: State) -> dict[int, int]:
    """Map each node to a number, which is equal for nodes of equal structure: operation, type,
    argument and operands, apart from the values of constants and ranges.
    """
    nodes = state.nodes
    numbers = dict[tuple[object, ...], int]()
    structure: dict[int, int] = {}
    for node in state.order:
        operation = nodes.operations[node]
        # Unrolled copies differ in their constants and ranges, so these arguments do not count.
        argument = "" if operation in _NUMBERED else nodes.argument_text(node)
        key = (
            operation,
            nodes.dtypes[node],
            argument,
            *(structure[source] for source in nodes.sources[node]),
        )
        structure[node] = numbers.setdefault(key, len(numbers))
    return structure


def _chain_ends(
    state: State, picture: GraphPicture, users: Mapping[int, Sequence[int]]
) -> dict[int, int]:
    """Map each node of the picture to the last node of its chain of users, itself if no user
    continues the chain.

    The nodes of a chain have the same operation and type, and each is the only user of the node
    before it.
    """
    nodes = state.nodes
    ends: dict[int, int] = {}
    for node in reversed(picture.nodes):
        after = users.get(node, ())
        goes_on = len(after) == 1 and _kind(nodes.operations, nodes.dtypes, node, after[0])
        ends[node] = ends[after[0]] if goes_on else node
    return ends


def _kind(operations: Sequence[str], dtypes: Sequence[str], node: int, other: int) -> bool:
    return operations[node] == operations[other] and dtypes[node] == dtypes[other]


def _difference(state: State, members: Sequence[int]) -> str:
    """Describe which constant or range differs between the parts, with its values, such as
    `constant 0, 1, 2 and 4 more`; "" if no difference was found in the first 60 nodes.
    """
    values = [_numbers(state, member) for member in members[:_MAX_VALUES]]
    for place, first in enumerate(values[0]):
        own = [part[place] for part in values if place < len(part)]
        if any(number != first for number in own):
            left = len(members) - len(own)
            return f"{first[0]} {', '.join(number[1] for number in own)}{f' and {left} more' if left else ''}"
    return ""


def _numbers(state: State, node: int) -> list[tuple[str, str]]:
    """List constants and ranges of the part that ends in a node as (`constant` or `range`,
    argument), in the order of its operands; only the first 60 nodes are searched.
    """
    nodes = state.nodes
    waiting = [node]
    numbers = list[tuple[str, str]]()
    looked = 0
    while waiting and looked < _MAX_VISITED:
        looked += 1
        at = waiting.pop()
        if nodes.operations[at] in _NUMBERED:
            word = "range" if nodes.operations[at] == "RANGE" else "constant"
            numbers.append((word, nodes.argument_text(at)))
        waiting += reversed(nodes.sources[at])
    return numbers
