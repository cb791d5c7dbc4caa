"""The status as a frame, from which its CSV file is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.comparison.status_row import Status, StatusRow

_WHOLE = ("M", "K", "N", "m", "k", "n", "rows", "cols", "runs")
"""Columns with integers."""
_REAL = ("value", "base", "relative", "age_days")
"""Columns with floating-point numbers."""


def status_frame(status: Status) -> pd.DataFrame:
    """Convert the status to a frame with a row per key: the fields of its key and run, then the
    rest (see _NAMES).

    `value` and `base` have the unit of `metric`, `relative` is a fraction (0.1 is 10 %); dates are
    ISO 8601 text. Missing texts are "", missing numbers NA.
    """
    records = [_record(row) for row in status.rows]
    return pd.DataFrame({name: _column(name, records) for name in _NAMES})


_SINCE = ("first_bad", "first_bad_commit", "last_good", "last_good_commit", "runs", "url")
_ACKNOWLEDGED = ("acknowledged_by", "note", "acknowledged_at")
_KEY = ("source", "hwid", "M", "K", "N", "m", "k", "n", "rows", "cols", "mac_dtype", "tags")
_RUN = ("run_id", "taken_at", "commit", "branch", "file", "name")
_OWN = ("metric", "value", "base", "relative", "verdict", "reason")
_NAMES = (*_KEY, *_RUN, *_OWN, *_SINCE, *_ACKNOWLEDGED, "age_days")


def _record(row: StatusRow) -> dict[str, object]:
    record: dict[str, object] = {name: getattr(row.key, name) for name in _KEY}
    record |= {name: getattr(row.run, name) for name in _RUN}
    record |= {name: getattr(row, name) for name in (*_OWN, "age_days")}
    if row.since is not None:
        bad = row.since.first_bad
        good = row.since.last_good
        record |= {
            "first_bad": bad.run_id,
            "first_bad_commit": bad.commit,
            "runs": row.since.runs,
            "url": row.since.url,
        }
        record |= {"last_good": good.run_id, "last_good_commit": good.commit} if good else {}
    if row.acknowledged is not None:
        acknowledged = row.acknowledged
        record |= {
            "acknowledged_by": acknowledged.by,
            "note": acknowledged.note,
            "acknowledged_at": acknowledged.at,
        }
    return record


def _column(name: str, records: Sequence[Mapping[str, object]]) -> pd.Series:
    values = [record.get(name) for record in records]
    if name in _WHOLE:
        return pd.Series(values, dtype="Int64")
    if name in _REAL:
        return pd.Series(values, dtype="Float64")
    return pd.Series(["" if value is None else str(value) for value in values], dtype="str")
