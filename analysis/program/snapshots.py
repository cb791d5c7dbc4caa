"""Snapshots of states of long rewrite steps, which are stored with a run so that later states are
computed quickly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.program.nodes import Nodes
from analysis.program.replay import Replay, Snapshot, Step
from analysis.program.rewriting import EndlessError
from analysis.program.steps import Place, Steps
from schema.frames import Frames, complete

SPACING = 40_000
"""Nodes that are rewritten between two snapshots, about 0.2 s."""
MAX_REWRITTEN = 3_000_000
"""Maximum number of nodes rewritten for the snapshots of a capture (ten seconds or more); real
captures need half of it.
"""
MAX_ROWS = 1_000_000
"""Maximum number of rows of a capture's snapshots."""
NODES, EDGES = "graph_snapshots", "graph_snapshot_edges"
"""Names of the frames of snapshots."""


@dataclass
class Room:
    """Remaining budget for the snapshots of a capture: nodes to rewrite, and rows."""

    rewritten: int
    rows: int


def make_snapshots(frames: Frames) -> tuple[dict[str, pd.DataFrame], int]:
    """Return frames `graph_snapshots` and `graph_snapshot_edges` by name, and the number of long
    steps skipped for lack of budget (MAX_REWRITTEN nodes, MAX_ROWS rows).

    `frames` are the frames of a run with graphs. The frames have no rows without long steps.
    """
    steps = Steps(frames)
    left = Room(MAX_REWRITTEN, MAX_ROWS)
    placed: list[tuple[Place, Snapshot]] = []
    left_out = 0
    nodes = Nodes.of(frames["graph_nodes"], frames["graph_edges"])
    for place in long_steps(frames["rewrite_steps"]):
        if left.rewritten <= 0 or left.rows <= 0:
            left_out += 1
            continue
        taken = [*take_snapshots(nodes, steps.step(place), left)]
        placed += [(place, snapshot) for snapshot in taken]
    return _frames(placed), left_out


def long_steps(steps: pd.DataFrame) -> list[Place]:
    """List (context, rank) of the steps with a graph whose matches x nodes exceed SPACING (40,000):
    these may rewrite more nodes than that. [] if there are none.
    """
    is_long = steps["root"].notna() & (steps["matches"] * steps["nodes"].fillna(0) > SPACING)
    rows = steps.loc[is_long.astype(bool), ["context", "step"]]
    return [*zip(rows["context"].tolist(), rows["step"].tolist(), strict=True)]


def take_snapshots(nodes: Nodes, step: Step, left: Room) -> Iterator[Snapshot]:
    """Yield the snapshots of a step, at least SPACING (40,000) rewritten nodes apart; stop when the
    budget `left`, which is reduced in place, is used up, or when rewriting does not end.
    """
    replay = Replay(nodes, step)
    before = 0
    try:
        for state in range(1, replay.states):
            replay.root(state)
            since = replay.rewritten - before
            if left.rewritten < since:
                break
            if since < SPACING or state + 1 == replay.states:
                continue
            snapshot = replay.snapshot()
            left.rewritten -= since
            before = replay.rewritten
            if snapshot is not None and len(snapshot.likes) <= left.rows:
                left.rows -= len(snapshot.likes)
                yield snapshot
    except EndlessError:
        pass  # earlier states have snapshots, and the page shows the error
    left.rewritten -= replay.rewritten - before


def _frames(placed: Sequence[tuple[Place, Snapshot]]) -> dict[str, pd.DataFrame]:
    def column(values: Iterable[Sequence[int]]) -> np.ndarray:
        return np.fromiter((value for part in values for value in part), dtype=np.int64)

    def repeat_per_step(values: Iterable[int]) -> np.ndarray:
        return np.repeat(
            np.fromiter(values, dtype=np.int64), [len(snapshot.likes) for _, snapshot in placed]
        )

    operands = [sources for _, snapshot in placed for sources in snapshot.sources]
    counts = [len(sources) for sources in operands]
    nodes = {
        "context": repeat_per_step(place[0] for place, _ in placed),
        "step": repeat_per_step(place[1] for place, _ in placed),
        "match": repeat_per_step(snapshot.match for _, snapshot in placed),
        "like": column(snapshot.likes for _, snapshot in placed),
        "origin": column(snapshot.origins for _, snapshot in placed),
        "dtype": pd.Categorical([dtype for _, snapshot in placed for dtype in snapshot.dtypes]),
    }
    edges = {
        "row": np.repeat(np.arange(len(operands)), counts),
        "port": column(range(count) for count in counts),
        "source": column(operands),
    }
    return {NODES: complete(NODES, nodes), EDGES: complete(EDGES, edges)}


def read_snapshots(
    nodes: pd.DataFrame, edges: pd.DataFrame, count: int
) -> dict[Place, list[Snapshot]]:
    """Map each (context, rank of a step) that has snapshots to the list of its snapshots, from
    their frames; `count` is the number of nodes of the capture.

    Raises ValueError if a row refers to a node that does not exist: walks over the graph would not
    end.
    """
    ranks = nodes.groupby(["context", "step", "match"], sort=False).cumcount().to_numpy()
    rows = edges["row"].to_numpy()
    sources = edges["source"].to_numpy()
    sound = (rows >= 0) & (rows < len(nodes)) & (np.diff(rows, prepend=0) >= 0) & (sources >= 0)
    named = nodes[["like", "origin"]].to_numpy()
    whole = bool(sound.all()) and bool(((named >= 0) & (named < count)).all())
    if not whole or bool((sources >= count + ranks[rows]).any()):
        raise ValueError("the stored snapshots of graphs are damaged")
    flat = sources.tolist()
    ends = np.cumsum(np.bincount(rows, minlength=len(nodes))).tolist()
    operands = [tuple(flat[begin:end]) for begin, end in zip([0, *ends], ends, strict=False)]
    by_step: dict[Place, list[Snapshot]] = {}
    for (context, step, match), part in nodes.groupby(["context", "step", "match"], sort=False):
        first = part.index[0]
        last = part.index[-1] + 1
        dtypes = part["dtype"].astype("str").fillna("").tolist()
        snapshot = Snapshot(
            match, part["like"].tolist(), part["origin"].tolist(), dtypes, operands[first:last]
        )
        by_step.setdefault((context, step), []).append(snapshot)
    return by_step
