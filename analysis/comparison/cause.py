"""Cause of a change: a part of the change, and its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from analysis.comparison.rows import ResultRow

CauseUnit = Literal["points", "bytes", "ns"]
_UNITS: tuple[CauseUnit, ...] = get_args(CauseUnit)


@dataclass(frozen=True)
class Cause:
    """Part of the change of a metric: kind (`what`), place (`where`), and `amount` in `unit`.

    Points are percent of the base. `key` names the attempt or memory level of a part in bytes.
    """

    metric: str
    what: str
    where: str
    amount: float
    unit: CauseUnit
    key: str = ""

    def record(self) -> dict[str, object]:
        """Convert the cause to a dict: metric, what, where, the amount under the name of its unit
        (points, bytes or ns), and key unless it is "".
        """
        return {
            "metric": self.metric,
            "what": self.what,
            "where": self.where,
            self.unit: self.amount,
            **({"key": self.key} if self.key else {}),
        }


def read_cause(record: Mapping[str, object] | None) -> Cause | None:
    """Read a cause from its record; `None` if there is none or it is not valid."""
    if record is None:
        return None
    metric, what, where = (record.get(name) for name in ("metric", "what", "where"))
    if not (isinstance(metric, str) and isinstance(what, str) and isinstance(where, str)):
        return None
    for unit in _UNITS:
        amount = record.get(unit)
        if isinstance(amount, (int, float)):
            return Cause(metric, what, where, float(amount), unit, str(record.get("key", "")))
    return None


def largest_first(causes: list[Cause]) -> list[Cause]:
    """Sort causes by absolute amount, largest first, into a new list; equal amounts keep their
    order.
    """
    return sorted(causes, key=lambda cause: -abs(cause.amount))


def find_main_cause(row: ResultRow, causes: Sequence[Cause]) -> Cause | None:
    """Find the first, so the largest, of `causes` (largest first) that acts in the direction of a
    row's change; None if there is none.

    The result is also `None` if the amount of that cause is less than half of the sum of all
    absolute amounts: larger causes that cancel each other out would explain the change just as
    well.
    """
    main = next((cause for cause in causes if cause.amount * _direction(row, cause) > 0), None)
    if main is None or 2 * abs(main.amount) < sum(abs(cause.amount) for cause in causes):
        return None
    return main


def _direction(row: ResultRow, cause: Cause) -> float:
    """Return the sign of causes that explain the row's change; 0 for a cause of another number."""
    return (row.delta or 0) if cause.metric in (row.metric.name, "extent", "peak_memory") else 0
