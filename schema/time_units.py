"""Units of a run's ticks."""

from __future__ import annotations

CYCLES = "cycles"
NANOSECONDS = "ns"
STEPS = "steps"
NANOSECONDS_PER_S = 1e9
