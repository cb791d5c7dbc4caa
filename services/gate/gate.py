"""The gate: comparison of runs with a baseline, exit codes for a build system, and stored
verdicts.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.comparison.outcome import deciding
from analysis.comparison.rows import Thresholds, finite
from services.baselines.baselines import baseline_runs, known_places
from services.baselines.members import Members, NoOlderRunError, content_hash
from services.comparison.compare import Comparison, Load, compare, exclude_compared_runs
from services.status.status import StatusCache
from storage.baselines import Baselines
from storage.checks import Check, Checks
from storage.errors import StorageError
from storage.repository import Repository
from storage.rule_tables import SETTLED
from storage.rules import Rule, Rules
from storage.series import SeriesPosition

_LOG = logging.getLogger(__name__)
OK, REGRESSED, UNDECIDED = 0, 1, 2
"""Exit codes of a verdict; an error has another code."""


@dataclass(frozen=True)
class Checked:
    """A comparison with a baseline, and the ids of runs of the baseline that were deleted."""

    baseline: str
    comparison: Comparison
    deleted: list[str]

    def code(self, *, undecided_passes: bool = False) -> int:
        """Return the exit code of the verdict: REGRESSED (1), UNDECIDED (2) if undecided or
        incomparable, else OK (0).

        With `undecided_passes`, undecided and incomparable runs give OK.
        """
        if self.comparison.verdict == "regressed":
            return REGRESSED
        undecided = self.comparison.verdict in ("undecided", "incomparable")
        return UNDECIDED if undecided and not undecided_passes else OK

    @property
    def notes(self) -> list[str]:
        """Reasons of the verdict as sentences, followed by a sentence about deleted runs of the
        baseline if there are any.
        """
        gone = f"deleted runs of baseline {self.baseline} were ignored: {', '.join(self.deleted)}"
        return [*self.comparison.reasons, *([gone] if self.deleted else [])]

    def record(self) -> dict[str, object]:
        """Convert the comparison to JSON types as `Comparison.record` does, with `baseline` (its
        name), and `notes` as `reasons`.
        """
        return self.comparison.record() | {"baseline": self.baseline, "reasons": self.notes}


def check(
    repository: Repository,
    runs: Sequence[str],
    baseline: str,
    thresholds: Thresholds,
    *,
    keep: bool = True,
) -> Checked:
    """Compare runs with a baseline or with the base of a rule, by its name; return the comparison
    and the deleted runs of the baseline.

    Raises as `compare` and `baseline_runs` do. With `keep`, the verdict is stored if it is about a
    single run, by a baseline, and no thresholds are given; a failure to store it is only logged.
    """
    rule = Rules(repository.catalogue).find(baseline)
    if rule is not None:
        return _check_by_rule(repository, runs, rule, thresholds)
    new = known_places(repository, runs)
    members = Members(repository.catalogue, Baselines(repository.catalogue).get(baseline))
    checked = compare_with_members(repository, new, members, thresholds)
    # a stored verdict is about a single run and uses the thresholds of the gate
    if keep and len(new) == 1 and not thresholds:
        try:
            store_verdict(repository, checked.comparison, new[0], members)
        # a user whose store is read-only gets the verdict all the same
        except StorageError as error:
            _LOG.warning("the verdict was not kept: %s", error)
    return checked


def _check_by_rule(
    repository: Repository, runs: Sequence[str], rule: Rule, thresholds: Thresholds
) -> Checked:
    """Compare runs with the base that a rule gives them; the verdict equals that of the status, and
    no runs are reported as deleted.
    """
    ids = [repository.find_run(run_id).run_id for run_id in runs]
    return Checked(
        rule.name, compare(repository, _base_by_rule(repository, rule, ids), ids, thresholds), []
    )


def named_base(
    repository: Repository, name: str, new: Sequence[str], *, within_s: float = math.inf
) -> tuple[list[str], list[str]]:
    """Return (ids of the runs that a baseline or rule compares new runs with, ids of its deleted
    runs, empty for a rule).

    A rule begins no comparison of older runs after `within_s` seconds. Raises BaselineNotFound,
    BaselineError if no run is left or these runs have no base, and RunNotFound.
    """
    rule = Rules(repository.catalogue).find(name)
    if rule is not None and new:
        return _base_by_rule(repository, rule, new, within_s), []
    runs, deleted = baseline_runs(repository, name, new)
    return [run.run_id for run in runs], deleted


def _base_by_rule(
    repository: Repository, rule: Rule, runs: Sequence[str], within_s: float = math.inf
) -> list[str]:
    base = StatusCache(repository).base_of(rule, runs, within_s=within_s)
    if not base:
        raise NoOlderRunError(f"rule {rule.name!r} has no run that is older than the compared run")
    return base


def compare_with_members(
    repository: Repository,
    new: Sequence[SeriesPosition],
    members: Members,
    thresholds: Thresholds,
    load: Load | None = None,
) -> Checked:
    """Compare runs with the members of a baseline, without the new runs themselves unless no other
    member is left.

    Raises as `compare` and `Members.before` do.
    """
    runs = [place.run_id for place in new]
    base, _ = exclude_compared_runs([member.run_id for member in members.before(new)], runs)
    comparison = compare(repository, base, runs, thresholds, load=load)
    return Checked(members.baseline.name, comparison, members.deleted)


def store_verdict(
    repository: Repository, comparison: Comparison, new: SeriesPosition, members: Members
) -> Check:
    """Store the verdict of a comparison of a run with the members of a baseline, note it in
    `members`, and return it.

    Raises StorageError.
    """
    check = _make_check(comparison, new, members)
    Checks(repository.catalogue).put(check, members.baseline)
    members.note(check.run_id, check.verdict)
    return check


def _make_check(comparison: Comparison, new: SeriesPosition, members: Members) -> Check:
    """Build the stored form of a verdict; its metric and changes are those of the deciding row, or
    missing if no row decides.
    """
    against = content_hash(member.prefix for member in members.before([new]))
    verdict = Check(
        members.baseline.name,
        new.run_id,
        new.prefix,
        against,
        comparison.verdict,
        "; ".join(comparison.reasons),
    )
    row = deciding(comparison.rows, comparison.verdict)
    if row is None:
        return verdict
    return replace(
        verdict,
        metric=row.metric.name,
        about=row.key,
        reason=row.judged.reason,
        relative=finite(row.judged_change),
        delta=finite(row.delta),
    )


def is_current(check: Check | None, new: SeriesPosition, base: Sequence[SeriesPosition]) -> bool:
    """Whether a verdict is about the current content of the run and of these base runs; False if it
    is `None`.
    """
    return (
        check is not None
        and check.prefix == new.prefix
        and check.against == content_hash(member.prefix for member in base)
    )


def is_settled(check: Check, new: SeriesPosition) -> bool:
    """Whether a verdict is about the current content of the run and marked as permanent (SETTLED),
    because retention deleted runs of its base.
    """
    return (check.prefix, check.against) == (new.prefix, SETTLED)
