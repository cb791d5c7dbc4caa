"""Frames `allocations` and `attempts` of buffers: a device is an attempt, a buffer a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.protocol import LoadError
from data_loaders.tinygrad.capture import BufferMoment, Capture
from data_loaders.tinygrad.clock import Clock
from data_loaders.tinygrad.columns import integers, texts
from data_loaders.tinygrad.dtypes import dtype_name, has_bit_sizes, item_bytes
from data_loaders.tinygrad.names import plain
from data_loaders.tinygrad.rows import row_order
from schema.array_types import Bools, Ints
from schema.arrays import category
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import complete
from schema.memory import MAX_BYTES, MAX_ELEMENTS


@dataclass(frozen=True)
class Buffers:
    """Buffers in the order of frame `allocations`: by device, then by time of allocation.

    `levels` has the names of devices with buffers, in the viewer's order. `level` is a buffer's
    index into it, `block` its rank on the device, `key` tinygrad's number. `size` is in bytes,
    times are in ns. `freed` is False if the buffer lived to the end.
    """

    levels: list[str]
    level: Ints
    block: Ints
    key: Ints
    size: Ints
    dtype: list[str]
    start: Ints
    end: Ints
    freed: Bools
    findings: list[Diagnostic]


def read_buffers(capture: Capture, clock: Clock, names: Sequence[str]) -> Buffers:
    """Match allocations with frees into buffers, in ns from the clock's origin.

    `names` are the names of the capture's devices. A buffer lives until it is freed, until its
    number is allocated again, or to the end of the capture. Findings count repeated allocations and
    frees without allocation. Raises LoadError if the sizes sum to 2^62 bytes or more.
    """
    moments = capture.buffers
    device = integers(moment.device for moment in moments)
    key = integers(moment.key for moment in moments)
    is_alloc = np.array([moment.dtype is not None for moment in moments], np.bool_)
    at = clock.since(moment.at for moment in moments)
    order = np.lexsort((at, key, device))
    same = np.zeros(len(order), np.bool_)
    same[:-1] = (device[order][1:] == device[order][:-1]) & (key[order][1:] == key[order][:-1])
    end, freed, reallocated = _ends(order, same, is_alloc, at, clock.length)
    orphans = int((~is_alloc).sum() - freed[is_alloc].sum())
    levels = sorted(set(device[is_alloc].tolist()), key=lambda number: row_order(names[number]))
    rank = np.zeros(len(names), np.int64)
    rank[levels] = np.arange(len(levels))
    rows = np.flatnonzero(is_alloc)
    rows = rows[np.lexsort((at[rows], rank[device[rows]]))]
    level = rank[device[rows]]
    size, dtype, clamped = _sizes([moments[row] for row in rows.tolist()])
    return Buffers(
        levels=[names[number] for number in levels],
        level=level,
        block=np.arange(len(rows)) - np.searchsorted(level, np.arange(len(levels)))[level],
        key=key[rows],
        size=size,
        dtype=dtype,
        start=at[rows],
        end=np.maximum(end[rows], at[rows] + 1),
        freed=freed[rows],
        findings=_findings(reallocated, orphans, clamped),
    )


def _ends(
    order: Ints,
    same: Bools,
    is_alloc: Bools,
    at: Ints,
    length: int,
) -> tuple[Ints, Bools, int]:
    """Return each moment's end (ns), whether it ends with a free, and the number of buffers
    allocated again without a free.

    `order` sorts the moments by device, number and time; `same` is True if the next moment in it
    has the same number and device. A buffer without a next moment ends at `length`.
    """
    following = np.roll(order, -1)
    end = np.full(len(order), length)
    freed = np.zeros(len(order), np.bool_)
    end[order] = np.where(same, at[following], length)
    freed[order] = same & ~is_alloc[following]
    reallocated = int((same & is_alloc[order] & is_alloc[following]).sum())
    return end, freed, reallocated


def _sizes(moments: Sequence[BufferMoment]) -> tuple[Ints, list[str], int]:
    """Return bytes and type (name in C) of each buffer, and the number of buffers whose size is
    clamped at 10^12 elements.

    A size is 0 if the type's is unknown. Raises LoadError if the sizes sum to 2^62 bytes or more.
    """
    dtypes = {id(moment.dtype): moment.dtype for moment in moments if moment.dtype is not None}
    bits = has_bit_sizes(dtypes.values())
    element_bytes = {place: item_bytes(dtype, bits) or 0 for place, dtype in dtypes.items()}
    names = {place: plain(dtype_name(dtype)) for place, dtype in dtypes.items()}
    # tinygrad's viewer clamps sizes at this number of elements too.
    sizes = [
        min(moment.elements, MAX_ELEMENTS) * element_bytes[id(moment.dtype)] for moment in moments
    ]
    if sum(sizes) >= MAX_BYTES:
        raise LoadError("the sizes of its buffers sum to more than the limit of a machine")
    clamped = sum(moment.elements > MAX_ELEMENTS for moment in moments)
    return integers(sizes), [names[id(moment.dtype)] for moment in moments], clamped


def allocations_frame(buffers: Buffers) -> pd.DataFrame:
    """Build frame `allocations`, a row per buffer in their order: lifetimes in ns, addresses null."""
    columns = {
        "attempt": buffers.level,
        "level": category(buffers.level, buffers.levels),
        "block": buffers.block,
        "name": texts(f"buffer {key}" for key in buffers.key.tolist()),
        "kind": "buffer",
        "dtype": pd.Categorical(buffers.dtype),
        "tensor_bytes": buffers.size,
        "size": buffers.size,
        "start": buffers.start,
        "end": buffers.end,
        "status": "unplaced",
    }
    return complete("allocations", columns)


def attempts_frame(buffers: Buffers, length: int) -> pd.DataFrame:
    """Build frame `attempts`, a row per device; `length` is the capture's length in ns."""
    count = len(buffers.levels)
    levels = category(np.arange(count), buffers.levels)
    return complete(
        "attempts",
        {
            "attempt": np.arange(count),
            "level": levels,
            "outcome": "unsolved",
            "steps": [length] * count,
        },
    )


def _findings(reallocated: int, orphans: int, clamped: int) -> list[Diagnostic]:
    twice = "allocated again without being freed: treated as freed at that time"
    huge = "of more than 10^12 elements: counted as 10^12 in maps, as in tinygrad's viewer, and excluded from the headline"
    return [
        *occurrences("warning", "buffer_twice", reallocated, "buffer", twice),
        *occurrences(
            "warning",
            "free_without_alloc",
            orphans,
            "free",
            "of a buffer that was not allocated: ignored",
        ),
        *occurrences("warning", "buffer_clamped", clamped, "buffer", huge),
    ]
