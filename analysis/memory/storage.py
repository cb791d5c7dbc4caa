"""Which blocks share storage by intent: aliases of one tensor, and an output that takes over its operand's bytes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.lives import MOST, Lifetimes
from schema.array_types import Bools, Ints

_MOST_HOPS = 64


def storage_of(blocks: pd.DataFrame) -> Ints:
    """Return per block the position of the block whose storage it uses, through aliases of aliases; else its own.

    `blocks` are rows of `allocations` of any attempts, indexed from 0. An alias of what is not there, of a block of
    another inner step, or of itself by a detour, has its own.
    """
    own = np.arange(len(blocks), dtype=np.int64)
    alias = blocks["alias_of"].notna().to_numpy(bool)
    if not alias.any():
        return own
    first = blocks[["attempt", "block"]].assign(target=own).drop_duplicates(["attempt", "block"])
    asked = pd.DataFrame({"attempt": blocks["attempt"][alias], "block": blocks["alias_of"][alias].astype("int64")})
    found = asked.merge(first, on=["attempt", "block"], how="left")["target"].to_numpy(np.float64, na_value=-1)
    target = own.copy()
    target[alias] = np.where(found >= 0, found, own[alias])
    return _roots(np.where(_apart(blocks, own, target), own, target))


def _apart(blocks: pd.DataFrame, one: Ints, other: Ints) -> Bools:
    """Tell which pairs belong to different inner steps, whose arenas have nothing to do with each other."""
    inner = (blocks["plan"] == "inner").to_numpy(bool)
    start = blocks["start"].to_numpy(np.int64)
    return np.asarray((inner[one] != inner[other]) | (inner[one] & (start[one] != start[other])), dtype=np.bool_)


def _roots(target: Ints) -> Ints:
    """Follow targets to their ends; who does not arrive keeps what is its own."""
    own = np.arange(len(target), dtype=np.int64)
    for _ in range(_MOST_HOPS):
        further = target[target]
        if (further == target).all():
            return target
        target = further
    return np.where(target[target] == target, target, own)


def in_place_pairs(blocks: pd.DataFrame, one: Ints, other: Ints) -> Bools:
    """Tell which pairs of blocks are an operand and the output that takes over its bytes.

    Activations at one address whose lifetimes meet in exactly one step: the last of the one is the first of the
    other. So TPU-MLIR lets element-wise operators reuse their operand.
    """
    activation = (blocks["kind"] == "activation").to_numpy(bool) & ~blocks["hold"].to_numpy(bool)
    address = blocks["address"].to_numpy(np.int64, na_value=-1)
    alike = activation[one] & activation[other] & (address[one] == address[other])
    start, end = blocks["start"].to_numpy(np.int64), blocks["end"].to_numpy(np.int64)
    meets = (end[one] - 1 == start[other]) | (end[other] - 1 == start[one])
    return np.asarray(alike & meets & (_shared_steps(blocks, one, other) == 1), dtype=np.bool_)


def _shared_steps(blocks: pd.DataFrame, one: Ints, other: Ints) -> Ints:
    """Return the steps in which both blocks are alive; two that wrap share at least the last step and the first."""
    start, end = blocks["start"].to_numpy(np.int64), blocks["end"].to_numpy(np.int64)
    wraps = blocks["wraps"].to_numpy(bool)
    whole, cut = np.where(wraps[one], other, one), np.where(wraps[one], one, other)
    late = end[whole] - np.maximum(start[whole], start[cut])
    early = np.minimum(end[whole], end[cut]) - start[whole]
    plain = np.minimum(end[one], end[other]) - np.maximum(start[one], start[other])
    shared = np.where(wraps[cut], np.maximum(late, 0) + np.maximum(early, 0), np.maximum(plain, 0))
    return np.where(wraps[whole], 2, shared)


def storage_spans(lives: Lifetimes, storage: Ints) -> tuple[Ints, Ints, Ints]:
    """Return first cell, last cell and bytes of every stretch in which a storage is in use, none counted twice.

    A storage has the size of the block that it belongs to, and is in use while that block or an alias of it is alive.
    A tensor of an outer plan needs no more than its own bytes, however many the plan gives it.
    """
    tensor = lives.blocks["tensor_bytes"].to_numpy(np.int64, na_value=0)
    whole = (lives.blocks["plan"] == "outer").to_numpy(bool) & (tensor > 0)
    needed = np.where(whole, tensor, MOST)
    root = storage[lives.row]
    merged = np.bincount(storage, minlength=len(storage)) > 1
    alone = ~merged[root]
    if alone.all():
        return lives.first, lives.last, np.minimum(lives.size, needed[lives.row])
    order = np.flatnonzero(~alone)
    order = order[np.lexsort((lives.first[order], root[order]))]
    first, last, group = lives.first[order], lives.last[order], root[order]
    # Offsets between groups keep one group's ends out of the next one's running maximum.
    width = len(lives.cells) + 1
    offset = np.cumsum(np.diff(group, prepend=group[0]) != 0) * width
    reached = np.concatenate([[0], np.maximum.accumulate(last + offset)[:-1]]) - offset
    begin = np.maximum(first, reached)
    fresh = last > begin
    size = np.minimum(lives.blocks["size"].to_numpy(np.int64), needed)[group]
    parts = (lives.first[alone], lives.last[alone], np.minimum(lives.size, needed[lives.row])[alone])
    merged_parts = (begin[fresh], last[fresh], size[fresh])
    first_cell, last_cell, amounts = (np.concatenate(pair) for pair in zip(parts, merged_parts, strict=True))
    return first_cell, last_cell, amounts
