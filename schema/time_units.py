"""What a tick of a run is."""

from __future__ import annotations

NANOSECONDS = "ns"
NANOSECONDS_PER_S = 1e9
