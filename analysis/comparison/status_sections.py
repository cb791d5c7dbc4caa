"""Sections of the status: keys that regressed lately, are open, are acknowledged or recovered."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from analysis.comparison.status_row import Status, StatusPoint, StatusRow

Section = Literal["new", "open", "acknowledged", "recovered"]
SECTIONS: tuple[Section, ...] = ("new", "open", "acknowledged", "recovered")
"""All sections, the most urgent first."""
WEEK = timedelta(days=7)
"""Age up to which a regression is new, and a recovery is listed."""


def status_sections(status: Status) -> dict[Section, list[StatusRow]]:
    """Map every section to its rows, in the order of the status; a row may be in two sections."""
    as_of = _time(status.as_of)
    rows: dict[Section, list[StatusRow]] = {section: [] for section in SECTIONS}
    for row in status.rows:
        for section in row_sections(row, as_of):
            rows[section].append(row)
    return rows


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


def recovery(row: StatusRow) -> StatusPoint | None:
    """Find the run with which the key last recovered among the row's `points`: the first run that
    is not regressed after a regressed run; `None` if there is no such run.
    """
    # The latest run does not tell how long it has been good again, its predecessors do.
    for before, after in reversed([*pairwise(row.points)]):
        if before.verdict == "regressed" and after.verdict != "regressed":
            return after
    return None


def _has_recovered(row: StatusRow, begin: datetime) -> bool:
    point = recovery(row)
    return point is not None and _time(point.taken_at) >= begin


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
