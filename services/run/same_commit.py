"""Results and traces of the same commit: which runs of the other kind belong to a run."""

from __future__ import annotations

from collections.abc import Mapping

from storage.catalogue import Catalogue
from storage.same_commit import CommitRun, runs_of_commit

_MAX_READ = 200
"""Maximum number of runs of a commit that are looked at."""
_KEY = ("hwid", "M", "K", "N")
"""Facts that both runs must share if both have them."""


def related_runs(catalogue: Catalogue, run: Mapping[str, object]) -> list[CommitRun]:
    """List the traces of the commit of a run with named numbers, or the results of the commit of
    any other run, newest first.

    `run` is a row of frame `run`. Hardware and size of the GEMM must be the same if both runs have
    them. Empty without a commit, and among the newest 200 runs (_MAX_READ) of the commit only.
    """
    runs = runs_of_commit(catalogue, str(run.get("commit") or ""), _MAX_READ)
    own = next((each for each in runs if each.run_id == run["run_id"]), None)
    if own is None:
        return []
    return [
        each for each in runs if each.has_results != own.has_results and _has_same_key(each, own)
    ]


def _has_same_key(run: CommitRun, other: CommitRun) -> bool:
    pairs = ((getattr(run, name), getattr(other, name)) for name in _KEY)
    return all(one == two for one, two in pairs if one not in (None, "") and two not in (None, ""))
