"""Findings about single blocks: misaligned addresses, aliases with storage of their own, and blocks
larger than their tensor.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import NOT_PLACED
from analysis.memory.dtype_bytes import dtype_bytes
from analysis.memory.findings.names import attempt_label, block_label, places
from analysis.memory.survey import Surveyed
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic
from schema.plurals import plural

_ROUNDED_TO = 4
"""Bytes to which a tool may round sizes up, in addition to the block's own alignment, without an
inflated_block finding.
"""


def placement(numbers: pd.DataFrame, surveyed: Surveyed) -> list[Diagnostic]:
    """Find misaligned blocks, aliases with storage of their own, and blocks larger than their
    tensor: at most a finding of each kind, in this order; [] without any.
    """
    return [
        *_find_misaligned(surveyed),
        *_phantom_alias(numbers, surveyed),
        *_find_inflated(surveyed),
    ]


def _addresses(surveyed: Surveyed) -> tuple[Ints, Bools]:
    """Read the address in bytes of every arena block (NOT_PLACED, -1, if null), and the mask of the
    blocks that have an address and did not fail.
    """
    blocks = surveyed.lives.blocks
    address = blocks["address"].to_numpy(np.int64, na_value=NOT_PLACED)
    return address, (address != NOT_PLACED) & ~surveyed.lives.failed_mask


def alignments(blocks: pd.DataFrame, hardware: Ints) -> Ints:
    """Compute the required alignment of each block in bytes: the maximum of its type's size, its
    own alignment and the hardware's, at least 1.
    """
    codes = blocks["dtype"].astype("category").cat
    sizes = np.array([dtype_bytes(name) or 1 for name in codes.categories] + [1], dtype=np.int64)
    own = np.maximum(blocks["alignment"].to_numpy(np.int64, na_value=1), 1)
    return np.asarray(np.maximum(np.maximum(sizes[codes.codes.to_numpy()], own), hardware))


def phantoms(surveyed: Surveyed) -> Bools:
    """Mask of the blocks that are placed aliases and share no byte with the placed block that owns
    their storage; False for other blocks, also for aliases that overlap it partly.
    """
    storage = surveyed.storage
    size = surveyed.lives.blocks["size"].to_numpy(np.int64)
    address, placed = _addresses(surveyed)
    aliased = (storage != np.arange(len(storage))) & placed & placed[storage]
    outside = (address >= address[storage] + size[storage]) | (address + size <= address[storage])
    return np.asarray(aliased & outside, dtype=np.bool_)


def _find_misaligned(surveyed: Surveyed) -> list[Diagnostic]:
    alive = surveyed.lives
    hardware = np.maximum(alive.attempts["align_bytes"].to_numpy(np.int64, na_value=1), 1)[
        alive.owner
    ]
    needed = alignments(alive.blocks, hardware)
    address, placed = _addresses(surveyed)
    off = np.flatnonzero(placed & (address % needed != 0))
    if not len(off):
        return []
    first = alive.blocks.iloc[off[0]]
    dtype = "" if pd.isna(first["dtype"]) else f" ({first['dtype']})"
    text = (
        f"{plural(len(off), 'block')} not aligned to data type or hardware: "
        f"{block_label(first['name'])}{dtype} of {attempt_label(alive.attempts, int(alive.owner[off[0]]))} is at "
        f"{address[off[0]]:#x}, not a multiple of {needed[off[0]]}"
    )
    where = places(alive.attempts, alive.owner[off])
    return [Diagnostic("warning", "misaligned", text, where, len(off))]


def _phantom_alias(numbers: pd.DataFrame, surveyed: Surveyed) -> list[Diagnostic]:
    """Find aliases that share no byte with their target: generated code uses the target's bytes, so
    the alias's own are wasted. A list of a single finding, a warning if an attempt wastes bytes; []
    without such aliases.
    """
    alive = surveyed.lives
    blocks = alive.blocks
    storage = surveyed.storage
    size = blocks["size"].to_numpy(np.int64)
    phantom = np.flatnonzero(phantoms(surveyed))
    if not len(phantom):
        return []
    waste = numbers["waste"].to_numpy(np.float64, na_value=-1)[alive.owner[phantom]]
    worst = phantom[np.lexsort((size[phantom], waste))[-1]]
    owner = int(alive.owner[worst])
    text = (
        f"{plural(len(phantom), 'view')} of other tensors with bytes of their own: "
        f"{block_label(blocks['name'][worst])} takes {plural(size[worst], 'byte')} "
        f"beside {block_label(blocks['name'][storage[worst]])}; "
        f"{attempt_label(numbers, owner)} uses {plural(numbers['extent'].iloc[owner], 'byte')}, the lower bound with "
        f"shared views is {numbers['bound'].iloc[owner]}"
    )
    severity = "warning" if waste.max() > 0 else "info"
    where = places(numbers, alive.owner[phantom])
    return [Diagnostic(severity, "phantom_alias", text, where, len(phantom))]


def _find_inflated(surveyed: Surveyed) -> list[Diagnostic]:
    """Find blocks of an outer plan that are larger than their tensor by at least their alignment (4
    bytes if that is less); a list of a single finding, or [].
    """
    alive = surveyed.lives
    blocks = alive.blocks
    size = blocks["size"].to_numpy(np.int64)
    tensor = blocks["tensor_bytes"].to_numpy(np.int64, na_value=0)
    step = np.maximum(blocks["alignment"].to_numpy(np.int64, na_value=1), _ROUNDED_TO)
    # Blocks of inner plans are tiles, which may have their bytes twice.
    outer = (blocks["plan"] == "outer").to_numpy(bool)
    excess = np.where(outer & (tensor > 0), size - tensor, 0)
    inflated = np.flatnonzero(excess >= step)
    if not len(inflated):
        return []
    worst = inflated[excess[inflated].argmax()]
    text = (
        f"{plural(len(inflated), 'block')} larger than their tensors, by {plural(sum(excess[inflated].tolist()), 'byte')} in "
        f"total: {block_label(blocks['name'][worst])} has {plural(size[worst], 'byte')} for a tensor of {tensor[worst]}"
    )
    where = places(alive.attempts, alive.owner[inflated])
    return [Diagnostic("warning", "inflated_block", text, where, len(inflated))]
