"""Times of the ranks of a distributed job, and how long each waits for another rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.kernels.breakdown import device_window
from analysis.kernels.collectives import (
    Collective,
    Rank,
    Straggler,
    are_aligned,
    communication_spans,
    find_straggler,
    match_collectives,
    sum_waits,
)
from analysis.kernels.device_spans import device_spans


@dataclass(frozen=True)
class RankTimes:
    """Times of a rank in ns, of its device with the most busy time; None if they are unknown.

    `busy` and `communication_exposed` are parts of `total`, from the first execution to the last.
    `wait` is the time in collectives above that of the rank that came last, None without shared
    collectives.
    """

    rank: Rank
    run_id: str
    name: str
    step_ns: int | None = None
    busy: int | None = None
    total: int | None = None
    communication_exposed: int | None = None
    wait: int | None = None


@dataclass(frozen=True)
class Ranks:
    """Ranks of a job with a trace, by number, and the collectives of at least two of them.

    `missing` are the ranks without a trace, None if the size of the job is unknown. `left_out` is
    the number of ranks with a trace that were not read. `unknown` has the codes of what is
    uncertain: `no_collectives` (of at least two ranks), `collectives_differ` (the ranks of a group
    have others), `no_world_size`, `too_large` (times were not computed).
    """

    world_size: int | None
    missing: Sequence[int] | None
    ranks: Sequence[RankTimes]
    collectives: Sequence[Collective]
    straggler: Straggler | None
    left_out: int
    unknown: tuple[str, ...]

    @property
    def skew(self) -> int:
        """The skew of all collectives together, ns."""
        return sum(collective.skew for collective in self.collectives)


@dataclass(frozen=True)
class RankTrace:
    """Trace of a rank: its run, executions and tracks, and the typical time of its steps (ns)."""

    rank: Rank
    run_id: str
    name: str
    kernels: pd.DataFrame
    tracks: pd.DataFrame
    step_ns: float | None


def compare_ranks(
    traces: Sequence[RankTrace],
    world_size: int | None,
    missing: Sequence[int] | None,
    left_out: int,
) -> Ranks:
    """Compute the times of ranks and their collectives.

    `world_size` is None if the number of processes is unknown, and then `missing` too; `left_out`
    is the number of further ranks whose traces were not read.
    """
    spans = {trace.rank: communication_spans(trace.kernels) for trace in traces}
    collectives = match_collectives(spans)
    waits = sum_waits(collectives)
    unknown = []
    if not collectives:
        unknown.append("no_collectives")
    # A file without one of the collectives shifts the numbers of all that follow.
    elif not are_aligned(spans):
        unknown.append("collectives_differ")
    if world_size is None:
        unknown.append("no_world_size")
    return Ranks(
        world_size=world_size,
        missing=missing,
        ranks=[_rank_times(trace, waits.get(trace.rank)) for trace in traces],
        collectives=collectives,
        straggler=find_straggler(collectives),
        left_out=left_out,
        unknown=tuple(unknown),
    )


def _rank_times(trace: RankTrace, wait: int | None) -> RankTimes:
    spans = device_spans(trace.kernels, trace.tracks)
    windows = [device_window(own) for own in spans]
    window = max(windows, key=lambda one: one.busy, default=None)
    return RankTimes(
        rank=trace.rank,
        run_id=trace.run_id,
        name=trace.name,
        step_ns=None if trace.step_ns is None else int(trace.step_ns),
        busy=None if window is None else window.busy,
        total=None if window is None else window.total,
        communication_exposed=None if window is None else window.communication_exposed,
        wait=wait,
    )
