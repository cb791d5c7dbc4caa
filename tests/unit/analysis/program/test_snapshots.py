"""Snapshots of long steps as frames: where they lie, what they cost, what becomes of damaged ones."""

import pandas as pd
import pytest

from analysis.program import snapshots
from analysis.program.replay import Replay
from analysis.program.snapshots import EDGES, NODES, long_steps, make_snapshots, read_snapshots
from analysis.program.steps import Steps
from schema.frames import complete
from tests.support.graphs import Graph, written

DEPTH, MATCHES = 40, 60


@pytest.fixture
def frames(monkeypatch):
    """The frames of a step that rebuilds a chain at each match, and of a short step."""
    monkeypatch.setattr(snapshots, "SPACING", 10 * DEPTH)
    graph = Graph()
    leaves = [graph.add("CONST", argument=str(rank)) for rank in range(MATCHES + 1)]
    last = leaves[0]
    for _ in range(DEPTH):
        last = graph.add("NEG", last)
    nodes = graph.nodes
    edges = [
        (user, port, source)
        for user, row in enumerate(nodes.sources)
        for port, source in enumerate(row)
    ]
    columns = {"op": pd.Categorical(nodes.operations), "dtype": pd.Categorical(nodes.dtypes)}
    columns |= {"argument": nodes.arguments, "tag": nodes.tags, "node": range(len(nodes))}
    matches = [(0, 0, rank + 1, leaves[rank], leaves[rank + 1]) for rank in range(MATCHES)]
    matches.append((0, 1, 1, leaves[0], leaves[1]))
    steps = {"context": [0, 0], "step": [0, 1], "matches": [MATCHES, 1], "root": [last, last]}
    steps |= {
        "nodes": [DEPTH + 1] * 2,
        "bottom_up": [False] * 2,
        "rules": pd.Categorical(["0.14"] * 2),
    }
    return {
        "graph_nodes": complete("graph_nodes", columns),
        "graph_edges": complete(
            "graph_edges",
            dict(zip(("node", "port", "source"), zip(*edges, strict=True), strict=True)),
        ),
        "rewrite_steps": complete("rewrite_steps", steps),
        "rewrite_matches": complete(
            "rewrite_matches",
            dict(
                zip(
                    ("context", "step", "match", "before", "after"),
                    zip(*matches, strict=True),
                    strict=True,
                )
            ),
        ),
    }


def replays(frames, made):
    """Return the replay of the long step with its snapshots, and without."""
    from analysis.program.nodes import Nodes

    nodes = Nodes.of(frames["graph_nodes"], frames["graph_edges"])
    step = Steps(frames).step((0, 0))
    found = read_snapshots(made[NODES], made[EDGES], len(nodes))
    return Replay(nodes, step, found[0, 0]), Replay(nodes, step)


def test_only_long_steps_have_any(frames):
    assert long_steps(frames["rewrite_steps"]) == [(0, 0)]
    made, left_out = make_snapshots(frames)
    assert left_out == 0
    assert set(made[NODES]["step"]) == {0}
    # every tenth state at the latest: a state rewrites the chain, and the chain anew
    assert made[NODES]["match"].drop_duplicates().diff().max() <= 10


def test_states_from_snapshots_are_those_without(frames):
    made, _ = make_snapshots(frames)
    quick, plain = replays(frames, made)
    for state in (MATCHES, 3, 41, 40, 17):
        assert written(quick.nodes, quick.root(state)) == written(plain.nodes, plain.root(state))


def test_what_they_may_cost_is_bounded(frames, monkeypatch):
    monkeypatch.setattr(snapshots, "MAX_REWRITTEN", 25 * DEPTH)
    made, _ = make_snapshots(frames)
    assert 0 < made[NODES]["match"].max() < MATCHES / 2
    monkeypatch.setattr(snapshots, "MAX_REWRITTEN", 0)
    made, left_out = make_snapshots(frames)
    assert (len(made[NODES]), left_out) == (0, 1)


def test_their_rows_are_bounded(frames, monkeypatch):
    monkeypatch.setattr(snapshots, "MAX_ROWS", 2 * DEPTH)
    made, _ = make_snapshots(frames)
    assert 0 < len(made[NODES]) <= 2 * DEPTH


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        (NODES, "like", 10**6),
        (NODES, "origin", -1),
        (EDGES, "source", 10**6),
        (EDGES, "row", 10**6),
        (EDGES, "row", -1),
    ],
)
def test_damaged_ones_are_refused(frames, name, column, value):
    made, _ = make_snapshots(frames)
    made[name].loc[0, column] = value
    with pytest.raises(ValueError, match="damaged"):
        read_snapshots(made[NODES], made[EDGES], len(frames["graph_nodes"]))
