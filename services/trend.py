"""A number over time: the runs of a filter in the order in which they were captured, and where the number changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analysis.comparison.verdict import Verdict, named
from analysis.statistics.change_points import LEAST_RUNS, change_points, relative_change
from schema.metrics import METRICS, Metric
from storage.repository import Repository
from storage.stored_run import StoredRun


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
    runs = [one for one in repository.catalogue.each(filters) if not one.damaged and _has(one, tag)]
    known = sorted((stored for stored in runs if stored.headline.get(metric) is not None), key=_moment)
    points = [(stored.run_id, float(stored.headline[metric] or 0)) for stored in known]
    values = np.array([value for _, value in points], np.float64)
    if len(points) < LEAST_RUNS:
        return Trend(METRICS[metric], points, [], f"{len(points)} runs: change points need {LEAST_RUNS}")
    if not (values > 0).all():
        return Trend(METRICS[metric], points, [], "change points need numbers above 0")
    places = change_points(values)
    found = []
    for index, place in enumerate(places):
        relative = relative_change(values, places, index)
        found.append(ChangePoint(place, points[place][0], relative, named(relative, METRICS[metric].polarity)))
    return Trend(METRICS[metric], points, found)


def _moment(stored: StoredRun) -> tuple[str, str, str]:
    """Return when a run was captured, else when it was ingested."""
    ingested = str(stored.run["created_at"])
    return (str(stored.run.get("taken_at") or ingested), ingested, stored.run_id)


def _has(stored: StoredRun, tag: str) -> bool:
    return not tag or tag in str(stored.run.get("tags") or "").split()
