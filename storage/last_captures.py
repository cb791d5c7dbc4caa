"""The last captures of the runs with a likeness up to a time, read by an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, or_, select

from storage.catalogue import Catalogue
from storage.series import POSITIONS, SeriesPosition
from storage.tables import LISTING, OBSERVATIONS


class LastCaptures(NamedTuple):
    """Positions of captures, oldest first; `is_whole` if there are no earlier captures."""

    positions: Sequence[SeriesPosition]
    is_whole: bool


def last_captures(
    catalogue: Catalogue, likenesses: Sequence[str], until: str, runs: int
) -> dict[str, LastCaptures]:
    """Map each likeness to its captures up to `until` (ISO 8601 in UTC), that time included, of
    about its last `runs` runs.

    A capture is included exactly if its date is later than a certain date of the likeness, so that
    no capture between two others is missing.
    """
    with catalogue.connect() as connection:
        return {likeness: _read_last(connection, likeness, until, runs) for likeness in likenesses}


def _read_last(connection: Connection, likeness: str, until: str, runs: int) -> LastCaptures:
    values: Mapping[str, object] = {"likeness": likeness, "until": until}
    before = connection.scalar(_DATE_BEFORE, {**values, "runs": runs})
    rows = connection.execute(_CAPTURES_AFTER, {**values, "before": before or ""})
    return LastCaptures(sorted(map(SeriesPosition._make, rows)), before is None)


# Built once: building a statement takes longer than executing it.
_ALIKE = LISTING.c.likeness == bindparam("likeness")
_DATE_BEFORE = (
    select(LISTING.c.date)
    .where(_ALIKE, LISTING.c.date <= bindparam("until"))
    .order_by(LISTING.c.date.desc())
    .offset(bindparam("runs"))
    .limit(1)
)
"""Date of the run before the last `runs` runs; none if there are at most `runs`."""
# A run has the date of its newest capture. So runs up to `before` have no capture after it, and a
# run that is newer than `until` has an older capture only if it was captured several times.
_CAPTURES_AFTER = POSITIONS.where(
    _ALIKE,
    LISTING.c.date > bindparam("before"),
    or_(LISTING.c.date <= bindparam("until"), LISTING.c.observations > 1),
    OBSERVATIONS.c.date > bindparam("before"),
    OBSERVATIONS.c.date <= bindparam("until"),
)
