"""Ranks of a distributed job: their times, their collectives, and the rank that they wait for.

The same for page and command line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from analysis.kernels.rank_frames import split_ranks
from analysis.kernels.ranks import Ranks, RankTrace, compare_ranks
from analysis.kernels.steps import find_steps
from schema.contents import has_named_kernels
from schema.frames import Frames
from services.run.stored_frames import StoredFrames
from storage.job_runs import JobRun, job_runs
from storage.repository import Repository

MAX_RANKS = 256
"""Maximum number of ranks whose times are computed, those with the lowest numbers."""
_MAX_RUNS = 10_000
"""Maximum number of runs that are searched for the ranks of a job."""


def find_ranks(repository: Repository, run_id: str) -> Ranks:
    """Compute the ranks of the job of a run, from the traces of its folder or of a merged trace.

    Raises RunNotFound, and ValueError if the run is not a profile or has no rank.
    """
    run = repository.find_run(run_id).run
    frames = StoredFrames(repository, run_id)
    if not has_named_kernels(frames):
        raise ValueError("the run is not a profile of kernels, so it has no ranks")
    if run.get("rank") is None:
        traces = _merged_traces(run, frames)
        if not traces:
            raise ValueError(
                "the trace names no rank: neither distributedInfo nor its processes have one"
            )
        return compare_ranks(traces[:MAX_RANKS], None, None, max(0, len(traces) - MAX_RANKS))
    runs = ranks_of_job(repository, run)
    shown = runs[:MAX_RANKS]
    traces = [_file_trace(one, StoredFrames(repository, one.run_id)) for one in shown]
    # Ranks above MAX_RANKS have a trace, so they are not missing.
    missing = missing_ranks(run, runs)
    return compare_ranks(traces, run.get("world_size"), missing, len(runs) - len(shown))


def missing_ranks(run: Mapping[str, Any], runs: Sequence[JobRun]) -> list[int] | None:
    """List the ranks of the job of a row of frame `run` without a trace; None if its size is
    unknown.
    """
    world_size = run.get("world_size")
    if world_size is None:
        return None
    present = {one.rank for one in runs}
    return [rank for rank in range(int(world_size)) if rank not in present]


def ranks_of_job(repository: Repository, run: Mapping[str, Any]) -> list[JobRun]:
    """List the run of each rank of the job of a row of frame `run`, by rank, the run itself too.

    Of several traces of a rank the nearest in time counts, as a folder may hold several captures.
    """
    taken_at = str(run.get("taken_at") or "")
    own = JobRun(str(run["run_id"]), int(run["rank"]), taken_at, str(run["name"]), "")
    nearest = {own.rank: own}
    found = job_runs(repository.catalogue, str(run["source"]), str(run["job"] or ""), _MAX_RUNS)
    for one in found:
        # The run itself is the trace of its rank, even if another capture is nearer in time.
        if one.rank == own.rank:
            continue
        before = nearest.get(one.rank)
        if before is None or _distance(one, own) < _distance(before, own):
            nearest[one.rank] = one
    return [nearest[rank] for rank in sorted(nearest)]


def _distance(run: JobRun, own: JobRun) -> float:
    """Return the seconds between two captures, infinity if the time of one is unknown."""
    try:
        times = [datetime.fromisoformat(one.taken_at) for one in (run, own)]
        return abs((times[0] - times[1]).total_seconds())
    except (TypeError, ValueError):
        return float("inf")


def _file_trace(run: JobRun, frames: Frames) -> RankTrace:
    return RankTrace(
        rank=run.rank,
        run_id=run.run_id,
        name=run.name,
        kernels=frames["kernels"],
        tracks=frames["tracks"],
        step_ns=find_steps(frames).typical_ns,
    )


def _merged_traces(run: Mapping[str, Any], frames: Frames) -> list[RankTrace]:
    """Split a file that holds the traces of several ranks by the labels of its processes."""
    return [
        RankTrace(
            rank=rank,
            run_id=str(run["run_id"]),
            name=str(run["name"]),
            kernels=own["kernels"],
            tracks=own["tracks"],
            step_ns=find_steps(own).typical_ns,
        )
        for rank, own in split_ranks(frames)
        if rank
    ]


def ranks_mapping(ranks: Ranks) -> dict[str, Any]:
    """Convert ranks to JSON types; times are in ns."""
    straggler = ranks.straggler
    return {
        "unit": "ns",
        "world_size": ranks.world_size,
        "missing": None if ranks.missing is None else list(ranks.missing),
        "left_out": ranks.left_out,
        "ranks": [asdict(rank) for rank in ranks.ranks],
        "collectives": [
            {
                "group": one.group,
                "n": one.n,
                "name": one.name,
                "durations": {str(rank): time for rank, time in one.durations.items()},
                "skew": one.skew,
                "last": one.last,
            }
            for one in ranks.collectives
        ],
        "straggler": None
        if straggler is None
        else {"rank": straggler.rank, "skew": straggler.skew},
        "said": list(ranks.unknown),
    }
