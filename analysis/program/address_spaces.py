"""Address spaces of the values of nodes, by the rules of tinygrad 0.14 (`UOp.addrspace`).

Earlier releases have pointer types instead. Nodes in registers of the ALU, and nodes without an
address space, are left out of the result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from analysis.program.nodes import WorkingNodes
from analysis.program.rules import ARITHMETIC, MOVEMENT, RELEASE_14

_NAMED = re.compile(r"addrspace=(global|local|register)\b")
_DECLARED = frozenset(("PARAM", "BUFFER"))
"""Operations that declare their address space in their argument."""
_OF_FIRST = MOVEMENT | {
    "INDEX",
    "CAST",
    "AFTER",
    "REDUCE",
    "STORE",
    "MSTACK",
    "MSELECT",
    "END",
    "UNSHARD",
}
"""Operations with the address space of their first operand."""
_OF_ALL = ARITHMETIC | {"BITCAST", "STACK", "WMMA", "GROUP"}
"""Operations with the address space that all their operands share."""
_ALU = "alu"
"""Address space of values in registers of the ALU, which are left out of the result."""
_IN_ALU = frozenset(("SPECIAL", "RANGE", "LOAD"))
"""Operations with a result in registers of the ALU."""


def address_spaces(nodes: WorkingNodes, order: Sequence[int], release: str) -> Mapping[int, str]:
    """Map nodes to their address space: `global` (memory of the device), `local` (of a work group)
    or `register`; other nodes, and nodes in registers of the ALU, are missing.

    `order` lists operands before their users. {} for releases before 0.14.
    """
    if release != RELEASE_14:
        return {}
    spaces: dict[int, str] = {}
    for node in order:
        space = _space(nodes, node, spaces)
        if space:
            spaces[node] = space
    return {node: space for node, space in spaces.items() if space != _ALU}


def _space(nodes: WorkingNodes, node: int, known_spaces: Mapping[int, str]) -> str:
    """Compute the address space of a node from the spaces of its operands: global, local, register
    or `alu`; "" if it has no space or its operands disagree.
    """
    operation = nodes.operations[node]
    sources = nodes.sources[node]
    if operation in _DECLARED:
        named = _NAMED.search(nodes.argument_text(node))
        return named[1] if named else _ALU
    if operation in _IN_ALU:
        return _ALU
    if operation in _OF_FIRST:
        return known_spaces.get(sources[0], "") if sources else ""
    if operation not in _OF_ALL:
        return ""
    spaces = {known_spaces[source] for source in sources if source in known_spaces}
    return spaces.pop() if len(spaces) == 1 else ""
