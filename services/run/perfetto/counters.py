"""Counters of live bytes over time, of memories and of their banks."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.memory.occupancy import occupancy
from schema.array_types import Ints
from schema.frames import Frames
from services.run.perfetto.clock import Clock
from services.run.perfetto.trace import Counter

MAX_ATTEMPTS = 64
"""Maximum number of attempts whose memory is exported as counters."""
_ALL_BANKS = -1
"""Number for the rows about the whole memory, which have no bank."""


def shown_attempts(attempts: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the final attempts; all attempts if no attempt is marked final."""
    final = attempts[attempts["final"].fillna(value=False).astype("bool")]
    return final if len(final) else attempts


def live_byte_counters(frames: Frames, clock: Clock) -> list[Counter]:
    """Return the counters `live bytes` and `bank N` of the first MAX_ATTEMPTS (64) shown attempts,
    points in order of time; empty without attempts.

    A point has the time (ns) at which its step begins.
    """
    attempts = shown_attempts(frames["attempts"]).head(MAX_ATTEMPTS)
    if not len(attempts):
        return []
    blocks = frames["allocations"]
    alive = occupancy(blocks[blocks["attempt"].isin(attempts["attempt"])], attempts)
    at = clock.nanoseconds(_begins(alive, frames["steps"]))
    live = alive["live_bytes"].to_numpy(np.int64)
    level = alive["level"].astype("object")
    process = level.where(level.notna(), "attempt " + alive["attempt"].astype("str"))
    bank = alive["bank"].fillna(_ALL_BANKS).astype("int64")
    counters = []
    for (name, number), rows in alive.groupby([process, bank], sort=False).indices.items():
        order = rows[np.argsort(at[rows], kind="stable")]
        title = "live bytes" if number == _ALL_BANKS else f"bank {number}"
        counters.append(Counter(str(name), title, at[order], live[order]))
    return counters


def _begins(alive: pd.DataFrame, steps: pd.DataFrame) -> Ints:
    """Return the tick of each row of `alive` as int64: the begin of its step if frame `steps` has
    it, else the number of the step.
    """
    steps_with_begin = steps[steps["begin"].notna() & steps["attempt"].notna()]
    begins = pd.Series(
        steps_with_begin["begin"].to_numpy(np.int64),
        pd.MultiIndex.from_arrays(
            [
                steps_with_begin["attempt"].to_numpy(np.int64),
                steps_with_begin["step"].to_numpy(np.int64),
            ]
        ),
    )
    # reindex needs unique keys; the last row of a step wins
    begins = begins[~begins.index.duplicated(keep="last")]
    begin_of_row = begins.reindex(pd.MultiIndex.from_frame(alive[["attempt", "step"]])).to_numpy()
    step = alive["step"].to_numpy(np.int64)
    if not len(begins):
        return np.asarray(step, np.int64)
    return np.asarray(np.where(pd.isna(begin_of_row), step, np.nan_to_num(begin_of_row)), np.int64)
