"""Retention: deletes all but the newest runs of each key, and none that others are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.comparison.members import Members
from services.comparison.rule_verdicts import JudgedRun
from services.comparison.status import StatusAnswers
from services.store.deletion import delete_run
from storage.baselines import Baselines
from storage.errors import RunNotFound, RunPinned
from storage.repository import Repository
from storage.retention import outdated_runs
from storage.rules import Rules

_WITHIN_S = 10.0
"""Seconds after which no comparison begins that a rule still needs; what it leaves open is kept."""


@dataclass(frozen=True)
class OutdatedRun:
    """A run that retention deletes."""

    run_id: str
    name: str


def find_outdated(repository: Repository, keep_last: int, by: Sequence[str]) -> list[OutdatedRun]:
    """Return the runs, oldest first, that are not among the `keep_last` newest of those equal in `by`.

    Pinned runs stay and do not count. Runs of baselines, and those that rules compare the next run of a key with, stay.
    """
    found = outdated_runs(repository.catalogue, keep_last, by)
    needed = compared_runs(repository) if found else set()
    runs = (repository.catalogue.get(run_id) for run_id in found if run_id not in needed)
    return [OutdatedRun(run.run_id, str(run.run.get("name") or "")) for run in runs if run is not None]


def retain(repository: Repository, keep_last: int, by: Sequence[str], user: str, *, dry_run: bool) -> list[OutdatedRun]:
    """Delete the runs of `find_outdated` and return those that were deleted; `dry_run` deletes nothing.

    One that is pinned meanwhile stays.
    """
    found = find_outdated(repository, keep_last, by)
    return found if dry_run else [run for run in found if _delete_outdated(repository, run, user)]


def compared_runs(repository: Repository) -> set[str]:
    """Return the ids of the runs that baselines and rules compare a new run with."""
    catalogue = repository.catalogue
    of_baselines = {run_id for one in Baselines(catalogue).all() for run_id in Members(catalogue, one).now()}
    answers = StatusAnswers(repository)
    judged = ((rule, answers.judged(rule, members_only=True, within_s=_WITHIN_S)) for rule in Rules(catalogue).all())
    return of_baselines.union(*(_current_base(runs, rule.last) for rule, keys in judged for runs in keys.values()))


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
