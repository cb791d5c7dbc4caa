"""Verdicts that become permanent because retention deletes runs of their base."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from schema.likeness import likeness
from services.baselines.members import BaselineError, Members
from services.gate.gate import is_current
from services.status.rule_verdicts import JudgedRun
from services.status.status import StatusCache
from storage.baselines import Baseline, Baselines
from storage.checks import Check, Checks
from storage.repository import Repository
from storage.rule_tables import SETTLED
from storage.rule_verdicts import RuleVerdict, RuleVerdicts
from storage.rules import Rule, Rules
from storage.series import SeriesPosition, series


def settle_verdicts(repository: Repository, outgoing: Collection[str]) -> None:
    """Make verdicts permanent whose run remains and whose base loses a run; call it before the
    `outgoing` runs are deleted.

    If such verdicts were computed again from the remaining runs, they would differ: the oldest run
    would be undecided, and a regressed run could become part of a base. Verdicts that were never
    requested are not computed.
    """
    gone = frozenset(outgoing)
    if not gone:
        return
    status_cache = StatusCache(repository)
    for rule in Rules(repository.catalogue).all():
        # without time for comparisons, only stored verdicts are read
        for keys in status_cache.judged_batches(rule, within_s=0.0):
            settled = [
                verdict._replace(against=SETTLED)
                for runs in keys.values()
                for verdict in _losing_rule_verdicts(rule, runs, gone)
            ]
            RuleVerdicts(repository.catalogue).put(rule, settled)
    for baseline in Baselines(repository.catalogue).all():
        # retention never deletes runs of fixed baselines
        if baseline.last is not None:
            _settle_checks(repository, baseline, gone)


def _losing_rule_verdicts(
    rule: Rule, runs: Sequence[JudgedRun], gone: frozenset[str]
) -> Iterator[RuleVerdict]:
    """Yield the verdicts about remaining runs of a key whose base loses a run; verdicts after a
    member without a verdict are left out, since their base is unknown.
    """
    base: deque[str] = deque(maxlen=rule.last)
    for judged in runs:
        if (
            judged.verdict is not None
            and judged.run.run_id not in gone
            and not gone.isdisjoint(base)
        ):
            yield judged.verdict
        if not rule.has_member(judged.run.branch):
            continue
        if judged.verdict is None:
            return  # without it, the base of later runs is unknown
        if judged.is_base:
            base.append(judged.run.run_id)


def _settle_checks(repository: Repository, baseline: Baseline, gone: frozenset[str]) -> None:
    catalogue = repository.catalogue
    alike = series(catalogue, likeness(baseline.key or {}))
    if gone.isdisjoint(place.run_id for place in alike):
        return
    store = Checks(catalogue)
    checks = store.of([baseline.name], [place.run_id for place in alike])
    members = Members(catalogue, baseline, alike)
    for place in alike:
        check = checks.get((baseline.name, place.run_id))
        if (
            check is not None
            and place.run_id not in gone
            and _loses_member(check, place, members, gone)
        ):
            store.put(replace(check, against=SETTLED), baseline)


def _loses_member(
    check: Check, place: SeriesPosition, members: Members, gone: frozenset[str]
) -> bool:
    """Whether a verdict is current and its base loses a run; False if the run has no base."""
    try:
        base = members.before([place])
    except BaselineError:
        return False
    return is_current(check, place, base) and not gone.isdisjoint(member.run_id for member in base)
