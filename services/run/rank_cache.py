"""Ranks of a run's job for its page, computed once until the runs of the store change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.kernels.ranks import Ranks, RankTimes
from schema.torch_profiler import rank_label
from services.run.ranks import MAX_RANKS, find_ranks, missing_ranks, ranks_of_job
from services.run.stored_frames import StoredFrames
from storage.byte_cache import ByteCache
from storage.job_runs import JobRun
from storage.repository import Repository
from storage.run_list import RunList

MAX_EXECUTIONS = 1_000_000
"""Maximum number of executions of a job whose times a page computes, about 3 s."""
_MAX_JOBS = 32
"""Maximum number of jobs that the cache holds."""


class RankCache:
    """Cache of the ranks of the jobs used last."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._list = RunList(repository.catalogue)
        self._jobs = ByteCache[tuple[JobRun, ...]](_MAX_JOBS, lambda _: 1)
        self._ranks = ByteCache[Ranks](_MAX_JOBS, lambda _: 1)

    def get(self, run: Mapping[str, Any]) -> Ranks:
        """Return the ranks of a run that `has_ranks`; without times if they take too long."""
        run_id = str(run["run_id"])
        # Each new or changed run gives the list another version, also a further rank of the job.
        return self._ranks.get((self._list.version(), run_id), lambda: self._find(run))

    def has_ranks(self, run: Mapping[str, Any]) -> bool:
        """Whether a row of frame `run` is of a rank of a job, or has several ranks in its file."""
        if run.get("rank") is not None:
            return len(self._runs(run)) > 1 or (run.get("world_size") or 1) > 1
        if run["source"] != "kineto":
            return False
        # Only merged traces of torch.profiler label their processes with ranks.
        tracks = StoredFrames(self._repository, str(run["run_id"]))["tracks"]
        return any(rank_label(str(pid)) for pid in tracks["pid"])

    def has_peers(self, run: Mapping[str, Any]) -> bool:
        """Whether the store has another run of the job of a row of frame `run`."""
        return run.get("rank") is not None and len(self._runs(run)) > 1

    def version(self, run: Mapping[str, Any]) -> str:
        """Return a token that changes whenever the runs of the job do; "" if the run has no job."""
        if run.get("rank") is None:
            return ""
        return " ".join(f"{one.run_id}{one.prefix}" for one in self._runs(run))

    def _runs(self, run: Mapping[str, Any]) -> tuple[JobRun, ...]:
        key = (self._list.version(), str(run["run_id"]))
        return self._jobs.get(key, lambda: tuple(ranks_of_job(self._repository, run)))

    def _find(self, run: Mapping[str, Any]) -> Ranks:
        run_id = str(run["run_id"])
        if run.get("rank") is None:
            return find_ranks(self._repository, run_id)
        runs = self._runs(run)
        shown = runs[:MAX_RANKS]
        # Counted before any frame is read: a job of many ranks would keep its page waiting.
        stored = [self._repository.catalogue.get(one.run_id) for one in shown]
        if sum(one.frames.get("kernels", 0) for one in stored if one) <= MAX_EXECUTIONS:
            return find_ranks(self._repository, run_id)
        return Ranks(
            world_size=run.get("world_size"),
            missing=missing_ranks(run, runs),
            ranks=[RankTimes(one.rank, one.run_id, one.name) for one in shown],
            collectives=[],
            straggler=None,
            left_out=len(runs) - len(shown),
            unknown=("too_large",),
        )
