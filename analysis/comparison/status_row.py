"""A row per key: its latest run, the verdict of a baseline rule about it, and since when it is regressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from analysis.comparison.series import SeriesKey
from analysis.comparison.verdict import Verdict


@dataclass(frozen=True)
class StatusRun:
    """A run as a row of the status names it; `taken_at` is when it was captured, else ingested (ISO 8601)."""

    run_id: str
    taken_at: str
    commit: str
    branch: str
    file: str
    name: str


@dataclass(frozen=True)
class CommitMoment:
    """The run at one end of a range of commits."""

    run_id: str
    taken_at: str
    commit: str


@dataclass(frozen=True)
class Since:
    """Where a regression began: its first run, the last good one before (None: there is none), and its stored runs.

    `url` shows the commits between the two, None if the setting or a commit is missing.
    """

    first_bad: CommitMoment
    last_good: CommitMoment | None
    runs: int
    url: str | None = None


@dataclass(frozen=True)
class Acknowledged:
    """Who knows of a regression, what they say about it, and since when (ISO 8601, UTC)."""

    by: str
    note: str
    at: str


class StatusPoint(NamedTuple):
    """A run of the key on the branch, for the sparkline; `value` is None where it has no number."""

    run_id: str
    taken_at: str
    value: float | None
    verdict: Verdict


@dataclass(frozen=True)
class StatusRow:
    """The latest run of a key on the branch of a rule, and its verdict.

    `value` and `base` are in the unit of `metric`, `relative` is the change that the verdict is about. `since` is None
    unless the run is regressed, `acknowledged` None unless somebody acknowledged this regression. `points` are the
    last runs, oldest first; `age_days` is counted to the moment of the status.
    """

    key: SeriesKey
    run: StatusRun
    metric: str
    value: float | None
    base: float | None
    relative: float | None
    verdict: Verdict
    reason: str
    since: Since | None
    acknowledged: Acknowledged | None
    points: Sequence[StatusPoint]
    age_days: float

    @property
    def is_news(self) -> bool:
        """Return whether it is regressed, and nobody acknowledged that."""
        return self.verdict == "regressed" and self.acknowledged is None

    def record(self) -> dict[str, object]:
        """Return the row as plain values by name."""
        points = [point._asdict() for point in self.points]
        return asdict(replace(self, points=())) | {"key": self.key._asdict(), "points": points}


@dataclass(frozen=True)
class Status:
    """The status of all keys of a rule at a moment (ISO 8601); `missing` verdicts are still to be worked out."""

    rule: str
    as_of: str
    rows: Sequence[StatusRow]
    missing: int = 0

    @property
    def has_news(self) -> bool:
        """Return whether anything is regressed that nobody acknowledged."""
        return any(row.is_news for row in self.rows)

    def record(self) -> dict[str, object]:
        """Return the status as plain values by name."""
        return {"rule": self.rule, "as_of": self.as_of, "rows": [row.record() for row in self.rows]}
