"""What a change is made of: a part of it, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Cause:
    """A part of the change of a metric: of what, where, and how much in `unit` (points are percent of the base)."""

    metric: str
    what: str
    where: str
    amount: float
    unit: Literal["points", "bytes", "ns"]

    def record(self) -> dict[str, object]:
        """Return the cause as plain values by name; the amount is called by its unit."""
        return {"metric": self.metric, "what": self.what, "where": self.where, self.unit: self.amount}


def largest_first(causes: list[Cause]) -> list[Cause]:
    """Return the causes in the order in which people look at them."""
    return sorted(causes, key=lambda cause: -abs(cause.amount))
