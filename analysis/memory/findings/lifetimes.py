"""Findings about lifetimes: inputs, outputs and operands that are not alive when they are used."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import segments
from analysis.memory.findings.names import attempt_label, block_label, places
from analysis.memory.lives import lengths
from analysis.memory.survey import Surveyed
from schema.array_types import Bools
from schema.diagnostics import Diagnostic
from schema.plurals import plural


def lifetimes(
    allocations: pd.DataFrame, uses: pd.DataFrame, surveyed: Surveyed
) -> list[Diagnostic]:
    """Find outputs, inputs and uses outside of lifetimes: at most a finding of each kind, in this
    order; [] without any. `uses` is frame buffer_uses, with steps in `start`.
    """
    return [
        *_dead_outputs(surveyed),
        *_late_inputs(surveyed),
        *_dead_at_use(allocations, uses, surveyed),
    ]


def _role_mask(surveyed: Surveyed, role: str) -> Bools:
    """Mask of the blocks with role `role` (input or output) of the whole network; blocks of inner
    plans are inputs of a step and do not count, nor do blocks that are alive throughout.
    """
    blocks = surveyed.lives.blocks
    return np.asarray(
        (blocks["role"] == role) & (blocks["plan"] == "outer") & ~blocks["hold"], dtype=np.bool_
    )


def _dead_outputs(surveyed: Surveyed) -> list[Diagnostic]:
    """Find outputs that are no longer alive when the caller reads them, after the last step; a list
    of a single error, or [].
    """
    alive = surveyed.lives
    length = lengths(alive.attempts, alive.blocks, alive.owner)[alive.owner]
    end = alive.blocks["end"].to_numpy(np.int64)
    dead = np.flatnonzero(_role_mask(surveyed, "output") & (end <= length))
    if not len(dead):
        return []
    worst = dead[(length - end)[dead].argmax()]
    text = (
        f"{plural(len(dead), 'output')} may be overwritten before it is read: "
        f"{block_label(alive.blocks['name'][worst])} is alive until step {end[worst] - 1}, the plan has "
        f"{plural(length[worst], 'step')} and the caller reads after the last"
    )
    where = places(alive.attempts, alive.owner[dead])
    return [Diagnostic("error", "output_dies_early", text, where, len(dead))]


def _late_inputs(surveyed: Surveyed) -> list[Diagnostic]:
    """Find inputs that are not yet alive when the caller writes them, before step 0; a list of a
    single error, or [].
    """
    alive = surveyed.lives
    start = alive.blocks["start"].to_numpy(np.int64)
    late = np.flatnonzero(_role_mask(surveyed, "input") & (start > 0))
    if not len(late):
        return []
    worst = late[start[late].argmax()]
    text = (
        f"{plural(len(late), 'input')} may be overwritten before it is used: "
        f"{block_label(alive.blocks['name'][worst])} is alive from step {start[worst]}, but written before step 0"
    )
    where = places(alive.attempts, alive.owner[late])
    return [Diagnostic("error", "input_starts_late", text, where, len(late))]


def _dead_at_use(
    allocations: pd.DataFrame, uses: pd.DataFrame, surveyed: Surveyed
) -> list[Diagnostic]:
    attempts = surveyed.lives.attempts
    blocks = allocations.reset_index(drop=True)
    position = blocks[["attempt", "block", "name"]].assign(row=np.arange(len(blocks)))
    rows = uses[["attempt", "block", "start"]].merge(position, on=["attempt", "block"])
    if not len(rows):
        return []
    dead = rows[~_alive_mask(blocks, attempts, rows)]
    if not len(dead):
        return []
    worst = dead.iloc[0]
    owner = pd.Index(attempts["attempt"]).get_indexer(dead["attempt"]).astype(np.int64)
    text = (
        f"{plural(len(dead), 'use')} of a tensor that is not alive then: {block_label(worst['name'])} of "
        f"{attempt_label(attempts, int(owner[0]))} in step {worst['start']}"
    )
    return [Diagnostic("error", "dead_at_use", text, places(attempts, owner), len(dead))]


def _alive_mask(blocks: pd.DataFrame, attempts: pd.DataFrame, uses: pd.DataFrame) -> Bools:
    """Mask of the rows of `uses` in whose step `start` the block at `row` is alive; gaps of
    lifetimes are ignored.
    """
    owner = pd.Index(attempts["attempt"]).get_indexer(blocks["attempt"]).astype(np.int64)
    parts = segments(blocks, lengths(attempts, blocks, owner)[owner])
    spans = pd.DataFrame({"row": parts.row, "from": parts.start, "to": parts.end})
    seen = uses[["row", "start"]].reset_index(names="use").merge(spans, on="row")
    alive = seen.loc[(seen["start"] >= seen["from"]) & (seen["start"] < seen["to"]), "use"]
    return np.asarray(uses.index.isin(alive), dtype=np.bool_)
