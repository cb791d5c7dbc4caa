"""Processor time of a compiler's graphs: `python -m benchmarks.graphs`.

The graphs have columns of operations above loads, like an unrolled kernel. Matches replace the
loads in turn, so that the column above a load is rebuilt each time. States are rebuilt, drawn, and
written as text. If the columns are connected, a match rebuilds nearly the whole graph: this is
measured without a target.
"""

from __future__ import annotations

import gc
import json
from time import process_time

from analysis.program.columns import graph_columns
from analysis.program.nodes import NONE, Nodes
from analysis.program.picture import Folding, build_picture
from analysis.program.replay import Replay, Step
from analysis.program.snapshots import MAX_REWRITTEN, MAX_ROWS, Room, take_snapshots
from analysis.program.state import State, state_of
from analysis.program.text_form import lines_of
from benchmarks.report import check, note

SIZES = {
    "400 nodes": (20, 20, 400),
    "1,400 nodes": (40, 35, 1000),
    "5,000 nodes": (50, 100, 0),
    "22,000 nodes": (220, 100, 0),
}
"""Name -> nodes of a layer, layers, matches."""
_LEANING = (20, 20, 400)
"""Nodes of a layer, layers and matches of the connected graph."""
_BUDGETS = {"400 nodes": 0.3, "1,400 nodes": 0.3, "5,000 nodes": 1.0, "22,000 nodes": 2.0}
"""Name -> budget of processor seconds for the last state."""
_PAGE = 1.0
"""Budget of processor seconds to draw a state."""
_STATE = 0.3
"""Budget of processor seconds for the last state of the connected graph, from snapshots."""


def graph(width: int, layers: int, matches: int, *, leaning: bool = False) -> tuple[Nodes, Step]:
    """Create a graph of `width` columns of `layers` operations above loads, and a step of matches.

    Each match replaces a load. If `leaning`, each operation also uses the next column.
    """
    operations = ["LOAD"] * width
    arguments = list(range(width))
    sources: list[tuple[int, ...]] = [()] * width
    for layer in range(1, layers):
        below = (layer - 1) * width
        for place in range(width):
            operations.append("ADD" if place % 2 else "MUL")
            sources.append((below + place, below + (place + leaning) % width))
            arguments.append(0)
    root = len(operations)
    operations.append("SINK")
    sources.append(tuple(range(root - width, root)))
    arguments.append(0)
    pairs = []
    for match in range(matches):
        before = match % width
        operations.append("CAST")
        sources.append(())
        arguments.append(width + match)
        pairs.append(
            (before if match < width else len(operations) - 1 - width, len(operations) - 1)
        )
    count = len(operations)
    texts = [str(argument) if argument else "" for argument in arguments]
    nodes = Nodes(
        operations,
        ["float"] * count,
        sources,
        arguments,
        [0] * count,
        texts,
        [""] * count,
        [NONE] * count,
        [NONE] * count,
    )
    return nodes, Step(root, pairs, bottom_up=False, walk=False, enter_calls=False, release="0.14")


def main() -> None:
    """Run all measurements."""
    # A collection would be part of some measurements only.
    gc.disable()
    for name, size in SIZES.items():
        nodes, step = graph(*size)
        # Cached for all states of a file, so that it is no part of the time of a state.
        _ = nodes.node_by_key
        begin = process_time()
        replay = Replay(nodes, step)
        state = state_of(replay, step.release, size[2], str)
        check(f"graph of {name}: state {size[2]}", process_time() - begin, _BUDGETS[name], "s")
        _draw(name, state)
    _deep_state()


def _deep_state() -> None:
    """Measure the last state of a step whose matches rebuild most of the graph.

    It is computed from the step's beginning, and from the snapshots that an ingest stores.
    """
    nodes, step = graph(*_LEANING, leaning=True)
    begin = process_time()
    replay = Replay(nodes, step)
    replay.root(_LEANING[2])
    whole = process_time() - begin
    note(
        f"graph of 400 nodes, all rebuilt by each of 400 matches: {whole:.2f} s, {replay.rewritten} nodes rewritten"
    )
    snapshots = [*take_snapshots(nodes, step, Room(MAX_REWRITTEN, MAX_ROWS))]
    begin = process_time()
    replay = Replay(nodes, step, snapshots)
    state_of(replay, step.release, _LEANING[2], str)
    check(f"the same from one of {len(snapshots)} snapshots", process_time() - begin, _STATE, "s")


def _draw(name: str, state: State) -> None:
    begin = process_time()
    picture = build_picture(state, Folding(), ())
    json.dumps(graph_columns((state, picture), None, []))
    check(f"graph of {name}: drawn, {len(picture.nodes)} nodes", process_time() - begin, _PAGE, "s")
    begin = process_time()
    lines = lines_of(state)
    note(f"graph of {name}: {len(lines)} lines of text in {process_time() - begin:.2f} s")


if __name__ == "__main__":
    main()
