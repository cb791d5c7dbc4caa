"""Baselines shown with series: the numbers of the baseline runs that are points of a series."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from analysis.comparison.series import Band, Series
from schema.metrics import Metric
from services.baselines.members import Members
from storage.baselines import Baselines
from storage.catalogue import Catalogue
from storage.run_values import RunValues, values_of_runs

Select = Callable[[Iterable[RunValues]], list[RunValues]]
"""Function that returns the runs which have a number and match the filters."""


class Bands:
    """The baselines of a catalogue with their runs, the most recently set first; `select` filters
    the runs that are points of the metric.
    """

    def __init__(self, catalogue: Catalogue, metric: Metric, select: Select) -> None:
        self._catalogue = catalogue
        self._metric = metric
        self._select = select

    def add_bands(self, series: Sequence[Series], positions: Collection[int]) -> list[Series]:
        """Return all series in their order, with the baselines added at the given positions; the
        points of these series must be read.
        """
        return [
            self._with_bands(each) if at in positions else each for at, each in enumerate(series)
        ]

    def _with_bands(self, series: Series) -> Series:
        """Return a copy of a series with the baselines that have a run among its points.

        A baseline run that is a point of another series does not count.
        """
        values = {point.run_id: point.value for point in series.points}
        bands = []
        for members, every in self._baselines:
            runs = [run for run in every if run in values or run not in self._points]
            own = tuple(values[run] for run in runs if run in values)
            bands.append(
                Band(members.baseline.name, own, len(members.deleted), len(runs) - len(own))
            )
        return replace(series, bands=tuple(band for band in bands if band.values))

    @cached_property
    def _baselines(self) -> list[tuple[Members, list[str]]]:
        baselines = sorted(
            Baselines(self._catalogue).all(), key=lambda member: member.changed_at, reverse=True
        )
        members = [Members(self._catalogue, baseline) for baseline in baselines]
        return [(member, member.now()) for member in members]

    @cached_property
    def _points(self) -> frozenset[str]:
        """Ids of the baseline runs that are points of any series of the selection."""
        runs = sorted({run for _, every in self._baselines for run in every})
        named = [self._metric.name]
        return frozenset(
            run.run_id for run in self._select(values_of_runs(self._catalogue, runs, named))
        )
