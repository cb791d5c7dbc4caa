"""Cause of a change: a part of the change, and its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Cause:
    """Part of the change of a metric: kind (`what`), place (`where`), and `amount` in `unit`.

    Points are percent of the base. `key` names the attempt or memory level of a part in bytes.
    """

    metric: str
    what: str
    where: str
    amount: float
    unit: Literal["points", "bytes", "ns"]
    key: str = ""

    def record(self) -> dict[str, object]:
        """Convert the cause to plain values by name; the amount is under the name of its unit."""
        return {
            "metric": self.metric,
            "what": self.what,
            "where": self.where,
            self.unit: self.amount,
            **({"key": self.key} if self.key else {}),
        }


def largest_first(causes: list[Cause]) -> list[Cause]:
    """Sort causes by absolute amount, largest first."""
    return sorted(causes, key=lambda cause: -abs(cause.amount))
