"""A number over time: the runs of a filter in the order in which they were captured, and where the number changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.comparison.series import changes_of
from analysis.comparison.verdict import Verdict
from schema.metrics import METRICS, Metric
from storage.repository import Repository
from storage.run_values import RunValues, run_values


class TrendError(ValueError):
    """A trend cannot be as asked; the message is one sentence for a person."""


@dataclass(frozen=True)
class ChangePoint:
    """Where a number changes: the first run of the new level, by how much, and whether that is better."""

    index: int
    run_id: str
    relative: float
    verdict: Verdict

    def record(self) -> dict[str, object]:
        """Return the change point as plain values by name."""
        return dict(vars(self))


@dataclass(frozen=True)
class Trend:
    """The runs with a number, in order, as (run id, value), and the change points; `note` says why there are none."""

    metric: Metric
    points: list[tuple[str, float]]
    change_points: list[ChangePoint]
    note: str = ""

    def record(self) -> dict[str, object]:
        """Return the trend as plain values by name."""
        points = [{"index": at, "run_id": run, "value": value} for at, (run, value) in enumerate(self.points)]
        found = [point.record() for point in self.change_points]
        return {"metric": self.metric.name, "points": points, "change_points": found, "note": self.note}


def trend(repository: Repository, metric: str, filters: Mapping[str, object], tag: str = "") -> Trend:
    """Return a headline metric over the runs that fit, all from the catalogue; raises TrendError for an unknown one."""
    if metric not in METRICS:
        raise TrendError(f"unknown metric {metric}: expected one of {', '.join(METRICS)}")
    known = [one for one in run_values(repository.catalogue, filters) if metric in one.values and _has(one, tag)]
    points = [(one.run_id, one.values[metric]) for one in known]
    changes, note = changes_of([value for _, value in points], METRICS[metric].polarity)
    found = [ChangePoint(one.index, points[one.index][0], one.relative, one.verdict) for one in changes]
    return Trend(METRICS[metric], points, found, note)


def _has(one: RunValues, tag: str) -> bool:
    return not tag or tag in one.tags
