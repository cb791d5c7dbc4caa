"""Captions of memory views about time steps: the blocks alive at a step, the peak, transfers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.alive import peak_blocks
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.in_use import counts_addresses, peak_in_use
from analysis.memory.selection import MemorySelection
from components.counts import part_text
from components.memory.block_words import MAX_NAME_CHARACTERS, peak_words
from components.memory.listed_blocks import are_unlisted, unlisted_words
from components.numbers import count_text, integer, percent, shorten, size

NO_TABLE = (
    "The log has no table of time steps for this attempt, so the cycles of its steps are not known. "
    "Write the log with --debug-only=lmem_assign,timestep_with_cycle; final passes print no table."
)
"""Hint if a log lacks the table of time steps for an attempt."""
_MAX_FORCING = 3
"""Maximum number of blocks at the peak that a caption names."""
_CYCLES = ["gdma_cycles", "layer_cycles"]


def peak_caption(amap: AttemptMap) -> str:
    """Name the three largest blocks that are alive at the peak, with operator types and sizes.

    Returns "" if there is no peak, or if the memory has banks, because the map then highlights no
    blocks.
    """
    _, step = peak_in_use(amap)
    rows = peak_blocks(amap)
    if step is None or not len(rows) or amap.whole("banks"):
        return ""
    blocks = amap.blocks.iloc[rows[:_MAX_FORCING]]
    columns = (blocks["name"].astype("str"), blocks["op_type"].astype("object"), blocks["size"])
    named = [_forcing(*block) for block in zip(*columns, strict=True)]
    more = f" and {integer(len(rows) - len(blocks))} more" if len(rows) > len(blocks) else ""
    blocks_alive = "the block" if len(rows) == 1 else f"the {count_text(len(rows), 'block')}"
    at = f"{blocks_alive} alive at the peak{_operator(amap, step)}"
    return f"Highlighted: {at}: {', '.join(named)}{more}."


def _forcing(name: str, op_type: object, bytes_: int) -> str:
    typed = (
        ""
        if op_type is None or pd.isna(op_type) or not op_type
        else f", {shorten(str(op_type), MAX_NAME_CHARACTERS)}"
    )
    return f"{shorten(name, MAX_NAME_CHARACTERS)} ({size(bytes_)}{typed})"


def _operator(amap: AttemptMap, step: int) -> str:
    """Format the step with the name of its operator if that is known: ` (step 5, conv2d)`."""
    names = amap.steps.loc[amap.steps["step"] == step, "name"].astype("str")
    name = names.iloc[0] if len(names) else ""
    return f" (step {integer(step)}{f', {shorten(name, MAX_NAME_CHARACTERS)}' if name else ''})"


def timesteps_caption(amap: AttemptMap, selection: MemorySelection) -> str:
    """Write how many steps wait for transfers (DMA-bound) and for how many cycles, or the cycles of
    the selected step.

    If no step has cycles, it states that.
    """
    steps = amap.steps.dropna(subset=_CYCLES)
    if not len(steps):
        return "The file has no cycles for this attempt."
    chosen = steps[steps["step"] == selection.step] if selection.step is not None else steps.head(0)
    if len(chosen):
        return _timestep(*(int(chosen[name].iloc[0]) for name in ("step", *_CYCLES)))
    gdma, layer = (steps[name].to_numpy(np.int64) for name in _CYCLES)
    bound = int((gdma > layer).sum())
    length = int(np.maximum(gdma, layer).sum())
    wait = int(np.maximum(gdma - layer, 0).sum())
    if not length:
        return "No step of this attempt takes a cycle."
    if not bound:
        return f"No step is DMA-bound: computation hides every transfer, {count_text(length, 'cycle')} in all."
    counts = f"{part_text(bound, len(steps), 'step')} DMA-bound"
    return f"{counts}: {part_text(wait, length, 'cycle')} ({percent(wait / max(length, 1))}) wait for transfers."


def alive_caption(amap: AttemptMap, step: int, *, chosen: bool = True) -> str:
    """Write how many blocks and bytes are alive at `step`, with constants, capacity and failed
    blocks.

    `chosen` is True when the cursor is at the step, False when the step is a peak.
    """
    if are_unlisted(amap):
        return unlisted_words(amap)
    at = step_words(amap, step, chosen=chosen)
    rows = amap.occupancy[amap.occupancy["bank"].isna() & (amap.occupancy["step"] <= step)]
    if not len(rows):
        return f"{at}: no block is alive."
    # The occupancy of a long attempt only has the steps at which it changes: take the last step
    # that is not after this step.
    row = rows.iloc[int(rows["step"].to_numpy(np.int64).argmax())]
    live = int(row["live_bytes"])
    requested = int(row["requested_bytes"])
    capacity = amap.whole("capacity")
    static = amap.whole("static_bytes") or 0
    # Blocks that share addresses take the bytes of their union, not of their sum.
    used = live if pd.isna(row["union_bytes"]) else int(row["union_bytes"])
    room = f" of {size(capacity)} ({percent((used + static) / capacity)})" if capacity else ""
    constants = f" and {size(static)} of constants" if static else ""
    failed = f"; {size(requested - live)} more in blocks that failed" if requested > live else ""
    if not row["blocks"] and not chosen:
        return f"No block is alive at any step{failed}."
    shared = f" in {size(used)} of addresses" if used < live else ""
    taken = f"{size(live)}{shared}"
    if counts_addresses(amap):
        taken = f"{size(used)} of addresses, each counted once"
    blocks = count_text(int(row["blocks"]), "block") if row["blocks"] else "no block"
    return f"{at}: {blocks}, {taken}{constants}{room}{failed}."


def step_words(amap: AttemptMap, step: int, *, chosen: bool) -> str:
    """Return "At step N", and if it is not `chosen` by the cursor, that it is the peak of the
    attempt or of the steps in view.
    """
    return f"At step {integer(step)}" + (
        "" if chosen else f", {peak_words(step == peak_in_use(amap)[1], 'steps')}"
    )


def _timestep(step: int, gdma: int, layer: int) -> str:
    bound = "compute-bound" if layer >= gdma else "DMA-bound"
    costs = f"transfers {count_text(gdma, 'cycle')}, computation {integer(layer)}"
    return f"Step {integer(step)}: {costs}; {bound} by {integer(abs(layer - gdma))}."
