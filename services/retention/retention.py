"""Retention: deletes all but the newest runs of each key, except runs that verdicts and open
regressions need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.retention.holders import run_holders
from services.retention.settled import settle_verdicts
from services.store.deletion import delete_run
from storage.annotations import Annotations
from storage.errors import RunNotFound, RunPinned
from storage.repository import Repository
from storage.retention import OutdatedRun, listed_runs, outdated_runs


@dataclass(frozen=True)
class RetentionPreview:
    """Runs that retention would delete, the oldest first, and the reasons why other old runs are
    kept.

    `stored_bytes` are the bytes of the runs' files as far as they are known. `held` maps each
    reason, see `run_holders`, to the number of old runs that it keeps; a run can have several
    reasons. `held_runs` counts each kept run once, `pinned` counts all pinned runs.
    """

    run_ids: tuple[str, ...]
    stored_bytes: int
    held: Mapping[str, int]
    held_runs: int
    pinned: int


def preview_retention(
    repository: Repository, keep_last: int, by: Sequence[str]
) -> RetentionPreview:
    """Find the runs that are not among the `keep_last` newest runs with equal values of the columns
    `by`, and why other old runs are kept; no run is deleted.

    Pinned runs are kept and not among the old runs. Also kept are runs of baselines, runs that
    rules compare the next run of a key with, and runs that mark the start of a regression.
    """
    outdated = outdated_runs(repository.catalogue, keep_last, by)
    holders = run_holders(repository) if outdated else {}
    held = Counter(name for name, ids in holders.items() for run_id in ids if run_id in outdated)
    needed = set().union(*holders.values())
    free = {run_id: size for run_id, size in outdated.items() if run_id not in needed}
    pinned = Annotations(repository.catalogue).count_pinned()
    return RetentionPreview(
        tuple(free), sum(free.values()), held, len(outdated) - len(free), pinned
    )


def retain(
    repository: Repository, keep_last: int, by: Sequence[str], user: str
) -> list[OutdatedRun]:
    """Delete the runs of `preview_retention` and return the deleted runs, empty if there are none.

    A run that is pinned meanwhile is kept. Verdicts about remaining runs are made permanent first.
    """
    preview = preview_retention(repository, keep_last, by)
    settle_verdicts(repository, preview.run_ids)
    runs = listed_runs(repository.catalogue, preview.run_ids)
    return [run for run in runs if _delete_outdated(repository, run, user)]


def _delete_outdated(repository: Repository, run: OutdatedRun, user: str) -> bool:
    try:
        delete_run(repository, run.run_id, user, "retention")
    except (RunNotFound, RunPinned):
        return False
    return True
