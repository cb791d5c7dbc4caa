"""The verdicts of all baseline rules about one run, for its page and its snapshot."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from analysis.comparison.series import CAPTURE_SOURCES, SeriesKey
from analysis.comparison.status_row import RunStanding
from services.status.covered_series import recent_runs
from services.status.regressions import is_start_known
from services.status.rule_verdicts import Judge, JudgedRun, base_ids
from services.status.status_rows import MAX_POINTS, VERDICT_ORDER, status_row
from storage.acknowledgements import Acknowledgements
from storage.repository import Repository
from storage.rule_verdicts import RuleVerdicts
from storage.rules import Rule, Rules
from storage.series import SeriesPosition, captures_until, key_columns, places

MAX_OLDER_RUNS = 500
"""Maximum number of older captures of the key that are read from the catalogue per rule."""
FEW_OLDER_RUNS = 63
"""Number of older captures that are read first: mostly they are enough."""


def run_standings(repository: Repository, run_id: str) -> list[RunStanding]:
    """Return a run against each rule that covers it, the worst verdict first, then by rule.

    Only stored verdicts are used: no runs are compared and no frames are read. A run that was
    captured several times counts as of its newest capture.
    """
    rules = Rules(repository.catalogue).all()
    place = places(repository.catalogue, [run_id]).get(run_id) if rules else None
    columns = key_columns(repository.catalogue, [run_id]).get(run_id) if place else None
    if place is None or columns is None:
        return []
    key = SeriesKey.of(columns)
    covering = (rule for rule in rules if _covers(rule, key))
    standings = [_standing(repository, rule, key, place) for rule in covering]
    return sorted(standings, key=lambda found: (VERDICT_ORDER.index(found.row.verdict), found.rule))


def _covers(rule: Rule, key: SeriesKey) -> bool:
    return all(getattr(key, name) == value for name, value in rule.filters.items())


def _standing(
    repository: Repository, rule: Rule, key: SeriesKey, place: SeriesPosition
) -> RunStanding:
    judged, is_whole = _read_judged(repository, rule, place, min(FEW_OLDER_RUNS, MAX_OLDER_RUNS))
    if not is_whole and not _is_enough(rule, judged):
        judged, is_whole = _read_judged(repository, rule, place, MAX_OLDER_RUNS)
    older = judged[:-1]
    base = base_ids(rule, older)
    is_known = judged[-1].verdict is not None and (is_whole or len(base) == rule.last)
    acknowledgements = Acknowledgements(repository.catalogue).of(rule.name)
    row = status_row(key, [*_members(rule, older), judged[-1]], acknowledgements, "")
    return RunStanding(rule.name, row, base if is_known else None)


def _read_judged(
    repository: Repository, rule: Rule, place: SeriesPosition, older: int
) -> tuple[list[JudgedRun], bool]:
    """Return a run and at most `older` runs of its key before it, oldest first, with their stored
    verdicts, and whether these are all.
    """
    runs = captures_until(repository.catalogue, place, CAPTURE_SOURCES, rule.branch, older + 1)
    is_whole = len(runs) <= older
    return _judge_stored(repository, rule, runs, is_tail=not is_whole), is_whole


def _is_enough(rule: Rule, judged: Sequence[JudgedRun]) -> bool:
    """Whether the last runs of a key suffice: all verdicts, the base, the points, and the begin of
    a regression.
    """
    shown = [*_members(rule, judged[:-1]), judged[-1]]
    return (
        all(run.verdict is not None for run in judged)
        and len(base_ids(rule, judged[:-1])) == rule.last
        and len(shown) >= MAX_POINTS
        and is_start_known(shown)
    )


def _judge_stored(
    repository: Repository, rule: Rule, runs: Sequence[SeriesPosition], *, is_tail: bool
) -> list[JudgedRun]:
    """Return the runs with their stored verdicts if these are still valid."""
    store = RuleVerdicts(repository.catalogue)
    stored = store.of(rule.name, [run.run_id for run in runs])
    judge = Judge(
        repository,
        rule,
        stored,
        recent_runs(repository, 1),
        partial(store.put, rule),
        # in the past, so that no comparison begins
        until=time.monotonic() - 1,
    )
    return judge.judge(runs, members_only=False, is_tail=is_tail)


def _members(rule: Rule, older: Sequence[JudgedRun]) -> list[JudgedRun]:
    """Leave out captures off the rule's branch, which a regression of its key does not contain."""
    return [judged for judged in older if rule.has_member(judged.run.branch)]
