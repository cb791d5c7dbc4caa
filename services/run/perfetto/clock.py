"""Conversion of a run's ticks to nanoseconds, and the sentence that describes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from schema.array_types import Ints
from schema.time_units import CYCLES, NANOSECONDS, NANOSECONDS_PER_S

_MAX_NS = 2.0**63
"""Limit of times in ns: they are stored as int64."""
_DIGITS = 9
"""Significant digits of the length of a tick in the description."""


@dataclass(frozen=True)
class Clock:
    """The clock of a run. `hz` is `None` if ticks are written as nanoseconds unchanged."""

    unit: str
    hz: float | None

    @classmethod
    def of(cls, run: Mapping[str, Any]) -> Clock:
        """Return the clock of a row of frame `run`; `hz` is `None` unless the unit is cycles and
        the clock is known and positive.
        """
        unit = str(run["time_unit"])
        hz = run["clock_hz"]
        is_known = unit == CYCLES and pd.notna(hz) and math.isfinite(hz) and hz > 0
        return cls(unit, float(hz) if is_known else None)

    def nanoseconds(self, ticks: Ints) -> Ints:
        """Convert ticks to an int64 array of ns, each rounded; unchanged if `hz` is `None`.

        Raises ValueError if a time does not fit into int64.
        """
        if self.hz is None:
            return ticks
        exact = ticks * NANOSECONDS_PER_S / self.hz
        if len(exact) and np.abs(exact).max() >= _MAX_NS:
            raise ValueError(
                f"the times of this run, at a clock of {self.hz:g} Hz, exceed the range of nanoseconds"
            )
        return np.asarray(np.rint(exact), np.int64)

    def words(self) -> str:
        """Describe the length of a tick in the trace, such as `1 cycle = 0.8 ns`."""
        if self.unit == NANOSECONDS:
            return "times are ns"
        tick = 1.0 if self.hz is None else NANOSECONDS_PER_S / self.hz
        digits = np.format_float_positional(tick, precision=_DIGITS, fractional=False, trim="-")
        unknown = ", the clock is not known" if self.unit == CYCLES and self.hz is None else ""
        return f"1 {self.unit.removesuffix('s')} = {digits} ns{unknown}"
