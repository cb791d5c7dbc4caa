"""Retention: deletes all but the newest runs of each key, and none that others are compared with."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.comparison.members import Members
from services.comparison.rule_verdicts import JudgedRun
from services.comparison.status import StatusAnswers
from services.store.deletion import delete_run
from storage.annotations import Annotations
from storage.baselines import Baselines
from storage.errors import RunNotFound, RunPinned
from storage.repository import Repository
from storage.retention import OutdatedRun, listed_runs, outdated_runs
from storage.rules import Rules

_WITHIN_S = 10.0
"""Seconds after which no comparison begins that a rule still needs; what it leaves open is kept."""


@dataclass(frozen=True)
class RetentionPreview:
    """What retention would delete, the ids oldest first, and what holds older runs back.

    `stored_bytes` are those of the runs' files, as far as they are known. `held` maps what holds runs, as `baseline
    NAME` and `rule NAME`, to how many older runs stay for it; a run may stay for several. `held_runs` are these runs
    together, `pinned` all pinned ones.
    """

    run_ids: tuple[str, ...]
    stored_bytes: int
    held: Mapping[str, int]
    held_runs: int
    pinned: int


def preview_retention(repository: Repository, keep_last: int, by: Sequence[str]) -> RetentionPreview:
    """Return the runs that are not among the `keep_last` newest of those equal in `by`, and what holds others back.

    Pinned runs stay and do not count. Runs of baselines, and those that rules compare the next run of a key with, stay.
    """
    found = outdated_runs(repository.catalogue, keep_last, by)
    holders = run_holders(repository) if found else {}
    held = Counter(name for name, ids in holders.items() for run_id in ids if run_id in found)
    needed = set().union(*holders.values())
    free = {run_id: size for run_id, size in found.items() if run_id not in needed}
    pinned = Annotations(repository.catalogue).count_pinned()
    return RetentionPreview(tuple(free), sum(free.values()), held, len(found) - len(free), pinned)


def retain(repository: Repository, keep_last: int, by: Sequence[str], user: str) -> list[OutdatedRun]:
    """Delete the runs of `preview_retention` and return those that were deleted; one that is pinned meanwhile stays."""
    preview = preview_retention(repository, keep_last, by)
    runs = listed_runs(repository.catalogue, preview.run_ids)
    return [run for run in runs if _delete_outdated(repository, run, user)]


def run_holders(repository: Repository) -> dict[str, set[str]]:
    """Return the ids of the runs that each baseline and rule compares a new run with."""
    catalogue, answers = repository.catalogue, StatusAnswers(repository)
    held = {f"baseline {one.name}": {*Members(catalogue, one).now()} for one in Baselines(catalogue).all()}
    end = time.monotonic() + _WITHIN_S
    for rule in Rules(catalogue).all():
        keys = answers.judged_runs(rule, members_only=True, within_s=max(0.0, end - time.monotonic()))
        held[f"rule {rule.name}"] = set().union(*(_current_base(runs, rule.last) for runs in keys.values()))
    return held


def _current_base(runs: Sequence[JudgedRun], last: int) -> set[str]:
    """Return the runs that the next one of their key is compared with, and those that may be in place of them."""
    base: set[str] = set()
    possible: set[str] = set()
    for one in reversed(runs):
        if len(base) == last:
            break
        if one.is_base:
            base.add(one.run.run_id)
        elif one.verdict is None:
            possible.add(one.run.run_id)
    return base | possible


def _delete_outdated(repository: Repository, run: OutdatedRun, user: str) -> bool:
    try:
        delete_run(repository, run.run_id, user, "retention")
    except (RunNotFound, RunPinned):
        return False
    return True
