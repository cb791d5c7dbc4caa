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
    """What retention would delete, oldest first, and what holds older runs back.

    `held` maps what holds them, as `baseline NAME` and `rule NAME`, to how many older runs stay for it; a run may stay
    for several. `held_runs` are these runs together, `pinned` all pinned ones.
    """

    runs: tuple[OutdatedRun, ...]
    held: Mapping[str, int]
    held_runs: int
    pinned: int

    @property
    def stored_bytes(self) -> int:
        """Return the bytes that are known of the runs' files."""
        return sum(run.stored_bytes or 0 for run in self.runs)


def preview_retention(repository: Repository, keep_last: int, by: Sequence[str]) -> RetentionPreview:
    """Return the runs that are not among the `keep_last` newest of those equal in `by`, and what holds others back.

    Pinned runs stay and do not count. Runs of baselines, and those that rules compare the next run of a key with, stay.
    """
    found = outdated_runs(repository.catalogue, keep_last, by)
    holders = run_holders(repository) if found else {}
    held = Counter(name for run_id in found for name, held_ids in holders.items() if run_id in held_ids)
    needed = set().union(*holders.values())
    free = [run_id for run_id in found if run_id not in needed]
    runs = tuple(listed_runs(repository.catalogue, free))
    return RetentionPreview(runs, held, len(found) - len(free), Annotations(repository.catalogue).count_pinned())


def find_outdated(repository: Repository, keep_last: int, by: Sequence[str]) -> list[OutdatedRun]:
    """Return the runs, oldest first, that `preview_retention` says would be deleted."""
    return [*preview_retention(repository, keep_last, by).runs]


def retain(repository: Repository, keep_last: int, by: Sequence[str], user: str) -> list[OutdatedRun]:
    """Delete the runs of `find_outdated` and return those that were deleted; one that is pinned meanwhile stays."""
    return [run for run in find_outdated(repository, keep_last, by) if _delete_outdated(repository, run, user)]


def run_holders(repository: Repository) -> dict[str, set[str]]:
    """Return the ids of the runs that each baseline and rule compares a new run with."""
    catalogue, answers = repository.catalogue, StatusAnswers(repository)
    held = {f"baseline {one.name}": {*Members(catalogue, one).now()} for one in Baselines(catalogue).all()}
    end = time.monotonic() + _WITHIN_S
    for rule in Rules(catalogue).all():
        keys = answers.judged(rule, members_only=True, within_s=max(0.0, end - time.monotonic()))
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
