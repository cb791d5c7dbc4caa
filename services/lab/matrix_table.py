"""Columns of the table of allocators x runs. This module imports no code that needs a compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

COLUMNS = (
    *(
        "run_id",
        "attempt",
        "label",
        "strategy",
        "status",
        "proof",
        "extent",
        "bound",
        "gap",
        "seconds",
        "effort",
    ),
    "reason",
)
"""Columns of a cell, in order."""
REFUSED = "refused"
"""Status if a strategy cannot place an attempt."""


def matrix_frame(cells: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return the cells as a frame with the columns COLUMNS, a row for each; whole numbers are
    Int64, missing if the cell has no value.
    """
    # Nullable: a refused cell has no numbers, and floats would round large sizes.
    whole = dict.fromkeys(("attempt", "extent", "bound", "effort"), "Int64")
    return pd.DataFrame(list(cells), columns=list(COLUMNS)).astype(whole)
