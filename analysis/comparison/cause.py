"""Cause of a change: a part of the change, and its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Cause:
    """Part of the change of a metric: kind (`what`), place (`where`), and `amount` in `unit`.

    Points are percent of the base.
    """

    metric: str
    what: str
    where: str
    amount: float
    unit: Literal["points", "bytes", "ns"]

    def record(self) -> dict[str, object]:
        """Convert the cause to a dict: metric, what, where, and the amount under the name of its
        unit (points, bytes or ns).
        """
        return {
            "metric": self.metric,
            "what": self.what,
            "where": self.where,
            self.unit: self.amount,
        }


def largest_first(causes: list[Cause]) -> list[Cause]:
    """Sort causes by absolute amount, largest first, into a new list; equal amounts keep their
    order.
    """
    return sorted(causes, key=lambda cause: -abs(cause.amount))
