"""The headline numbers of a profile."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd


def profile_headline(frames: Mapping[str, pd.DataFrame]) -> dict[str, float | None]:
    """Return the metrics of profiles that `analysis.metrics` registers."""
    kernels = frames["kernels"]
    return {"kernels": float((~kernels["copy"]).sum())}
