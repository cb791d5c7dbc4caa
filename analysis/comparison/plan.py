"""Data of a run with memory maps for comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Plan:
    """Run with memory maps: its headline, and frames `attempts` (with numbers) and
    `allocations`.
    """

    run_id: str
    headline: Mapping[str, float | None]
    attempts: pd.DataFrame
    allocations: pd.DataFrame
