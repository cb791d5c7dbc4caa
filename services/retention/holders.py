"""Runs that retention must keep: base runs of baselines and rules, and runs that define open
regressions.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from analysis.comparison.series import SeriesKey
from services.baselines.members import Members
from services.status.regressions import find_regression, is_acknowledged, series_id
from services.status.rule_verdicts import Judged, JudgedRun
from services.status.status import StatusCache
from storage.acknowledgements import Acknowledgement, Acknowledgements
from storage.baselines import Baselines
from storage.repository import Repository
from storage.rules import Rule, Rules

_WITHIN_S = 10.0
"""Seconds after which no further comparison begins; runs that are still undecided then are kept."""


def run_holders(repository: Repository) -> dict[str, set[str]]:
    """Map each reason to the ids of the runs that it keeps: `baseline NAME`, `rule NAME` or `open
    regressions of rule NAME`.

    A reason without runs has an empty set.
    """
    catalogue = repository.catalogue
    status_cache = StatusCache(repository)
    held = {
        f"baseline {baseline.name}": {*Members(catalogue, baseline).now()}
        for baseline in Baselines(catalogue).all()
    }
    end = time.monotonic() + _WITHIN_S
    for rule in Rules(catalogue).all():
        base = held[f"rule {rule.name}"] = set()
        regressions = held[f"open regressions of rule {rule.name}"] = set()
        left_s = max(0.0, end - time.monotonic())
        for keys in status_cache.judged_batches(rule, members_only=True, within_s=left_s):
            base.update(*(_current_base(runs, rule.last) for runs in keys.values()))
            regressions.update(_regression_runs(repository, rule, keys))
    return held


def _current_base(runs: Sequence[JudgedRun], last: int) -> set[str]:
    """Return the ids of at most `last` runs that the next run of the key is compared with, and of
    newer runs without a verdict that may belong to them.
    """
    base: set[str] = set()
    possible: set[str] = set()
    for judged in reversed(runs):
        if len(base) == last:
            break
        if judged.is_base:
            base.add(judged.run.run_id)
        elif judged.verdict is None:
            possible.add(judged.run.run_id)
    return base | possible


def _regression_runs(repository: Repository, rule: Rule, keys: Judged) -> set[str]:
    """Return the ids of the runs that mark the start of open regressions of all keys, and of
    acknowledged runs.
    """
    acknowledgements = Acknowledgements(repository.catalogue).of(rule.name)
    return set().union(
        *(_regression_landmarks(key, runs, acknowledgements) for key, runs in keys.items())
    )


def _regression_landmarks(
    key: SeriesKey, runs: Sequence[JudgedRun], acknowledgements: dict[str, Acknowledgement]
) -> set[str]:
    """Return the ids of the first bad run of an open regression, the last good run before it, and
    the acknowledged run; empty if the key has no open regression.
    """
    judged_runs = [judged for judged in runs if judged.verdict is not None]
    # later runs without a verdict may turn out to belong to the regression
    regression = find_regression(judged_runs)
    if regression is None:
        return set()
    ends = {regression.runs[0].run.run_id}
    if regression.last_good is not None:
        ends.add(regression.last_good.run.run_id)
    acknowledgement = acknowledgements.get(series_id(key))
    if acknowledgement is not None and is_acknowledged(regression, acknowledgement):
        ends |= {
            judged.run.run_id
            for judged in regression.runs
            if judged.run.date == acknowledgement.date
        }
    return ends
