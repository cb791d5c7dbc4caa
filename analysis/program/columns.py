"""Picture of a state as columns for the renderer: nodes, edges, slots, repeats."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.program.labels import called_context
from analysis.program.nodes import NONE
from analysis.program.picture import Edge
from analysis.program.repeats import find_repeats
from analysis.program.slots import Slots
from analysis.program.stable_places import MAX_ROUTED, Drawn, stable_slots
from analysis.program.state import State

BOX_LINES, BOX_WIDTH = 10, 34
"""Maximum number of lines of a node's box, and of characters per line."""
_MAX_LINES, _WIDE_LINE = 12, 80
"""Lines of a label, and characters per line, that are sent for nodes of a large graph."""
_SMALL = 3_000
"""Maximum number of nodes of a picture with complete labels."""
_MAX_LABEL = 4_000
"""Maximum number of characters of a complete label."""
SAME, MADE, REBUILT, REMOVED = range(4)
"""Effects of a match on a node."""


@dataclass(frozen=True)
class _Mark:
    """Node together with its state."""

    state: State
    node: int

    @property
    def name(self) -> int:
        """Number by which the node is known across states; see `State.names`."""
        return self.state.names[self.node]


def graph_columns(
    drawn: Drawn, before: Drawn | None, neighbours: Sequence[Drawn]
) -> dict[str, Any]:
    """Build the columns of a picture as a dict for JSON: name -> list with an element per node, per
    edge (four numbers each) or per slot, or a single value.

    `before` is the state before the match: nodes that only it has are included as removed.
    `neighbours` are the states that share slots; empty if the graph has its own slots.
    """
    state, picture = drawn
    own_pictures = [drawn, *([before] if before else [])]
    slots = stable_slots([*neighbours] or own_pictures, routed=len(picture.nodes) <= MAX_ROUTED)
    place = {name: slot for slot, name in enumerate(slots.nodes) if name != NONE}
    marks = [_Mark(state, node) for node in picture.nodes]
    gone, lost = _removed_parts(drawn, before)
    # Removed nodes are drawn only if the shared slots have a place for them.
    marks += [mark for mark in gone if mark.name in place]
    index = {mark.name: at for at, mark in enumerate(marks)}
    shown = set(picture.nodes)
    named = [
        replace(edge, operand=state.names[edge.operand], user=state.names[edge.user])
        for edge in picture.edges
    ]
    edges = [edge for edge in [*named, *lost] if edge.operand in index and edge.user in index]
    labels = [_sent_label(mark, whole=len(marks) <= _SMALL) for mark in marks]
    return {
        "root": state.names[state.root],
        "total": len(state.order),
        "around": picture.around,
        **_node_columns(marks, labels),
        "spaces": {
            str(index[state.names[node]]): space
            for node, space in state.spaces.items()
            if node in shown
        },
        "slot": [place[mark.name] for mark in marks],
        "edges": [
            number
            for edge in edges
            for number in (index[edge.operand], index[edge.user], edge.port, edge.ports)
        ],
        "passed": {
            str(index[name]): [*own] for name, own in slots.passed.items() if name in index and own
        },
        "slots": _slot_columns(slots, _sizes([*neighbours], marks, labels)),
        "repeats": [
            {
                "members": [index[state.names[node]] for node in repeat.members],
                "differ": repeat.differ,
            }
            for repeat in find_repeats(state, picture)
        ],
    }


def _removed_parts(drawn: Drawn, before: Drawn | None) -> tuple[list[_Mark], list[Edge]]:
    """List the nodes that only the previous state has, and their edges (by node names); two empty
    lists if `before` is `None`.
    """
    if before is None:
        return [], []
    names = set(drawn[0].names.values())
    (old, picture) = before
    gone = [_Mark(old, node) for node in picture.nodes if old.names[node] not in names]
    went = {mark.node for mark in gone}
    lost = [
        replace(edge, operand=old.names[edge.operand], user=old.names[edge.user])
        for edge in picture.edges
        if edge.operand in went or edge.user in went
    ]
    return gone, lost


def _node_columns(marks: Sequence[_Mark], labels: Sequence[str]) -> dict[str, Any]:
    kinds: dict[str, int] = {}
    types: dict[str, int] = {}
    kind = [kinds.setdefault(mark.state.kind(mark.node), len(kinds)) for mark in marks]
    dtype = [types.setdefault(mark.state.nodes.dtypes[mark.node], len(types)) for mark in marks]
    tags = [mark.state.nodes.tag_text(mark.node) for mark in marks]
    contexts = [called_context(mark.state.nodes, mark.node) for mark in marks]
    return {
        "names": [mark.name for mark in marks],
        "label": labels,
        "change": [_change(marks[0].state, mark) for mark in marks],
        "kinds": [*kinds],
        "kind": kind,
        "types": [*types],
        "type": dtype,
        "operands": [len(mark.state.nodes.sources[mark.node]) for mark in marks],
        "tags": {str(at): tag[:_WIDE_LINE] for at, tag in enumerate(tags) if tag},
        "contexts": {str(at): context for at, context in enumerate(contexts) if context != NONE},
    }


def _change(state: State, mark: _Mark) -> int:
    if mark.state is not state:
        return REMOVED
    added = mark.node in state.change.added
    changed = mark.node in state.change.changed
    return (MADE if changed else REBUILT) if added else SAME


def _sent_label(mark: _Mark, *, whole: bool) -> str:
    """Return a node's label for sending: up to 4,000 characters if `whole`, else its first 12 lines
    of up to 80 characters, which a box and a card show.
    """
    label = mark.state.labels.label(mark.node)
    if whole:
        return label[:_MAX_LABEL]
    return "\n".join(line[:_WIDE_LINE] for line in label.split("\n")[:_MAX_LINES])


def _sizes(
    neighbours: Sequence[Drawn], marks: Sequence[_Mark], labels: Sequence[str]
) -> Mapping[int, tuple[int, int]]:
    """Map names of nodes to the size (characters, lines) of the largest box that any of the states
    has for the name.
    """
    sizes: dict[int, tuple[int, int]] = {}
    seen: set[int] = set()

    def take(name: int, label: str) -> None:
        chars, lines = box_size(label)
        most = sizes.get(name, (0, 0))
        sizes[name] = max(chars, most[0]), max(lines, most[1])

    for mark, label in zip(marks, labels, strict=True):
        take(mark.name, label)
        seen.add(mark.node)
    for state, picture in neighbours:
        for node in picture.nodes:
            if node not in seen:
                seen.add(node)
                take(state.names[node], state.labels.label(node))
    return sizes


def box_size(label: str) -> tuple[int, int]:
    """Compute width (columns of characters, at most 34) and height (lines, at most 10) of the box
    for a label.
    """
    lines = label.split("\n")
    return min(max(map(_width, lines[:BOX_LINES])), BOX_WIDTH), min(len(lines), BOX_LINES)


def _width(line: str) -> int:
    """Compute the width of a line in columns: wide characters take two; only the first 80
    characters count if the line is not ASCII.
    """
    if line.isascii():
        return len(line)
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line[:_WIDE_LINE])


def _slot_columns(slots: Slots, sizes: Mapping[int, tuple[int, int]]) -> dict[str, Any]:
    own = [sizes.get(name, (0, 0)) for name in slots.nodes]
    return {
        "layers": [*slots.layers],
        "chars": [chars for chars, _ in own],
        "lines": [lines for _, lines in own],
        "links": [*_flat(slots.links)],
    }


def _flat(pairs: Iterable[tuple[int, int]]) -> Iterable[int]:
    return (number for pair in pairs for number in pair)
