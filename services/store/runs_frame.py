"""The list of runs as a frame, from which its CSV file is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from schema.headlines import headline_of
from schema.run_columns import HEADLINE, LISTED_COLUMNS, Origin, RunColumn
from storage.annotation import Annotation
from storage.listed_run import listing_row
from storage.stored_run import StoredRun

HEALTH = ("errors", "warnings")
"""Columns with the counts of findings that the list shows as health of a run."""

HEADLINE_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        **{"kind": "str", "value": "Float64", "unit": "str"},
        **{"detail": "Float64", "detail_unit": "str", "detail_of": "str"},
        **{"impossible": "boolean", "unplaced": "Int64"},
    }
)
"""Field of a headline -> dtype of its column, which is called `headline_FIELD`."""


def runs_frame(runs: Sequence[StoredRun], added: Mapping[str, Annotation]) -> pd.DataFrame:
    """Convert runs to a frame with a row per run, in their order: its id, the sortable columns of
    the list in their order, HEALTH, and the fields of the headline (HEADLINE_FIELDS).

    `added` has the annotations of each run by its id. Numbers have the units of their columns;
    dates are ISO 8601 text.
    """
    rows = [listing_row(run, added[run.run_id]) for run in runs]
    frame = pd.DataFrame({"run_id": pd.Series([run.run_id for run in runs], dtype="str")})
    for column in LISTED_COLUMNS:
        if column.sort and column.name not in ("health", HEADLINE):
            frame[column.name] = pd.Series([row[column.name] for row in rows], dtype=_dtype(column))
    health = {
        name: pd.Series([getattr(run, name) for run in runs], dtype="int64") for name in HEALTH
    }
    return frame.assign(**health, **_headline_columns(runs))


def _headline_columns(runs: Sequence[StoredRun]) -> dict[str, pd.Series]:
    """Build the columns of the headlines, null for a run without a headline."""
    headlines = [headline_of(str(run.run["source"]), run.headline) for run in runs]
    return {
        f"headline_{name}": pd.Series(
            [None if headline is None else getattr(headline, name) for headline in headlines],
            dtype=dtype,
        )
        for name, dtype in HEADLINE_FIELDS.items()
    }


def _dtype(column: RunColumn) -> str:
    if column.origin is Origin.HEADLINE:
        return "Float64"
    return "Int64" if column.format.is_number else "str"
