"""Row of the status of a key: its latest run, the verdict of a baseline rule, and the begin of a
regression.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from analysis.comparison.cause import Cause
from analysis.comparison.series import SeriesKey
from analysis.comparison.verdict import Verdict


@dataclass(frozen=True)
class StatusRun:
    """Run in a row of the status; `taken_at` is the time when it was captured, else when it was
    ingested (ISO 8601).
    """

    run_id: str
    taken_at: str
    commit: str
    branch: str
    file: str
    name: str


@dataclass(frozen=True)
class CommitMoment:
    """Run at an end of a range of commits."""

    run_id: str
    taken_at: str
    commit: str


@dataclass(frozen=True)
class Since:
    """Begin of a regression: its first run, the last good run before it (`None` if there is none),
    and the number of its stored runs.

    `last_good_value` is in the unit of the row's metric; `None` if the last good run has none.
    `url` shows the commits between both runs; `None` if the setting or a commit is missing.
    """

    first_bad: CommitMoment
    last_good: CommitMoment | None
    runs: int
    url: str | None = None
    last_good_value: float | None = None


@dataclass(frozen=True)
class Acknowledged:
    """Acknowledgement of a regression: user, note, and time (ISO 8601, UTC)."""

    by: str
    note: str
    at: str


class StatusPoint(NamedTuple):
    """Run of the key on the branch, for the sparkline; `value` is `None` if it has no number."""

    run_id: str
    taken_at: str
    value: float | None
    verdict: Verdict


@dataclass(frozen=True)
class StatusRow:
    """Latest run of a key on the branch of a rule, and its verdict.

    `value` and `base` are in the unit of `metric`, `relative` is the change that the verdict is
    based on. `since` is `None` unless the run is regressed, `acknowledged` is `None` unless a user
    acknowledged this regression. `points` are the last runs, oldest first; `age_days` is the age at
    the time of the status. `cause` is the main cause of a change; `None` if no cause explains it.
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
    cause: Cause | None = None

    @property
    def is_news(self) -> bool:
        """Whether the row's run is regressed and the regression is not acknowledged."""
        return self.verdict == "regressed" and self.acknowledged is None

    def record(self) -> dict[str, object]:
        """Convert the row to a dict of its fields for JSON; nested records become dicts."""
        points = [point._asdict() for point in self.points]
        cause = self.cause.record() if self.cause is not None else None
        plain = asdict(replace(self, points=(), cause=None))
        return plain | {"key": self.key._asdict(), "points": points, "cause": cause}


@dataclass(frozen=True)
class RunStanding:
    """A run against a baseline rule, as the status had it when the run was the latest of its key.

    `base` are the ids of the runs that it is compared with, oldest first. It is `None` if the
    comparison is not made yet, or if some of these runs are too old to be looked up.
    """

    rule: str
    row: StatusRow
    base: Sequence[str] | None


@dataclass(frozen=True)
class Status:
    """Status of all keys of a rule at a time (ISO 8601).

    `missing` is the number of verdicts that are not computed yet. While it is not 0, keys may have
    no row; the runs of these keys count as missing, though some may not need a verdict.
    """

    rule: str
    as_of: str
    rows: Sequence[StatusRow]
    missing: int = 0

    @property
    def has_news(self) -> bool:
        """Whether any row of the status has a regression that is not acknowledged."""
        return any(row.is_news for row in self.rows)

    def record(self) -> dict[str, object]:
        """Convert the status to a dict: rule, as_of and rows (dicts); `missing` is left out."""
        return {"rule": self.rule, "as_of": self.as_of, "rows": [row.record() for row in self.rows]}
