"""Nodes that pictures of a graph leave out, as tinygrad's viewer does: the labels of their users
name them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analysis.program.nodes import WorkingNodes
from analysis.program.rules import MOVEMENT, RELEASE_12, RELEASE_13

_LEAVES = frozenset(("DEVICE", "CONST", "UNIQUE", "LUNIQUE"))
_NUMBERED = frozenset(("UNIQUE", "LUNIQUE"))
_INDEX = re.compile(r"index\d*")


def hidden_nodes(nodes: WorkingNodes, order: Sequence[int], root: int, release: str) -> set[int]:
    """Return the set of nodes of a graph that its picture leaves out by the rules of the release,
    the root never unless it is an empty vector. `order` lists operands before their users.
    """
    if release == RELEASE_12:
        hidden = {node for node in order if _hidden_12(nodes, node)}
    elif release == RELEASE_13:
        hidden = {node for node in order if _hidden_13(nodes, node)}
    else:
        hidden = _hidden_14(nodes, order)
    # The root stays visible, unless it is an empty vector.
    empty = nodes.operations[root] in ("VECTORIZE", "STACK") and not nodes.sources[root]
    return hidden if empty else hidden - {root}


def _hidden_12(nodes: WorkingNodes, node: int) -> bool:
    operation = nodes.operations[node]
    if operation == "VCONST":
        return _INDEX.fullmatch(nodes.dtypes[node]) is not None
    return operation in _LEAVES or (operation == "VECTORIZE" and not nodes.sources[node])


def _hidden_13(nodes: WorkingNodes, node: int) -> bool:
    operation = nodes.operations[node]
    sources = nodes.sources[node]
    if operation == "CONST" and sources and nodes.operations[sources[0]] in _NUMBERED:
        return False
    return operation in _LEAVES or (operation == "STACK" and not sources)


def _hidden_14(nodes: WorkingNodes, order: Sequence[int]) -> set[int]:
    """Return the set of constants, movements of constants, and constant shapes of movements and
    parameters, which tinygrad 0.14 hides.
    """
    operations = nodes.operations
    every = nodes.sources
    hidden: set[int] = set()
    shapes: set[int] = set()
    for node in order:
        operation = operations[node]
        sources = every[node]
        if operation == "STACK" and all(operations[source] == "CONST" for source in sources):
            shapes.add(node)
        constant = operation == "CONST" or (operation == "STACK" and not sources)
        if constant or (operation in ("RESHAPE", "EXPAND") and sources and sources[0] in hidden):
            hidden.add(node)
        if operation in MOVEMENT or operation == "PARAM":
            hidden.update(source for source in sources if source in shapes)
    return hidden
