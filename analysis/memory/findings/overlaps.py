"""Finding about blocks that overlap in time and address although they do not share storage."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.findings.addresses import phantoms
from analysis.memory.findings.names import attempt_label, block_label, places
from analysis.memory.storage import in_place_pairs
from analysis.memory.survey import Surveyed
from schema.array_types import Ints
from schema.diagnostics import Diagnostic
from schema.plurals import plural


def overlaps(surveyed: Surveyed) -> pd.DataFrame:
    """List the pairs of blocks that overlap in time and address: one, other (rows of the blocks),
    low, high (shared bytes), cell (of time); each pair once.

    Intended sharing is left out: aliases in the storage that they share, and outputs that take over
    an operand's bytes. Blocks of different inner steps or different plans are in different arenas,
    so they cannot overlap.
    """
    alive = surveyed.lives
    lower = surveyed.lower
    upper = surveyed.upper
    first = alive.row[lower]
    second = alive.row[upper]
    storage = surveyed.storage
    # An overlap with an alias is an overlap with the block that owns its bytes; a phantom has bytes
    # of its own.
    shared = (alive.blocks["status"] == "shared").to_numpy(bool) & ~phantoms(surveyed)
    owner = np.where(shared, storage, np.arange(len(storage)))
    inner = (alive.blocks["plan"] == "inner").to_numpy(bool)
    meant = (storage[first] == storage[second]) | shared[owner[first]] | shared[owner[second]]
    meant |= (inner[first] != inner[second]) | in_place_pairs(alive.blocks, first, second)
    low = np.maximum(alive.low[lower], alive.low[upper])
    high = np.minimum(alive.high[lower], alive.high[upper])
    pairs = {
        "one": owner[first],
        "other": owner[second],
        "low": low,
        "high": high,
        "cell": surveyed.pair_cell,
    }
    return pd.DataFrame(pairs)[~meant].drop_duplicates(["one", "other"], ignore_index=True)


def block_overlap(surveyed: Surveyed) -> list[Diagnostic]:
    """Report overlapping blocks in a list of a single finding; [] without overlaps.

    If an attempt has the same tensor twice, which shows that attempts of a log are mixed up, report
    that instead.
    """
    pairs = overlaps(surveyed)
    if not len(pairs):
        return []
    mixed = _attempts_with_doubles(surveyed)
    if len(mixed):
        text = (
            f"{plural(len(mixed), 'attempt')} with the same block twice: several threads wrote into the log, "
            f"so blocks may be in the wrong attempt and {plural(len(pairs), 'overlap')} of blocks are not reported; "
            "compile with OMP_NUM_THREADS=1"
        )
        location = places(surveyed.lives.attempts, mixed)
        return [Diagnostic("warning", "attempts_mixed", text, location, len(mixed))]
    alive = surveyed.lives
    worst = pairs.iloc[int((pairs["high"] - pairs["low"]).to_numpy().argmax())]
    first, second = (
        block_label(alive.blocks["name"].iloc[worst[name]]) for name in ("one", "other")
    )
    owner = int(alive.owner[worst["one"]])
    overlap = "overlaps" if len(pairs) == 1 else "overlap"
    text = (
        f"{plural(len(pairs), 'pair')} of blocks {overlap} in time and address: {first} and {second} share "
        f"{plural(worst['high'] - worst['low'], 'byte')} from {worst['low']:#x} in step {alive.cells.step[worst['cell']]} of "
        f"{attempt_label(alive.attempts, owner)}"
    )
    where = places(alive.attempts, alive.owner[pairs["one"].to_numpy()])
    return [Diagnostic("error", "block_overlap", text, where, len(pairs))]


def _attempts_with_doubles(surveyed: Surveyed) -> Ints:
    """List the rows of the attempts that contain a tensor twice, sorted; a compiler lists every
    tensor of a layer group once.
    """
    blocks = surveyed.lives.blocks
    tensors = (blocks["kind"].isin(["activation", "weight"]) & blocks["level"].isna()).to_numpy(
        bool
    )
    twice = blocks.duplicated(["attempt", "kind", "op_type", "name"]).to_numpy(bool)
    return np.unique(surveyed.lives.owner[tensors & twice])
