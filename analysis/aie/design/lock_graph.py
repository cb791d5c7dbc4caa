"""Graph of a design: its nodes are cores, DMA channels, locks and objectfifos; an edge takes a
lock, gives a lock, or feeds data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from analysis.aie.design.model import plain_rows, split_user
from schema.frames import Frames

MAX_NODES = 1_500
"""Maximum number of nodes that are drawn; an array of 4 x 8 cores has about 500."""
CORE, CHANNEL, LOCK, FIFO = "core", "channel", "lock", "objectfifo"
TAKES, GIVES, FEEDS = "takes", "gives", "feeds"
_DATA_PORTS = ("DMA", "Core")
Key = tuple[str, str, str]
"""Kind, tile and name of a node."""


@dataclass(frozen=True)
class GraphNode:
    """A core, a DMA channel, a lock or an objectfifo; `detail` is a second line of its box."""

    kind: str
    tile: str
    name: str
    detail: str = ""


@dataclass
class LockGraph:
    """Nodes in order, and edges (rank of the source, rank of the target, TAKES, GIVES or FEEDS).

    `left_out` is the number of nodes beyond MAX_NODES.
    """

    nodes: list[GraphNode] = field(default_factory=list)
    edges: list[tuple[int, int, str]] = field(default_factory=list)
    left_out: int = 0


def lock_graph(design: Frames) -> LockGraph:
    """Build the graph of a design: first the channels of shims, then tile by tile.

    A giver points to the lock, the lock to the core or channel that takes it, a channel to the
    channel that it feeds. Flows that carry no data of the program are left out.
    """
    locks = {
        (row["tile"], row["name"]): row
        for row in plain_rows(design["design_locks"].drop_duplicates(["tile", "name"]))
    }
    symbols = {
        (row["tile"], f"{row['direction']} {row['channel']}"): row["symbol"]
        for row in plain_rows(design["design_host"])
    }
    edges = list(dict.fromkeys(_edges(design)))
    keys = dict.fromkeys(key for source, target, _ in edges for key in (source, target))
    # What the host feeds comes first, so that the graph begins with the input of the program.
    ordered = sorted(keys, key=lambda key: not key[1].startswith("shim"))
    kept = {key: rank for rank, key in enumerate(ordered[:MAX_NODES])}
    nodes = [_node(key, locks, symbols) for key in kept]
    drawn = [
        (kept[source], kept[target], way)
        for source, target, way in edges
        if source in kept and target in kept
    ]
    return LockGraph(nodes, drawn, len(keys) - len(kept))


def _edges(design: Frames) -> Iterator[tuple[Key, Key, str]]:
    for use in plain_rows(design["design_uses"]):
        lock = (LOCK, use["tile"], use["lock"])
        user = _user(use["by"])
        yield (user, lock, GIVES) if use["action"] == "Release" else (lock, user, TAKES)
    for flow in plain_rows(design["design_flows"]):
        if flow["source_port"] in _DATA_PORTS and flow["dest_port"] in _DATA_PORTS:
            yield _end(flow, "source", "MM2S"), _end(flow, "dest", "S2MM"), FEEDS
    for fifo in plain_rows(design["design_fifos"]):
        key = (FIFO, fifo["producer"], fifo["name"])
        yield (CORE, fifo["producer"], fifo["producer"]), key, FEEDS
        if fifo["consumer"]:
            yield key, (CORE, fifo["consumer"], fifo["consumer"]), FEEDS


def _user(user: str) -> Key:
    tile, direction, channel = split_user(user)
    return (CHANNEL, tile, f"{direction} {channel}") if direction else (CORE, tile, tile)


def _end(flow: Mapping[str, Any], side: str, direction: str) -> Key:
    tile = flow[side]
    if flow[f"{side}_port"] == "Core":
        return (CORE, tile, tile)
    return (CHANNEL, tile, f"{direction} {flow[f'{side}_channel']}")


def _node(
    key: Key, locks: Mapping[tuple[str, str], Any], symbols: Mapping[tuple[str, str], str]
) -> GraphNode:
    kind, tile, name = key
    if kind == LOCK:
        lock = locks.get((tile, name), {})
        known = [f"{part} {lock[part]}" for part in ("id", "init") if lock.get(part) is not None]
        return GraphNode(kind, tile, name, ", ".join([tile, *known]))
    if kind == CHANNEL:
        symbol = symbols.get((tile, name))
        return GraphNode(kind, tile, name, f"{tile}, host @{symbol}" if symbol else tile)
    return GraphNode(kind, tile, name, "" if name == tile else tile)
