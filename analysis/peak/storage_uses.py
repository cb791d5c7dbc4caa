"""Uses of the storages of a map: the last use of each, and the time without use around a peak."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.storage import find_storage
from analysis.peak.contents import CONSTANT_KINDS, is_interface, is_recording
from schema.array_types import Bools, Ints
from schema.time_units import NANOSECONDS

_EARLIEST, _LATEST = -1, np.iinfo(np.int64).max
"""Ends of a range without a use before or after it."""


@dataclass(frozen=True)
class StorageUses:
    """Storages with known uses that a change of the program could free: int64 arrays.

    `row` is the row of the block that owns the storage, `start` and `end` its life with all blocks
    that share it, `size` its bytes. `last` is the end of its last use. `shared` is a mask of the
    storages that several blocks use. `owner` has the row of the owner for each block of the map.
    """

    row: Ints
    start: Ints
    end: Ints
    size: Ints
    last: Ints
    shared: Bools
    owner: Ints
    use_storage: Ints
    use_begin: Ints
    use_end: Ints

    def around(self, begin: int, end: int) -> tuple[Ints, Ints]:
        """Compute for each storage the end of its last use before steps [begin, end), and the begin
        of its next use after them; the two are equal if it is used within or lacks either use.
        """
        before = np.full(len(self.row), _EARLIEST)
        after = np.full(len(self.row), _LATEST)
        is_before = self.use_end <= begin
        is_after = self.use_begin >= end
        np.maximum.at(before, self.use_storage[is_before], self.use_end[is_before])
        np.minimum.at(after, self.use_storage[is_after], self.use_begin[is_after])
        busy = np.zeros(len(self.row), dtype=bool)
        busy[self.use_storage[~is_before & ~is_after]] = True
        idle = ~busy & (before != _EARLIEST) & (after != _LATEST)
        return np.where(idle, before, 0), np.where(idle, after, 0)


def storage_uses(amap: AttemptMap, kernels: pd.DataFrame) -> StorageUses | None:
    """Find the uses of the storages of a map; None if the file records no use of its blocks.

    `kernels` are the executions of a profile, empty for other sources: a use lasts as long as its
    execution. Storages are left out if a block of them is a constant, a weight, an input or an
    output, is held, wraps, has gaps, failed, belongs to a plan of a single step, or if a recording
    does not see it freed.
    """
    blocks = amap.blocks
    owner = find_storage(blocks)
    row, begin, end, writes = _uses(amap, kernels)
    if not len(row):
        return None
    movable = np.ones(len(blocks), dtype=bool)
    np.logical_and.at(movable, owner, _is_plain(amap))
    root = owner[row]
    roots, of = np.unique(root[movable[root]], return_inverse=True)
    own = movable[root]
    begin, end, writes = begin[own], end[own], writes[own]
    last = np.full(len(roots), _EARLIEST)
    np.maximum.at(last, of, end)
    starts = blocks["start"].to_numpy(np.int64).copy()
    ends = blocks["end"].to_numpy(np.int64).copy()
    np.minimum.at(starts, owner, blocks["start"].to_numpy(np.int64))
    np.maximum.at(ends, owner, blocks["end"].to_numpy(np.int64))
    # A storage is a result if its last use is a write and it is alive to the end: it is read after the recording.
    result = np.zeros(len(roots), dtype=bool)
    result[of[writes & (end == last[of])]] = True
    last = np.where(result & (ends[roots] >= amap.length), ends[roots], last)
    return StorageUses(
        row=roots,
        start=starts[roots],
        end=ends[roots],
        size=blocks["size"].to_numpy(np.int64)[roots],
        last=np.clip(last, starts[roots] + 1, np.maximum(ends[roots], starts[roots] + 1)),
        shared=np.bincount(owner, minlength=len(blocks))[roots] > 1,
        owner=owner,
        use_storage=of,
        use_begin=begin,
        use_end=end,
    )


def _is_plain(amap: AttemptMap) -> Bools:
    """Mask of the blocks with a lifetime of a single range, which a change of the program can cut."""
    blocks = amap.blocks
    inner = (blocks["plan"] == "inner").fillna(False).to_numpy(bool)
    odd = blocks["hold"].to_numpy(bool) | blocks["wraps"].to_numpy(bool) | inner
    odd |= (blocks["gaps"].fillna("") != "").to_numpy(bool)
    odd |= (blocks["status"] == "failed").to_numpy(bool) | is_interface(blocks)
    odd |= blocks["kind"].isin(CONSTANT_KINDS).to_numpy(bool)
    if is_recording(amap):
        # Uses after the recording are unknown, so that a buffer may be needed that is not freed.
        odd |= blocks["end"].to_numpy(np.int64) >= amap.length
    return np.asarray(~odd, dtype=np.bool_)


def _uses(amap: AttemptMap, kernels: pd.DataFrame) -> tuple[Ints, Ints, Ints, Bools]:
    """List row (of the block), begin, end (exclusive) and whether it only writes, of each use."""
    uses = amap.uses
    row = pd.Index(amap.blocks["block"]).get_indexer(uses["block"]).astype(np.int64)
    known = row >= 0
    writes = (uses["access"] == "w").to_numpy(bool)[known]
    begin = uses["start"].to_numpy(np.int64)[known]
    end = begin + 1
    if amap.facts.unit == NANOSECONDS:
        begin, end = _execution_spans(uses[known], kernels, begin)
    return row[known], begin, end, writes


def _execution_spans(uses: pd.DataFrame, kernels: pd.DataFrame, called: Ints) -> tuple[Ints, Ints]:
    """Return begin and end of the executions of the called kernels, in ns; of a call without a known
    execution its own time.
    """
    timed = kernels.dropna(subset="launch") if "launch" in kernels else kernels.head(0)
    if not len(timed):
        return called, called + 1
    spans = timed.astype({"launch": "int64"}).groupby("launch")[["start", "end"]]
    begins = spans.min()["start"].reindex(uses["kernel"]).to_numpy(np.float64, na_value=np.nan)
    ends = spans.max()["end"].reindex(uses["kernel"]).to_numpy(np.float64, na_value=np.nan)
    begin = np.where(np.isnan(begins), called, np.nan_to_num(begins)).astype(np.int64)
    end = np.where(np.isnan(ends), called + 1, np.nan_to_num(ends)).astype(np.int64)
    return np.minimum(begin, called), np.maximum(end, begin + 1)
