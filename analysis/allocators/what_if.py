"""What-if analysis: changes to blocks, lifetimes and rules of an attempt before it is
placed again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.index import made_map
from analysis.memory.step_order import reorder_steps
from analysis.memory.storage import in_place_pairs
from schema.array_types import Ints
from schema.frames import complete
from schema.memory import MAX_BYTES
from schema.plurals import plural

STORED, APART, POSSIBLE = "stored", "apart", "possible"
"""Modes of sharing: as in the attempt, no sharing, or wherever lifetimes permit it."""
_MAX_ALIGNMENT = 1 << 30
"""Maximum alignment in bytes."""
_MAX_PAIRS = 1 << 20
"""Maximum number of pairs of an activation that ends and an activation that begins in the same
step.
"""
_MIN_SPILL_STEPS = 3
"""Minimum length of a lifetime, in steps, that has a step between its first and its last step."""


@dataclass(frozen=True)
class Changes:
    """Changes to an attempt; blocks are identified by number.

    - `alignment` in bytes applies to all blocks; if `None`, each block keeps its own.
    - `aliases` is STORED (aliases share storage as in the attempt) or APART (each gets bytes of its
      own).
    - `in_place` selects the outputs that use the bytes of an operand when its life ends in the
      output's first step: no output (APART), the outputs that do so in the attempt (STORED), or
      every output that is not larger than its operand (POSSIBLE).
    - `dropped` blocks are removed.
    - `sizes` are pairs of block and new size in bytes.
    - A `spilled` block uses memory only in its first and its last step, at the same address.
    - `order` lists the steps in their new order; if empty, the order is that of the attempt.
    """

    alignment: int | None = None
    aliases: str = STORED
    in_place: str = APART
    dropped: tuple[int, ...] = ()
    sizes: tuple[tuple[int, int], ...] = ()
    spilled: tuple[int, ...] = ()
    order: tuple[int, ...] = ()

    @property
    def any(self) -> bool:
        """Whether these changes alter an attempt: some field differs from its default."""
        return self != Changes()


def apply_changes(amap: AttemptMap, changes: Changes) -> AttemptMap:
    """Return a new map with the changes applied to an attempt; the map itself if there are no
    changes. Raises ValueError (one sentence) for an impossible change, such as an unknown block.
    """
    if not changes.any:
        return amap
    named = {*changes.dropped, *changes.spilled, *(block for block, _ in changes.sizes)}
    _check(amap, named)
    if changes.order:
        amap = reorder_steps(amap, changes.order)
    blocks = _resize(amap.blocks, dict(changes.sizes))
    blocks = _spill(amap, blocks, changes.spilled)
    if changes.aliases == APART:
        blocks = blocks.assign(
            alias_of=pd.array([pd.NA] * len(blocks), dtype=blocks["alias_of"].dtype)
        )
    if changes.in_place != APART:
        blocks = _in_place(blocks, amap.label, proposed=changes.in_place == POSSIBLE)
    blocks = blocks[~blocks["block"].isin(changes.dropped)].reset_index(drop=True)
    row: dict[str, Any] = dict(amap.attempt)
    if changes.alignment is not None:
        blocks, row = _align(blocks, row, changes.alignment)
    attempt = complete("attempts", {key: [value] for key, value in row.items()})
    return made_map(attempt, blocks, amap.steps, amap.uses, amap.facts)


def spilled_bytes(amap: AttemptMap, changes: Changes) -> int:
    """Compute the bytes that the spilled blocks of `changes` transfer, out of memory and back:
    twice their sizes, after changes of sizes. Unknown blocks count 0.
    """
    sizes = dict(
        zip(amap.blocks["block"].tolist(), amap.blocks["size"].tolist(), strict=True)
    ) | dict(changes.sizes)
    return 2 * sum(int(sizes.get(block, 0)) for block in changes.spilled)


def can_spill(amap: AttemptMap, row: int) -> bool:
    """Whether the block at a row of the map's blocks can be spilled.

    It must be alive for at least three steps, and not be a constant, held, wrapped, in an inner
    plan, or have gaps already.
    """
    block = amap.blocks.iloc[row]
    odd = (
        bool(block["hold"])
        or bool(block["wraps"])
        or block["plan"] == "inner"
        or block["kind"] == "constant"
    )
    return (
        not odd
        and not block["gaps"]
        and int(block["end"]) - int(block["start"]) >= _MIN_SPILL_STEPS
    )


def _check(amap: AttemptMap, named: Collection[int]) -> None:
    numbers = amap.blocks["block"].to_numpy(np.int64)
    for block in sorted(named):
        at = np.flatnonzero(numbers == block)
        if not len(at):
            raise ValueError(f"{amap.label} has no block {block}")
        if amap.blocks["kind"].iloc[int(at[0])] == "constant":
            raise ValueError(f"block {block} is a constant, which is not placed")


def _resize(blocks: pd.DataFrame, sizes: dict[int, int]) -> pd.DataFrame:
    if not sizes:
        return blocks
    if any(not 0 <= size <= MAX_BYTES for size in sizes.values()):
        raise ValueError("a size must be a number of bytes from 0 to 2^62")
    new_size = blocks["block"].map(sizes)
    size = np.where(
        new_size.notna(), new_size.fillna(0).to_numpy(np.int64), blocks["size"].to_numpy(np.int64)
    )
    return blocks.assign(size=size.astype(np.int64))


def _spill(amap: AttemptMap, blocks: pd.DataFrame, spilled: Collection[int]) -> pd.DataFrame:
    if not spilled:
        return blocks
    gaps = blocks["gaps"].astype("object").to_numpy(copy=True)
    for row in np.flatnonzero(blocks["block"].isin(spilled).to_numpy(bool)).tolist():
        if not can_spill(amap, row):
            number = int(blocks["block"].iloc[row])
            raise ValueError(
                f"block {number} cannot be spilled: there is no step between its first and its last"
            )
        gaps[row] = f"{int(blocks['start'].iloc[row]) + 1}-{int(blocks['end'].iloc[row]) - 1}"
    return blocks.assign(gaps=pd.Series(gaps, blocks.index).astype(blocks["gaps"].dtype))


def _align(
    blocks: pd.DataFrame, row: dict[str, Any], alignment: int
) -> tuple[pd.DataFrame, dict[str, Any]]:
    if not 1 <= alignment <= _MAX_ALIGNMENT or alignment & (alignment - 1):
        raise ValueError("an alignment must be a power of two, at most 2^30")
    dtype = blocks["alignment"].dtype
    return blocks.assign(alignment=pd.array([alignment] * len(blocks), dtype=dtype)), row | {
        "align_bytes": alignment
    }


def _in_place(blocks: pd.DataFrame, label: str, *, proposed: bool) -> pd.DataFrame:
    """Return the blocks with outputs turned into aliases of the operand whose bytes they take over
    (column `alias_of`); each operand is taken over once.

    If `proposed`, every output that is not larger than its operand does so, else only the outputs
    that are in place already.
    """
    operand, output = _takers(blocks, label)
    if proposed:
        size = blocks["size"].to_numpy(np.int64)
        fits = size[operand] >= size[output]
    else:
        fits = in_place_pairs(blocks, operand, output)
    operand = operand[fits]
    output = output[fits]
    # Take over the largest bytes first; of equal sizes the output that comes first.
    order = np.lexsort((operand, output, -blocks["size"].to_numpy(np.int64)[output]))
    alias = blocks["alias_of"].astype("object").to_numpy(copy=True)
    alias[blocks["alias_of"].isna().to_numpy(bool)] = pd.NA
    number = blocks["block"].to_numpy(np.int64)
    taken = set[int]()
    placed = set[int]()
    for at in order.tolist():
        source = int(operand[at])
        target = int(output[at])
        if source not in taken and target not in placed:
            taken.add(source)
            placed.add(target)
            alias[target] = int(number[source])
    return blocks.assign(alias_of=pd.array(alias, dtype=blocks["alias_of"].dtype))


def _takers(blocks: pd.DataFrame, label: str) -> tuple[Ints, Ints]:
    """Find pairs of activations in which the first ends in the first step of the second; aliases,
    and blocks with gaps, are left out.

    Returns two int64 arrays with the rows of operands and outputs. Raises ValueError for more than
    2^20 pairs.
    """
    plain = (
        (blocks["kind"] == "activation")
        & ~blocks["hold"]
        & ~blocks["wraps"]
        & blocks["alias_of"].isna()
    )
    plain &= (blocks["plan"] != "inner").fillna(True).astype(bool) & (blocks["gaps"] == "")
    plain &= ~blocks["block"].isin(set(blocks["alias_of"].dropna().tolist()))
    rows = np.flatnonzero(plain.to_numpy(bool))
    start = blocks["start"].to_numpy(np.int64)[rows]
    end = blocks["end"].to_numpy(np.int64)[rows]
    long = end - start > 1
    ends = pd.DataFrame({"operand": rows[long], "step": end[long] - 1})
    begins = pd.DataFrame({"output": rows, "step": start})
    count = int(ends["step"].map(begins["step"].value_counts()).sum())
    if count > _MAX_PAIRS:
        raise ValueError(
            f"{label} has {plural(count, 'pair')} of activations of which one ends and one begins "
            f"in a step; the limit for outputs in place is {_MAX_PAIRS}"
        )
    met = ends.merge(begins, on="step")
    met = met[met["operand"] != met["output"]]
    return met["operand"].to_numpy(np.int64), met["output"].to_numpy(np.int64)
