"""The numbers of runs over time: what that takes of each row of the catalogue, checked, in the order of capture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

from sqlalchemy import select

from schema.metrics import METRICS
from schema.runs import RUN
from storage.catalogue import Catalogue
from storage.stored_run import column_checks, fits_columns
from storage.tables import RUNS

_READ = (
    *("run_id", "name", "source", "hwid", "M", "K", "N", "rows", "cols", "tags"),
    *("created_at", "taken_at", "taken_from", "commit"),
)
_COLUMNS = [column for column in RUN.columns if column.name in _READ]
_CHECKS = column_checks(_COLUMNS)
_BLANK = {column.name: "" if column.dtype == "str" else None for column in _COLUMNS}
"""Column -> what stands for a missing value."""


@dataclass(frozen=True)
class RunValues:
    """A run in time: `run` has a few columns of frame `run`, `values` the headline metrics that it has a number for."""

    run: Mapping[str, object]
    values: Mapping[str, float]

    @property
    def run_id(self) -> str:
        return str(self.run["run_id"])

    @property
    def date(self) -> str:
        """Return when it was captured, else when it was ingested."""
        return str(self.run["taken_at"] or self.run["created_at"])

    @property
    def tags(self) -> list[str]:
        return str(self.run["tags"]).split()


def run_values(catalogue: Catalogue, filters: Mapping[str, object] | None = None) -> list[RunValues]:
    """Return the runs in the order of their capture; `filters` maps columns of table `runs` to a value, None for any.

    Far less is read of a row than the whole, and a row of which that cannot be right is left out.
    """
    if not catalogue.created():
        return []
    fit = [RUNS.c[key] == value for key, value in (filters or {}).items() if value is not None]
    with catalogue.connect() as connection:
        rows = connection.execute(select(RUNS.c.run_id, RUNS.c.run, RUNS.c.headline).where(*fit))
        found = [_values(run, headline) for run_id, run, headline in rows if _is_sound(run_id, run, headline)]
    return sorted(found, key=_moment)


def _is_sound(run_id: str, run: object, headline: object) -> bool:
    return (
        isinstance(run, dict)
        and isinstance(headline, dict)
        and run.get("run_id") == run_id
        and fits_columns(run, _CHECKS)
    )


def _values(run: Mapping[str, object], headline: Mapping[str, object]) -> RunValues:
    numbers = {name: float(value) for name, value in headline.items() if _is_number(value) and name in METRICS}
    return RunValues(_BLANK | {name: run[name] for name in _READ if run.get(name) is not None}, numbers)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and math.isfinite(value)


def _moment(values: RunValues) -> tuple[str, str, str]:
    return values.date, str(values.run["created_at"]), values.run_id
