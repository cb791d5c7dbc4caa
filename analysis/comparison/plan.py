"""What is compared of a run of memory maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Plan:
    """A run of memory maps: its headline, and frames `attempts` (with numbers) and `allocations`."""

    run_id: str
    headline: Mapping[str, float | None]
    attempts: pd.DataFrame
    allocations: pd.DataFrame
