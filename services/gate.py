"""The gate: runs against a baseline, and what a build system makes of the answer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.comparison.rows import Thresholds
from services.baselines import known_places
from services.checks import remember
from services.compare import Comparison, Load, apart, compare
from services.members import Members
from storage.baselines import Baselines
from storage.errors import StorageError
from storage.repository import Repository
from storage.series import Place

_LOG = logging.getLogger(__name__)
OK, REGRESSED, UNDECIDED = 0, 1, 2
"""Exit codes of a verdict; an error has another."""


@dataclass(frozen=True)
class Checked:
    """A comparison with a baseline, and the ids of its runs that were deleted meanwhile."""

    baseline: str
    comparison: Comparison
    deleted: list[str]

    def code(self, *, undecided_passes: bool = False) -> int:
        """Return the exit code."""
        if self.comparison.verdict == "regressed":
            return REGRESSED
        undecided = self.comparison.verdict in ("undecided", "incomparable")
        return UNDECIDED if undecided and not undecided_passes else OK

    @property
    def notes(self) -> list[str]:
        """Return the reasons, and what is to be known of the baseline."""
        gone = f"deleted runs of baseline {self.baseline} were left out: {', '.join(self.deleted)}"
        return [*self.comparison.reasons, *([gone] if self.deleted else [])]

    def record(self) -> dict[str, object]:
        """Return the answer as plain values by name."""
        return self.comparison.record() | {"baseline": self.baseline, "reasons": self.notes}


def check(repository: Repository, runs: Sequence[str], baseline: str, thresholds: Thresholds) -> Checked:
    """Return what comes of runs against a baseline; raises as `compare` and `baseline_runs` do.

    The verdict about a run alone, by the thresholds of the gate, is kept.
    """
    new = known_places(repository, runs)
    members = Members(repository.catalogue, Baselines(repository.catalogue).get(baseline))
    checked = compared(repository, new, members, thresholds)
    if len(new) == 1 and not thresholds:
        try:
            remember(repository, checked.comparison, new[0], members)
        except StorageError as error:  # who may only read the store is answered all the same
            _LOG.warning("the verdict was not kept: %s", error)
    return checked


def compared(
    repository: Repository, new: Sequence[Place], members: Members, thresholds: Thresholds, load: Load | None = None
) -> Checked:
    """Return what comes of runs against the members of a baseline; raises as `compare` and `Members.before` do."""
    runs = [place.run_id for place in new]
    base, _ = apart([member.run_id for member in members.before(new)], runs)
    found = compare(repository, base, runs, thresholds, load=load)
    return Checked(members.baseline.name, found, members.deleted)
