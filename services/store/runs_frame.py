"""The list of runs as a frame, from which its CSV file is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from schema.run_columns import LISTED_COLUMNS, Origin, RunColumn
from storage.annotation import Annotation
from storage.listed_run import listing_row
from storage.stored_run import StoredRun

HEALTH = ("errors", "warnings")
"""Columns with the counts of findings that the list shows as health of a run."""


def runs_frame(runs: Sequence[StoredRun], added: Mapping[str, Annotation]) -> pd.DataFrame:
    """Convert runs to a frame with a row per run, in their order: its id, the sortable columns of
    the list in their order, and HEALTH.

    `added` has the annotations of each run by its id. Numbers have the units of their columns;
    dates are ISO 8601 text.
    """
    rows = [listing_row(run, added[run.run_id]) for run in runs]
    frame = pd.DataFrame({"run_id": pd.Series([run.run_id for run in runs], dtype="str")})
    for column in LISTED_COLUMNS:
        if column.sort and column.name != "health":
            frame[column.name] = pd.Series([row[column.name] for row in rows], dtype=_dtype(column))
    return frame.assign(
        **{name: pd.Series([getattr(run, name) for run in runs], dtype="int64") for name in HEALTH}
    )


def _dtype(column: RunColumn) -> str:
    if column.origin is Origin.HEADLINE:
        return "Float64"
    return "Int64" if column.format.is_number else "str"
