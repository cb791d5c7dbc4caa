"""Table of a log's layer groups: how often each was tried, with which settings, and how the last
attempt ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.memory.attempts import needed_peaks, without_levels
from analysis.memory.layer_groups import by_group

Steps = Mapping[int, int]
"""Attempt -> the first step at which it needs the most bytes."""
SETTINGS = ("shape_secs", "allow_bank_conflict", "one_loop")
"""Settings of an attempt that the compiler varies within a group."""


@dataclass(frozen=True)
class GroupAttempt:
    """Attempt of a layer group; numbers are `None` if the file does not have them.

    `room` is the capacity minus constants. `peak_bytes` is the maximum of the bytes that a step
    needs, including failed blocks, with shared storage counted once. `peak_step` is the first such
    step, `None` if it was not requested.
    """

    attempt: int
    shape_secs: str | None
    allow_bank_conflict: int | None
    outcome: str
    failed: int
    steps: int | None
    capacity: int | None
    room: int | None
    peak_bytes: int
    peak_step: int | None
    cycles: int | None


@dataclass(frozen=True)
class LayerGroup:
    """Layer group with its attempts in the order tried; `differs` maps each setting that varies to
    its values.
    """

    group: str
    attempts: tuple[GroupAttempt, ...]
    differs: Mapping[str, list[str | int]]

    @property
    def last(self) -> GroupAttempt:
        """The last attempt of the layer group in the order tried."""
        return self.attempts[-1]


def layer_groups(
    attempts: pd.DataFrame,
    allocations: pd.DataFrame,
    steps: pd.DataFrame,
    *,
    failed_steps_only: bool = False,
) -> list[LayerGroup]:
    """List the layer groups of frame `attempts` (with its numbers), in the order of their first
    attempts; [] without attempts.

    Memory levels in addition to attempts belong to no group. An attempt without a group forms its
    own group. With `failed_steps_only` the step of the peak is computed only for failed attempts,
    which is quicker.
    """
    own = by_group(without_levels(attempts))
    peak, peak_step = _peaks(own, allocations, failed_steps_only=failed_steps_only)
    rows = _attempt_rows(own, peak, peak_step, attempt_cycles(steps))
    names = own["group"].fillna("").astype("str")
    starts = np.flatnonzero(_begins_group(names)).tolist()
    labels = names.tolist()
    ends = [*starts[1:], len(own)]
    settings = {
        name: own[name].astype(object).where(own[name].notna(), None).tolist() for name in SETTINGS
    }
    return [
        LayerGroup(labels[start], tuple(rows[start:end]), _differs(settings, start, end))
        for start, end in zip(starts, ends, strict=True)
        if end > start
    ]


def _peaks(
    own: pd.DataFrame, allocations: pd.DataFrame, *, failed_steps_only: bool
) -> tuple[list[int], Steps]:
    """Return the peak of each attempt in bytes, in the order of `own`, and a dict from attempt to
    the first step of its peak, only of failed attempts if requested.
    """
    if not failed_steps_only:
        peak, step = needed_peaks(own, allocations)
        return peak.tolist(), dict(zip(own["attempt"].tolist(), step.tolist(), strict=True))
    failed = own[(own["failed"] > 0).fillna(False).astype(bool)]
    blocks = allocations[allocations["attempt"].isin(failed["attempt"])]
    steps = needed_peaks(failed, blocks)[1].tolist() if len(failed) else []
    # Method `reference` has no bound.
    peak = (
        own["bound"] if own["bound"].notna().all() else pd.Series(needed_peaks(own, allocations)[0])
    )
    return peak.astype("int64").tolist(), dict(zip(failed["attempt"].tolist(), steps, strict=True))


def attempt_cycles(steps: pd.DataFrame) -> dict[int, int]:
    """Map each attempt to its cycles: the longer of transfer and computation, summed over its
    steps. Attempts without cycles of both are missing.
    """
    timed = steps[
        steps["attempt"].notna() & steps["gdma_cycles"].notna() & steps["layer_cycles"].notna()
    ]
    longer = timed[["gdma_cycles", "layer_cycles"]].astype("int64").max(axis=1)
    total = longer.groupby(timed["attempt"].astype("int64")).sum()
    return {int(attempt): int(cycles) for attempt, cycles in total.items()}


def _begins_group(names: pd.Series) -> np.ndarray:
    texts = names.to_numpy(object)
    return np.append(True, (texts[1:] != texts[:-1]) | (texts[1:] == ""))[: len(texts)]


def _attempt_rows(
    own: pd.DataFrame, peak: list[int], peak_step: Steps, cycles: Mapping[int, int]
) -> list[GroupAttempt]:
    names = (
        "attempt",
        "shape_secs",
        "allow_bank_conflict",
        "outcome",
        "failed",
        "steps",
        "capacity",
    )
    columns = [own[name].astype(object).where(own[name].notna(), None).tolist() for name in names]
    static = own["static_bytes"].tolist()
    return [
        GroupAttempt(
            int(attempt),
            secs,
            allowed,
            str(outcome),
            failed or 0,
            steps,
            capacity,
            None if capacity is None else max(capacity - constants, 0),
            top,
            peak_step.get(attempt),
            cycles.get(attempt),
        )
        for attempt, secs, allowed, outcome, failed, steps, capacity, constants, top in zip(
            *columns, static, peak, strict=True
        )
    ]


def _differs(settings: Mapping[str, list[Any]], start: int, end: int) -> dict[str, list[str | int]]:
    if end - start < 2:
        return {}
    values = {
        name: {value for value in column[start:end] if value is not None}
        for name, column in settings.items()
    }
    return {name: sorted(distinct) for name, distinct in values.items() if len(distinct) > 1}
