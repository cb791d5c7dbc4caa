"""The layer groups of a log: how often each was tried, with which settings, and how the last attempt ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempts import needed_peaks, without_levels
from analysis.memory.layer_groups import by_group
from schema.array_types import Ints

SETTINGS = ("shape_secs", "allow_bank_conflict", "one_loop")
"""Settings of an attempt that the compiler varies within a group."""


@dataclass(frozen=True)
class GroupAttempt:
    """An attempt of a group; bytes, steps and cycles, None where the file does not say.

    `peak_bytes` are the most bytes that a step asks for, failed blocks too and storage that is shared once, and
    `peak_step` is the first such step.
    """

    attempt: int
    shape_secs: str | None
    allow_bank_conflict: int | None
    outcome: str
    failed: int
    steps: int | None
    capacity: int | None
    peak_bytes: int
    peak_step: int
    cycles: int | None


@dataclass(frozen=True)
class LayerGroup:
    """A layer group with its attempts in the order tried; `differs` has the values of the settings that vary."""

    group: str
    attempts: tuple[GroupAttempt, ...]
    differs: Mapping[str, list[str | int]]

    @property
    def last(self) -> GroupAttempt:
        """Return the last attempt."""
        return self.attempts[-1]


def layer_groups(attempts: pd.DataFrame, allocations: pd.DataFrame, steps: pd.DataFrame) -> list[LayerGroup]:
    """Return the groups of frame `attempts` (with its numbers), in the order of their first attempts.

    Memory levels beside attempts belong to none. An attempt without a group is one of its own.
    """
    own = by_group(without_levels(attempts))
    peak, peak_step = needed_peaks(own, allocations)
    rows = _attempt_rows(own, peak, peak_step, attempt_cycles(steps))
    starts = np.flatnonzero(_begins_group(own["group"].fillna("").astype("str")))
    ends = np.append(starts[1:], len(own))
    return [
        LayerGroup(str(own["group"].iloc[start] or ""), tuple(rows[start:end]), _differs(own.iloc[start:end]))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def attempt_cycles(steps: pd.DataFrame) -> dict[int, int]:
    """Return per attempt the sum over its steps of the longer of transfers and computation; none without a table."""
    known = steps[steps["attempt"].notna() & steps["gdma_cycles"].notna() & steps["layer_cycles"].notna()]
    longer = known[["gdma_cycles", "layer_cycles"]].astype("int64").max(axis=1)
    total = longer.groupby(known["attempt"].astype("int64")).sum()
    return {int(attempt): int(cycles) for attempt, cycles in total.items()}


def _begins_group(names: pd.Series) -> np.ndarray:
    texts = names.to_numpy(object)
    return np.append(True, (texts[1:] != texts[:-1]) | (texts[1:] == ""))[: len(texts)]


def _attempt_rows(own: pd.DataFrame, peak: Ints, peak_step: Ints, cycles: Mapping[int, int]) -> list[GroupAttempt]:
    names = ("attempt", "shape_secs", "allow_bank_conflict", "outcome", "failed", "steps", "capacity")
    columns = [own[name].astype(object).where(own[name].notna(), None).tolist() for name in names]
    return [
        GroupAttempt(
            int(attempt), secs, allowed, str(outcome), failed or 0, steps, capacity, top, at, cycles.get(attempt)
        )
        for attempt, secs, allowed, outcome, failed, steps, capacity, top, at in zip(
            *columns, peak.tolist(), peak_step.tolist(), strict=True
        )
    ]


def _differs(rows: pd.DataFrame) -> dict[str, list[str | int]]:
    values = {name: rows[name].dropna().unique().tolist() for name in SETTINGS}
    return {name: sorted(found) for name, found in values.items() if len(found) > 1}
