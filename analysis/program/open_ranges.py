"""Open ranges at each node of a graph: loops that its value depends on and that no operand has
closed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from analysis.program.nodes import WorkingNodes

_CLOSED_FROM: Mapping[str, int] = MappingProxyType(
    {"BUFFERIZE": 1, "STAGE": 1, "REDUCE": 1, "END": 1, "STORE": 2, "WMMA": 3}
)
"""Operations that close ranges -> the port of the first operand that names a range."""
_WHOLLY = frozenset(("BUFFERIZE", "STAGE", "REDUCE", "END"))
"""Operations that also close the ranges open at an operand that is not a range itself."""
_NONE: frozenset[int] = frozenset()
"""Empty set of ranges."""
MAX_OPEN = 64
"""Maximum number of open ranges of a node; larger sets count as empty. A GPU kernel has a dozen."""


def open_ranges(nodes: WorkingNodes, order: Sequence[int]) -> dict[int, frozenset[int]]:
    """Map each node to the set of its open ranges (RANGE nodes); `order` lists operands before
    their users.

    Sets of more than MAX_OPEN (64) ranges count as empty. Equal sets are the same object, so a
    graph with many nodes needs few sets.
    """
    opened: dict[int, frozenset[int]] = {}
    closes: dict[int, frozenset[int]] = {}
    same: dict[frozenset[int], frozenset[int]] = {_NONE: _NONE}
    for node in order:
        sources = nodes.sources[node]
        every = {opened[source] for source in sources}
        # Usually all operands have the same set, which is then used as it is.
        own = next(iter(every)) if len(every) == 1 else _NONE.union(*every)
        if nodes.operations[node] in _CLOSED_FROM or nodes.operations[node] == "AFTER":
            closes[node] = _closed_ranges(nodes, opened, closes, node)
            own -= closes[node]
        if nodes.operations[node] == "RANGE":
            own |= {node}
        own = _few(own)
        opened[node] = same.setdefault(own, own)
    return opened


def _closed_ranges(
    nodes: WorkingNodes,
    opened: Mapping[int, frozenset[int]],
    closes: Mapping[int, frozenset[int]],
    node: int,
) -> frozenset[int]:
    """Return the set of ranges that a node closes; an AFTER node closes the ranges that its later
    operands close. Sets of more than 64 count as empty.
    """
    operation = nodes.operations[node]
    sources = nodes.sources[node]
    if operation == "AFTER":
        return _few(_NONE.union(*{closes.get(source, _NONE) for source in sources[1:]}))
    named = sources[_CLOSED_FROM[operation] :]
    ranges = {source for source in named if nodes.operations[source] == "RANGE"}
    inner = (
        [opened[source] for source in named if source not in ranges] if operation in _WHOLLY else []
    )
    return _few(frozenset(ranges).union(*inner))


def _few(ranges: frozenset[int]) -> frozenset[int]:
    return ranges if len(ranges) <= MAX_OPEN else _NONE


def range_number(argument: str) -> str:
    """Parse the name of a range from its argument, all parts but the last: `2_0` for `(2, 0,
    REDUCE)`; the only part if there is a single part.
    """
    parts = [part.strip() for part in argument.strip("()").split(",")]
    return "_".join(parts[:-1] or parts)
