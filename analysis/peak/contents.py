"""Kind of content of each block at a peak: persistent, intermediate, scratch or unknown."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from schema.array_types import Bools

PERSISTENT, INTERMEDIATE, SCRATCH, UNKNOWN = "persistent", "intermediate", "scratch", "unknown"
PLACEMENT, ALIGNMENT = "placement", "alignment"
PARTS = (PERSISTENT, INTERMEDIATE, SCRATCH, PLACEMENT, ALIGNMENT, UNKNOWN)
"""Parts of a peak in the order in which they are listed: contents, waste, unknown content."""
STACK = "(stack)"
"""Name of the block of a core's stack in the maps of an array's tiles."""
_INTERFACE = ("input", "output")
"""Roles of blocks that the caller of a network owns."""
CONSTANT_KINDS = ("constant", "weight")
"""Kinds of blocks with constant content, which is computed by no step."""
_SCRATCH_KINDS = ("operation", "transient")
_VALUE_KINDS = ("activation", "variable")


def block_contents(amap: AttemptMap) -> np.ndarray:
    """Return the kind of content of each of the map's blocks, an array of str.

    - Persistent: constants, weights, held blocks, inputs and outputs that are alive in all steps,
      and buffers of unknown use that are. A buffer of a tile is allocated as long as its design
      runs.
    - Scratch: working memory of an operator, or the stack of a core.
    - Intermediate: activations and variables, and buffers that a recording sees freed.
    - Unknown: other buffers. If a recording ends before a buffer is freed, the file does not tell
      whether the buffer is temporary.
    """
    blocks = amap.blocks
    kind = blocks["kind"].astype("str").to_numpy()
    is_value = np.isin(kind, _VALUE_KINDS)
    is_scratch = np.isin(kind, _SCRATCH_KINDS)
    is_constant = np.isin(kind, CONSTANT_KINDS)
    is_buffer = ~(is_value | is_scratch | is_constant)
    contents = np.full(len(blocks), UNKNOWN, dtype=object)
    contents[is_value] = INTERMEDIATE
    if is_recording(amap):
        contents[is_buffer & (blocks["end"].to_numpy(np.int64) < amap.length)] = INTERMEDIATE
    # The kind of a value tells more than its life: an activation may be freed too late.
    contents[_alive_throughout(amap) & (is_buffer | is_interface(blocks))] = PERSISTENT
    contents[is_constant | blocks["hold"].to_numpy(bool)] = PERSISTENT
    if amap.facts.tiles:
        contents[is_buffer] = PERSISTENT
        contents[is_buffer & (blocks["name"] == STACK).to_numpy(bool)] = SCRATCH
    contents[is_scratch] = SCRATCH
    return contents


def is_recording(amap: AttemptMap) -> bool:
    """Whether a map has buffers of a program that ran, and not of a plan."""
    return amap.facts.devices or amap.facts.allocator


def is_interface(blocks: pd.DataFrame) -> Bools:
    """Mask of the blocks that are inputs or outputs of a network."""
    return np.asarray(blocks["role"].astype("str").isin(_INTERFACE), dtype=np.bool_)


def _alive_throughout(amap: AttemptMap) -> Bools:
    """Compute the mask of the blocks that are alive in all steps. It selects no block of a map of a
    single step, or of the arenas of single steps, as each of these blocks would be alive
    throughout.
    """
    blocks = amap.blocks
    whole = (blocks["start"].to_numpy(np.int64) <= 0) & (
        blocks["end"].to_numpy(np.int64) >= amap.length
    )
    inner = (blocks["plan"] == "inner").fillna(False).to_numpy(bool)
    return np.asarray(whole & ~inner & (amap.length > 1), dtype=np.bool_)
