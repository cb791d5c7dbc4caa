"""Sections of the status: keys that regressed lately, are open, are acknowledged or recovered."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from analysis.comparison.status_row import StatusRow

Section = Literal["new", "open", "acknowledged", "recovered"]
WEEK = timedelta(days=7)
"""Age up to which a regression is new, and a recovery is listed."""


def row_sections(row: StatusRow, as_of: datetime) -> tuple[Section, ...]:
    """List the sections of a row at a time: `new` (regressed since a week or less, and open),
    `open` (regressed, not acknowledged), `acknowledged`, or `recovered` (not regressed any more
    since a week or less).

    The first bad run decides whether a regression is new, and not the latest run. A recovery is
    found if it is among the row's `points`. () for all other rows.
    """
    begin = as_of - WEEK
    if row.verdict != "regressed":
        return ("recovered",) if _has_recovered(row, begin) else ()
    if row.acknowledged is not None:
        return ("acknowledged",)
    # A key that regressed long ago may have run today: the first bad run decides.
    is_new = row.since is not None and _time(row.since.first_bad.taken_at) >= begin
    return ("new", "open") if is_new else ("open",)


def is_of_the_week(row: StatusRow, as_of: datetime) -> bool:
    """Whether the key regressed, without acknowledgement, or recovered in the week before."""
    return bool({"new", "recovered"}.intersection(row_sections(row, as_of)))


def _has_recovered(row: StatusRow, begin: datetime) -> bool:
    # The latest run does not tell how long it has been good again, its predecessors do.
    return any(
        before.verdict == "regressed"
        and after.verdict != "regressed"
        and _time(after.taken_at) >= begin
        for before, after in pairwise(row.points)
    )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
