"""Frame `instruction_costs`: hits, idle and stalled clocks, and delays of a program's instructions,
from its thread traces.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from schema.frames import Frames, complete, empty

_ISSUE_CLOCKS = 1
"""Clocks of an issue, as tinygrad's viewer draws it."""
_WAITS = "s_wait"
"""Begin of the mnemonics of instructions that are issued when their wait is over."""
_BARRIERS = ("BARRIER", "BARRIER_SIGNAL")


def instruction_costs(frames: Frames) -> pd.DataFrame:
    """Compute the frame from frames `thread_traces`, `wave_instructions` and `disassembly`.

    Instructions without an address are left out. `disassembly` may be missing: then no
    instruction has a text, and none is known to wait.
    """
    programs = frames["thread_traces"].set_index("trace")["program"]
    issued = frames["wave_instructions"]
    rows = issued.assign(program=issued["trace"].map(programs))
    rows = rows[rows["program"].notna()]
    if rows["pc"].notna().sum() == 0:
        return empty("instruction_costs")
    rows = rows.merge(_texts(frames.get("disassembly")), on=["program", "pc"], how="left")
    rows = rows.sort_values(["trace", "wave"], kind="stable")
    rows = rows.assign(**_gaps(rows))
    table = rows[rows["pc"].notna()].groupby(["program", "pc"], as_index=False)
    costs = table.agg(
        text=("text", "first"),
        hits=("at", "size"),
        idle=("idle", "sum"),
        stall=("stall", "sum"),
        delay=("delay", "mean"),
        executed=("delay", "count"),
    )
    return complete("instruction_costs", {name: costs[name] for name in costs.columns})


def _texts(code: pd.DataFrame | None) -> pd.DataFrame:
    names = ["program", "pc", "text"]
    known = pd.DataFrame(columns=names) if code is None else code[names]
    return known.astype({"program": "Int64", "pc": "Int64", "text": "object"})


def _gaps(rows: pd.DataFrame) -> dict[str, np.ndarray]:
    """Compute idle and stalled clocks of issues, which are sorted by trace and wave."""
    at = rows["at"].to_numpy(np.int64)
    is_barrier = rows["kind"].astype("str").isin(_BARRIERS).to_numpy()
    following = rows["duration"].to_numpy(np.float64, na_value=np.nan)
    released = rows["released"].to_numpy(np.float64, na_value=np.nan) - at
    # A wave without packets behind its barrier has no end of it.
    held = np.fmin(released, following) - _ISSUE_CLOCKS
    held = np.where(is_barrier, np.nan_to_num(np.maximum(held, 0)), 0)
    same_wave = np.zeros(len(rows), bool)
    for name in ("trace", "wave"):
        values = rows[name].to_numpy(np.int64)
        same_wave[1:] = (values[1:] == values[:-1]) & (same_wave[1:] if name == "wave" else True)
    gap = np.zeros(len(rows))
    gap[1:] = at[1:] - at[:-1] - _ISSUE_CLOCKS - held[:-1]
    gap = np.where(same_wave, np.maximum(gap, 0), 0)
    waits = rows["text"].fillna("").astype("str").str.startswith(_WAITS).to_numpy(bool)
    return {
        "idle": np.where(waits, 0, gap).astype(np.int64),
        "stall": (np.where(waits, gap, 0) + held).astype(np.int64),
    }
