"""Generate frames of large memory maps: a problem, a compile of many attempts, and a deployment.

Blocks are placed on shelves, one after another, so that they never overlap and no number is
trivial.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from schema.frames import complete

SHELF_BYTES = 4096
"""Height of a shelf in bytes."""
LOCAL_SHELF_BYTES = 24 * 1024
"""Height of a shelf in local memory: higher than a bank, so that blocks span several banks."""
_WEIGHT = 5
"""Every fifth block of an attempt is a weight."""
_TURN = 7
"""The last block of every seventh shelf wraps around the end of the steps."""


def problem(blocks: int, steps: int, shelves: int) -> dict[str, pd.DataFrame]:
    """Return the frames of a solved problem."""
    attempts = {
        "attempt": [0],
        "steps": [steps],
        "outcome": ["solved"],
        "capacity": [shelves * SHELF_BYTES * 2],
    }
    rows = _shelves_columns(blocks, steps, shelves) | {
        "attempt": 0,
        "block": np.arange(blocks),
        "kind": "buffer",
    }
    return _frames_of_run("minimalloc", attempts, complete("allocations", rows))


def compile_log(attempts: int, blocks: int) -> dict[str, pd.DataFrame]:
    """Return the frames of a TPU-MLIR log.

    Its attempts have 25 time steps with cycles, on a chip of 16 banks.
    """
    steps = 25
    shelves = 7
    number = np.arange(attempts)
    row = _shelves_columns(blocks, steps, shelves, LOCAL_SHELF_BYTES)
    last = np.arange(blocks) >= blocks - shelves
    wraps = last & (np.arange(blocks) % _TURN == 0)
    ends = np.where(wraps, 1, row["end"])
    weight = np.arange(blocks) % _WEIGHT == 0
    columns = {
        name: np.tile(values, attempts)
        for name, values in (row | {"end": ends, "wraps": wraps}).items()
    }
    columns |= {"attempt": np.repeat(number, blocks), "block": np.tile(np.arange(blocks), attempts)}
    columns["name"] = np.char.add(
        np.char.add("layer", columns["attempt"].astype("U")), columns["name"]
    )
    columns["kind"] = np.tile(np.where(weight, "weight", "activation"), attempts)
    columns["op_type"] = np.tile(np.where(weight, "top.Weight", "tpu.Conv2D"), attempts)
    chip = {
        "capacity": 262_144,
        "banks": 16,
        "bank_bytes": 16_384,
        "align_bytes": 64,
        "one_loop": 1,
    }
    tried = {"attempt": number, "steps": steps, "outcome": "success", "shape_secs": "1,1,1,1,1"}
    frames = _frames_of_run(
        "tpu_mlir", tried | chip | {"allow_bank_conflict": 0}, complete("allocations", columns)
    )
    return frames | _cycles(number, steps)


def deployment(steps: int, blocks: int) -> dict[str, pd.DataFrame]:
    """Return the frames of a Deeploy run.

    A seventh of the blocks is in L3 across steps, the rest are tiles in L2 and L1.
    """
    outer = blocks // 7
    tiles = [
        _tiles(steps, count)
        for count in ((blocks - outer) // 2, blocks - outer - (blocks - outer) // 2)
    ]
    parts = [pd.DataFrame(_shelves_columns(outer, steps, 8)).assign(plan="outer"), *tiles]
    levels = [
        part.assign(attempt=number, block=np.arange(len(part))) for number, part in enumerate(parts)
    ]
    rows = pd.concat(levels, ignore_index=True).assign(kind="variable")
    names = ["L3", "L2", "L1"]
    rows["level"] = np.array(names)[rows["attempt"]]
    attempts = {"attempt": range(3), "level": names, "steps": steps, "outcome": "success"}
    named = {"step": np.arange(steps), "name": [f"node_{step}" for step in range(steps)]}
    named["op_type"] = np.array(["RequantizedConv", "RequantizedGemm", "iRelu"])[
        np.arange(steps) % 3
    ]
    sizes = {"capacity": [64_000_000, 65_536, 65_536]}
    return _frames_of_run("deeploy", attempts | sizes, complete("allocations", rows)) | {
        "steps": complete("steps", named)
    }


def _frames_of_run(
    source: str, attempts: Mapping[str, object], allocations: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    return {
        "run": complete(
            "run",
            {"run_id": ["benchmark"], "source": [source], "name": [source], "time_unit": ["steps"]},
        ),
        "attempts": complete("attempts", attempts),
        "allocations": allocations,
        "diagnostics": complete("diagnostics", {"severity": pd.Series([], dtype="str")}),
    }


def _shelves_columns(
    blocks: int, steps: int, shelves: int, height: int = SHELF_BYTES
) -> dict[str, np.ndarray]:
    """Return the columns of blocks on shelves in turn.

    A block starts when the previous block on its shelf ends.
    """
    rank = np.arange(blocks)
    shelf = rank % shelves
    place = rank // shelves
    per_shelf = -(-blocks // shelves)
    random = np.random.default_rng(7)
    start = place * steps // per_shelf
    return {
        "name": np.char.add("/t", rank.astype("U")),
        "start": start,
        "end": np.maximum((place + 1) * steps // per_shelf, start + 1),
        "size": 64 * random.integers(8, height // 64, blocks),
        "address": shelf * height,
        "status": np.full(blocks, "placed"),
    }


def _tiles(steps: int, blocks: int) -> pd.DataFrame:
    """Return tiles of every step, stacked from address 0."""
    rank = np.arange(blocks)
    start = rank * steps // blocks
    floor = rank - np.searchsorted(start, start)
    return pd.DataFrame(
        {
            "name": np.char.add("t", (rank // 2).astype("U")),
            "start": start,
            "end": start + 1,
            "size": SHELF_BYTES,
            "address": floor * SHELF_BYTES,
            "status": "placed",
            "plan": "inner",
        }
    )


def _cycles(attempts: np.ndarray, steps: int) -> dict[str, pd.DataFrame]:
    """Return frames steps, events and tracks: a transfer and a computation in every time step."""
    count = len(attempts) * steps
    step = np.tile(np.arange(steps), len(attempts))
    gdma = 400 + 37 * (step % 5)
    layer = 300 + 91 * (step % 7)
    begin = np.concatenate([[0], np.cumsum(np.maximum(gdma, layer)[: steps - 1])])
    owner = np.repeat(attempts, steps)
    costs = {
        "attempt": owner,
        "step": step,
        "gdma_cycles": gdma,
        "layer_cycles": layer,
        "slack": layer - gdma,
        "name": np.char.add("/t", step.astype("U")),
        "begin": np.tile(begin, len(attempts)),
    }
    frame = complete("steps", costs)
    tracks = np.char.add("attempt ", attempts.astype("U"))
    lane = np.tile(np.repeat([0, 1], steps), len(attempts))
    at = np.tile(np.tile(begin, 2), len(attempts))
    length = np.where(
        lane == 0,
        np.tile(gdma[:steps], 2 * len(attempts)),
        np.tile(layer[:steps], 2 * len(attempts)),
    )
    events = {
        "track": pd.Categorical.from_codes(
            np.repeat(attempts, 2 * steps), categories=tracks.tolist()
        ),
        "lane": pd.Categorical.from_codes(lane, categories=["gdma", "layer"]),
        "name": pd.Categorical.from_codes(
            np.tile(np.arange(steps), 2 * len(attempts)), [f"/t{s}" for s in range(steps)]
        ),
        "start": at,
        "end": at + length,
        "opened": True,
        "closed": True,
    }
    units = {
        "track": tracks,
        "kind": "attempt",
        "order": attempts,
        "last": count,
        "entries": 4 * steps,
    }
    return {
        "steps": frame,
        "events": complete("events", events),
        "tracks": complete("tracks", units),
    }
