"""Ranges that are open at each node of a graph: loops that its value depends on and that nothing closed below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from analysis.program.nodes import WorkingNodes

_CLOSED_FROM: Mapping[str, int] = MappingProxyType(
    {"BUFFERIZE": 1, "STAGE": 1, "REDUCE": 1, "END": 1, "STORE": 2, "WMMA": 3}
)
"""Operations that close ranges -> the first of their operands that name them."""
_WHOLLY = frozenset(("BUFFERIZE", "STAGE", "REDUCE", "END"))
"""Those that also close what is open at an operand that is no range itself."""
_NONE: frozenset[int] = frozenset()
MOST_OPEN = 64
"""Ranges of a node; where there would be more, none is told. A GPU kernel has a dozen."""


def open_ranges(nodes: WorkingNodes, order: Sequence[int]) -> dict[int, frozenset[int]]:
    """Return node -> the nodes of its open ranges; `order` has operands before what uses them.

    Equal sets are one, so that a graph of many nodes has few.
    """
    found: dict[int, frozenset[int]] = {}
    closes: dict[int, frozenset[int]] = {}
    same: dict[frozenset[int], frozenset[int]] = {_NONE: _NONE}
    for node in order:
        sources = nodes.sources[node]
        every = {found[source] for source in sources}
        own = next(iter(every)) if len(every) == 1 else _NONE.union(*every)
        if nodes.operations[node] in _CLOSED_FROM or nodes.operations[node] == "AFTER":
            closes[node] = _ranges_closed_by(nodes, found, closes, node)
            own -= closes[node]
        if nodes.operations[node] == "RANGE":
            own |= {node}
        own = _few(own)
        found[node] = same.setdefault(own, own)
    return found


def _ranges_closed_by(
    nodes: WorkingNodes, found: Mapping[int, frozenset[int]], closes: Mapping[int, frozenset[int]], node: int
) -> frozenset[int]:
    """Return the ranges that a node closes; what comes after others closes what they do."""
    operation, sources = nodes.operations[node], nodes.sources[node]
    if operation == "AFTER":
        return _few(_NONE.union(*{closes.get(source, _NONE) for source in sources[1:]}))
    named = sources[_CLOSED_FROM[operation] :]
    ranges = {source for source in named if nodes.operations[source] == "RANGE"}
    inner = [found[source] for source in named if source not in ranges] if operation in _WHOLLY else []
    return _few(frozenset(ranges).union(*inner))


def _few(ranges: frozenset[int]) -> frozenset[int]:
    return ranges if len(ranges) <= MOST_OPEN else _NONE


def range_number(argument: str) -> str:
    """Return what a range is called by its argument: `2_0` of `(2, 0, REDUCE)`."""
    parts = [part.strip() for part in argument.strip("()").split(",")]
    return "_".join(parts[:-1] or parts)
