"""Curves of the plot of live bytes: the quantities of a plan, or of a caching allocator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.in_use import counts_addresses
from analysis.memory.reserved import ReservedBytes
from components.memory.columns import Columns
from components.theme import CATEGORICAL, fade
from schema.array_types import Floats

LIVE = "live_bytes"
"""Quantity that is filled and always drawn."""
RESERVED = "reserved"
_LIVE_LINE = {"color": CATEGORICAL[0], "width": 1.8}
_PLAN: Mapping[str, tuple[str, dict[str, Any]]] = {
    "high_water": ("high-water mark", {"color": CATEGORICAL[6], "width": 1.3}),
    LIVE: ("live", _LIVE_LINE),
    "requested_bytes": (
        "requested, with failed blocks",
        {"color": CATEGORICAL[0], "width": 1.3, "dash": "dash"},
    ),
    "union_bytes": ("union of addresses", {"color": CATEGORICAL[7], "width": 1.3, "dash": "dot"}),
}
"""Column of frame `occupancy` -> label and line of its curve, in drawing order."""


@dataclass(frozen=True)
class Quantity:
    """A curve: name, label in the legend, line, and its highest bytes in each column of steps."""

    name: str
    label: str
    line: dict[str, Any]
    highest: Floats

    @property
    def fill(self) -> dict[str, Any]:
        """Fill of the curve's trace; empty but for the live bytes."""
        if self.name != LIVE:
            return {}
        return {"fill": "tozeroy", "fillcolor": fade(CATEGORICAL[0], 0.18)}


def quantities(
    amap: AttemptMap, grouped: Columns, reserved: ReservedBytes | None
) -> list[Quantity]:
    """List the curves of a map in drawing order.

    A caching allocator gives out addresses without a plan, so it has only allocated and reserved
    bytes. If blocks share addresses as intended, the bytes in use are the union of the addresses.
    """
    if not amap.facts.allocator:
        values = {name: grouped.values(name) for name in _PLAN}
        if counts_addresses(amap):
            failed = values["requested_bytes"] - values[LIVE]
            values[LIVE] = values.pop("union_bytes")
            values["requested_bytes"] = values[LIVE] + failed
        return [Quantity(name, *_PLAN[name], grouped.highest(own)) for name, own in values.items()]
    allocated = grouped.highest(grouped.values(LIVE))
    curves = [Quantity(LIVE, "allocated", _LIVE_LINE, allocated)]
    if reserved is not None and len(grouped):
        held = reserved.highest_between(grouped.start, grouped.end)
        line = {"color": CATEGORICAL[6], "width": 1.3}
        curves.insert(0, Quantity(RESERVED, "reserved", line, held.astype(np.float64)))
    return curves
