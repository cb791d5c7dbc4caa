"""Intended sharing of storage: aliases of a tensor, and outputs that take over an
operand's bytes.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.lives import MAX_SUM, Lifetimes
from schema.array_types import Bools, Ints

_MAX_HOPS = 64
"""Maximum length of a chain of aliases."""


def find_storage(blocks: pd.DataFrame) -> Ints:
    """Return for each block the row of the block that owns its storage, through chains of aliases
    (int64).

    A block that is no alias owns its storage. `blocks` are rows of `allocations` of any attempts,
    indexed from 0. An alias has its own storage if its target does not exist, belongs to another
    inner step, or leads back to the alias.
    """
    own = np.arange(len(blocks), dtype=np.int64)
    alias = blocks["alias_of"].notna().to_numpy(bool)
    if not alias.any():
        return own
    first = blocks[["attempt", "block"]].assign(target=own).drop_duplicates(["attempt", "block"])
    aliases = pd.DataFrame(
        {"attempt": blocks["attempt"][alias], "block": blocks["alias_of"][alias].astype("int64")}
    )
    targets = aliases.merge(first, on=["attempt", "block"], how="left")["target"].to_numpy(
        np.float64, na_value=-1
    )
    target = own.copy()
    target[alias] = np.where(targets >= 0, targets, own[alias])
    return _roots(np.where(_in_other_arena(blocks, own, target), own, target))


def _in_other_arena(blocks: pd.DataFrame, first: Ints, second: Ints) -> Bools:
    """Mask of the pairs (rows `first` and `second`) that belong to different inner steps, or of an
    inner and another plan, which have separate arenas.
    """
    inner = (blocks["plan"] == "inner").to_numpy(bool)
    start = blocks["start"].to_numpy(np.int64)
    return np.asarray(
        (inner[first] != inner[second]) | (inner[first] & (start[first] != start[second])),
        dtype=np.bool_,
    )


def _roots(target: Ints) -> Ints:
    """Follow `target` (row -> row) to the end of each chain; if a chain does not end within 64
    hops, its block keeps its own row.
    """
    own = np.arange(len(target), dtype=np.int64)
    for _ in range(_MAX_HOPS):
        further = target[target]
        if (further == target).all():
            return target
        target = further
    return np.where(target[target] == target, target, own)


def in_place_pairs(blocks: pd.DataFrame, first: Ints, second: Ints) -> Bools:
    """Mask of the pairs of blocks (rows `first` and `second`) that are an operand and the output
    that takes over its bytes.

    These are activations at the same address with lifetimes that share exactly 1 step: the last
    step of a block and the first step of its partner. Blocks without an address match no block.
    TPU-MLIR lets element-wise operators reuse their operand this way.
    """
    activation = (blocks["kind"] == "activation").to_numpy(bool) & ~blocks["hold"].to_numpy(bool)
    address = blocks["address"].to_numpy(np.int64, na_value=-1)
    is_placed = address[first] >= 0
    is_shared = is_placed & (address[first] == address[second])
    alike = activation[first] & activation[second] & is_shared
    start = blocks["start"].to_numpy(np.int64)
    end = blocks["end"].to_numpy(np.int64)
    meets = (end[first] - 1 == start[second]) | (end[second] - 1 == start[first])
    return np.asarray(alike & meets & (_shared_steps(blocks, first, second) == 1), dtype=np.bool_)


def _shared_steps(blocks: pd.DataFrame, first: Ints, second: Ints) -> Ints:
    """Count the steps in which both blocks of each pair are alive; two wrapped blocks count 2, as
    they share at least the last step and the first.
    """
    start = blocks["start"].to_numpy(np.int64)
    end = blocks["end"].to_numpy(np.int64)
    wraps = blocks["wraps"].to_numpy(bool)
    whole = np.where(wraps[first], second, first)
    cut = np.where(wraps[first], first, second)
    late = end[whole] - np.maximum(start[whole], start[cut])
    early = np.minimum(end[whole], end[cut]) - start[whole]
    plain = np.minimum(end[first], end[second]) - np.maximum(start[first], start[second])
    shared = np.where(wraps[cut], np.maximum(late, 0) + np.maximum(early, 0), np.maximum(plain, 0))
    return np.where(wraps[whole], 2, shared)


def storage_spans(lives: Lifetimes, storage: Ints) -> tuple[Ints, Ints, Ints]:
    """List the spans of cells [first, last) in which each storage is in use, and its bytes there:
    three arrays, without double counting.

    A storage has the size of the block that owns it, and is in use while that block or an alias of
    it is alive. A tensor of an outer plan counts with its own bytes, even if the plan gives it
    more.
    """
    first, last, size, _ = owned_spans(lives, storage)
    return first, last, size


def owned_spans(lives: Lifetimes, storage: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """List the spans as `storage_spans` does, and the row of the block that owns the storage of
    each: four arrays.
    """
    tensor = lives.blocks["tensor_bytes"].to_numpy(np.int64, na_value=0)
    whole = (lives.blocks["plan"] == "outer").to_numpy(bool) & (tensor > 0)
    needed = np.where(whole, tensor, MAX_SUM)
    root = storage[lives.row]
    merged = np.bincount(storage, minlength=len(storage)) > 1
    single = ~merged[root]
    if single.all():
        return lives.first, lives.last, np.minimum(lives.size, needed[lives.row]), root
    order = np.flatnonzero(~single)
    order = order[np.lexsort((lives.first[order], root[order]))]
    first = lives.first[order]
    last = lives.last[order]
    group = root[order]
    # Offsets between groups keep the ends of a group out of the running maximum of the next group.
    width = len(lives.cells) + 1
    offset = np.cumsum(np.diff(group, prepend=group[0]) != 0) * width
    reached = np.concatenate([[0], np.maximum.accumulate(last + offset)[:-1]]) - offset
    begin = np.maximum(first, reached)
    fresh = last > begin
    size = np.minimum(lives.blocks["size"].to_numpy(np.int64), needed)[group]
    parts = (
        lives.first[single],
        lives.last[single],
        np.minimum(lives.size, needed[lives.row])[single],
        root[single],
    )
    merged_parts = (begin[fresh], last[fresh], size[fresh], group[fresh])
    first_cell, last_cell, amounts, owners = (
        np.concatenate(pair) for pair in zip(parts, merged_parts, strict=True)
    )
    return first_cell, last_cell, amounts, owners
