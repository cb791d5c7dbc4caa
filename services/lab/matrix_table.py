"""The cells of allocators x runs as a table: its columns, without what a compiler is needed for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

COLUMNS = (
    *("run_id", "attempt", "label", "strategy", "status", "proof", "extent", "bound", "gap", "seconds", "effort"),
    "reason",
)
REFUSED = "refused"
"""Status of a strategy that cannot be asked about a run."""


def matrix_frame(cells: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return cells as a table, with whole numbers where any is null."""
    whole = dict.fromkeys(("attempt", "extent", "bound", "effort"), "Int64")
    return pd.DataFrame(list(cells), columns=list(COLUMNS)).astype(whole)
