"""Captions of the views of a design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.aie.design.lock_graph import CHANNEL, CORE, FIFO, LOCK, LockGraph
from analysis.aie.tiles import TileMetric
from analysis.memory.attempt_map import AttemptMap
from components.caption import Caption, Jump
from components.numbers import address, count_text, percent, shorten, size
from schema.plurals import first_names

_MAX_USERS = 6
"""Maximum number of users of a buffer that a caption names."""


def use_caption(tiles: pd.DataFrame, metric: TileMetric) -> str:
    """Write how many tiles have a value of a metric of USE_METRICS, and which tile has the largest
    if their texts differ.

    Without a value, the caption states that the addresses or sizes are not known.
    """
    known = tiles[tiles[metric.name].notna()]
    if known.empty:
        return "The design does not tell the addresses or sizes of its buffers."
    most = known.loc[known[metric.name].idxmax()]
    tile = str(most["track"])
    share = percent(float(most[metric.name]))
    what = "of its memory" if metric.name == "memory_use" else "of its most used bank"
    counted = count_text(len(known), "tile")
    if len(known) > 1 and {percent(float(use)) for use in known[metric.name]} == {share}:
        return f"{counted} with a memory; each uses {share} {what}."
    return Caption(
        f"{counted} with a memory; {tile} uses most: {share} {what}.", Jump(tile, "track", tile)
    )


def wait_caption(tiles: pd.DataFrame, metric: TileMetric) -> str:
    """Write on how many cores lock stalls were traced, and which core has most cycles of them."""
    known = tiles[tiles[metric.name].notna()]
    if known.empty:
        return "LOCK_STALL was not traced, so that waits for locks are unknown."
    most = known.loc[known[metric.name].idxmax()]
    tile = str(most["track"])
    cycles = count_text(round(float(most[metric.name])), "cycle")
    counted = count_text(len(known), "core")
    return Caption(
        f"{counted} traced; {tile} waits most for locks: {cycles}.",
        Jump(tile, "track", tile),
    )


def tile_memory_caption(tile: str, shown: AttemptMap) -> str:
    """Write how many buffers a tile has, and how much of its memory they take."""
    used = int(shown.blocks["size"].sum())
    capacity = shown.whole("capacity")
    counted = count_text(len(shown.blocks), "block")
    if not capacity:
        return f"{tile}: {counted}, {size(used)}; the size of its memory is not known."
    share = percent(used / capacity)
    return f"{tile}: {counted} take {size(used)} of {size(capacity)} ({share}), the stack included."


def tile_banks_caption(shown: AttemptMap, bank: int | None) -> str:
    """Write how much of a bank is in use, of the fullest bank if no bank is selected."""
    width = shown.whole("bank_bytes")
    rows = shown.occupancy[shown.occupancy["bank"].notna()]
    if not width or rows.empty:
        return "The banks of its memory are not known."
    used = dict(zip(rows["bank"].astype(int), rows["union_bytes"].fillna(0), strict=True))
    empty = (shown.whole("banks") or 0) - sum(taken > 0 for taken in used.values())
    chosen = max(used, key=lambda number: used[number]) if bank is None else bank
    what = "is the fullest" if bank is None else "is selected"
    share = percent(used.get(chosen, 0) / width)
    rest = f"; {count_text(empty, 'bank')} not in use" if empty else ""
    return f"Bank {chosen} {what}: {share} of {size(width)} in use{rest}."


def buffer_words(block: pd.Series[Any], users: Sequence[str]) -> str:
    """Write address and size of a buffer, and which cores and DMA channels use it."""
    name = shorten(str(block["name"]), 40)
    place = f"{name}: {size(int(block['size']))} at {address(int(block['address']))}"
    if not users:
        return f"{place}; nothing in the design uses it."
    return f"{place}; used by {first_names(users, _MAX_USERS)}."


def graph_caption(graph: LockGraph) -> str:
    """Count the nodes of each kind of a design's graph, and the nodes that are not drawn."""
    labels = {CORE: "core", CHANNEL: "DMA channel", LOCK: "lock", FIFO: "objectfifo"}
    counts = Counter(node.kind for node in graph.nodes)
    words = [count_text(counts[kind], label) for kind, label in labels.items() if counts[kind]]
    left = f" {count_text(graph.left_out, 'node')} not drawn." if graph.left_out else ""
    return f"{', '.join(words)}; {count_text(len(graph.edges), 'edge')}.{left}"
