"""The gate: runs against a baseline, and what a build system makes of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.comparison.rows import Thresholds
from services.baselines import baseline_runs
from services.compare import Comparison, compare
from storage.repository import Repository

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
    """Return what comes of runs against a baseline; raises as `compare` and `baseline_runs` do."""
    base, deleted = baseline_runs(repository, baseline)
    found = compare(repository, [stored.run_id for stored in base], runs, thresholds)
    return Checked(baseline, found, deleted)
