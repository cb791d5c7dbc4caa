"""Collectives of the ranks of a job: how long each rank was in them, and which rank came last.

Clocks of hosts differ, but durations do not: in the kernel of a collective a rank waits until all
ranks are there, so that the rank with the shortest duration came last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

Rank = int | str
"""Rank of a process; a text in files that hold the traces of several ranks."""


@dataclass(frozen=True)
class Collective:
    """The communication span number `n` (from 0) of a process group, by its duration (ns) on each
    rank.
    """

    group: str
    n: int
    name: str
    durations: Mapping[Rank, int]

    @property
    def skew(self) -> int:
        """The longest duration minus the shortest, ns."""
        return max(self.durations.values()) - min(self.durations.values())

    @property
    def last(self) -> Rank:
        """The rank with the shortest duration, the first of equals: all other ranks waited for it."""
        return min(self.durations, key=lambda rank: self.durations[rank])

    @property
    def waits(self) -> dict[Rank, int]:
        """Time of each rank above the shortest duration, ns."""
        shortest = min(self.durations.values())
        return {rank: duration - shortest for rank, duration in self.durations.items()}


@dataclass(frozen=True)
class Straggler:
    """The rank for which all other ranks waited longest: the skew (ns) and the number of the
    collectives to which it came last.
    """

    rank: Rank
    skew: int
    collectives: int


def communication_spans(kernels: pd.DataFrame) -> pd.DataFrame:
    """List the communication of a rank, by group and begin: group, n, name, duration (ns).

    `n` counts the spans of a group from 0. Spans without times count, with a null duration.
    """
    spans = kernels[(kernels["class"] == "communication").to_numpy(bool)]
    # All ranks of a group run its collectives in one order, whatever their clocks.
    spans = spans.sort_values("start", kind="stable")
    group = spans["group"].astype("object")
    listed = pd.DataFrame(
        {
            "group": group.where(group.notna(), "").astype("str").to_numpy(object),
            "name": spans["name"].astype("str").to_numpy(object),
            "duration": spans["duration"].astype("Int64").array,
        }
    )
    return listed.assign(n=listed.groupby("group").cumcount().to_numpy(np.int64))


def match_collectives(spans: Mapping[Rank, pd.DataFrame]) -> list[Collective]:
    """Match the communication of ranks by group and number, by group, then by number.

    `spans` are those of `communication_spans`. Collectives with a known duration on fewer than two
    ranks are left out, since nothing is known of their skew.
    """
    durations: dict[tuple[str, int], dict[Rank, int]] = {}
    names: dict[tuple[str, int], str] = {}
    for rank, frame in spans.items():
        timed = frame[frame["duration"].notna().to_numpy(bool)]
        columns = (timed[name].tolist() for name in ("group", "n", "name", "duration"))
        for group, number, name, duration in zip(*columns, strict=True):
            durations.setdefault((group, number), {})[rank] = int(duration)
            names.setdefault((group, number), name)
    return [
        Collective(group, number, names[group, number], durations[group, number])
        for group, number in sorted(durations)
        if len(durations[group, number]) > 1
    ]


def find_straggler(collectives: Sequence[Collective]) -> Straggler | None:
    """Find the rank with the most skew as the last one; None if no rank waited for another."""
    skews: dict[Rank, int] = {}
    counts: dict[Rank, int] = {}
    for collective in collectives:
        if collective.skew:
            skews[collective.last] = skews.get(collective.last, 0) + collective.skew
            counts[collective.last] = counts.get(collective.last, 0) + 1
    if not skews:
        return None
    # The sort decides between ranks with equal skew, so that the result is repeatable.
    rank = max(sorted(skews, key=str), key=lambda one: skews[one])
    return Straggler(rank, skews[rank], counts[rank])


def sum_waits(collectives: Sequence[Collective]) -> dict[Rank, int]:
    """Sum the time that each rank waited for another rank in collectives, ns; ranks without any
    lack.
    """
    sums: dict[Rank, int] = {}
    for collective in collectives:
        for rank, time in collective.waits.items():
            sums[rank] = sums.get(rank, 0) + time
    return sums


def are_aligned(spans: Mapping[Rank, pd.DataFrame]) -> bool:
    """Whether the ranks of each group have equally many spans with the same names in order.

    If not, a file lacks some of them, and those of one number may not be one collective.
    """
    seen: dict[str, list[str]] = {}
    for frame in spans.values():
        for group, own in frame.groupby("group", sort=False):
            names = own["name"].tolist()
            if seen.setdefault(str(group), names) != names:
                return False
    return True
