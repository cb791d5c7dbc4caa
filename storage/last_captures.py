"""The last captures of the runs with a likeness up to a time, read by an index."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, or_, select

from storage.catalogue import Catalogue
from storage.series import POSITIONS, SeriesPosition
from storage.tables import LISTING, OBSERVATIONS


class LastCaptures(NamedTuple):
    """Positions of captures, oldest first; `is_whole` if there are no earlier captures."""

    positions: Sequence[SeriesPosition]
    is_whole: bool


def likenesses_with_older_captures(catalogue: Catalogue, until: str) -> set[str]:
    """Find the likenesses of the runs that were captured several times, the last time after `until`
    (ISO 8601 in UTC).
    """
    with catalogue.connect() as connection:
        return {*connection.scalars(_CAPTURED_AGAIN, {"until": until})}


def last_captures(
    catalogue: Catalogue,
    likenesses: Sequence[str],
    until: str,
    runs: int,
    with_older: Collection[str],
) -> dict[str, LastCaptures]:
    """Map each likeness to its captures up to `until` (ISO 8601 in UTC), that time included, of
    about its last `runs` runs.

    A capture is included exactly if its date is later than a certain date of the likeness, so that
    no capture between two others is missing. `with_older` has the likenesses of
    `likenesses_with_older_captures`, of which all later runs are looked at.
    """
    with catalogue.connect() as connection:
        return {
            likeness: _read_last(connection, likeness, until, runs, likeness in with_older)
            for likeness in likenesses
        }


def _read_last(
    connection: Connection, likeness: str, until: str, runs: int, has_older: bool
) -> LastCaptures:
    values: Mapping[str, object] = {"likeness": likeness, "until": until}
    before = connection.scalar(_DATE_BEFORE, {**values, "runs": runs})
    statement = _CAPTURES_OF_ANY if has_older else _CAPTURES_OF_EARLIER
    rows = connection.execute(statement, {**values, "before": before or ""})
    return LastCaptures(sorted(map(SeriesPosition._make, rows)), before is None)


# Built once: building a statement takes longer than executing it.
_ALIKE = LISTING.c.likeness == bindparam("likeness")
_IS_EARLIER = LISTING.c.date <= bindparam("until")
_DATE_BEFORE = (
    select(LISTING.c.date)
    .where(_ALIKE, _IS_EARLIER)
    .order_by(LISTING.c.date.desc())
    .offset(bindparam("runs"))
    .limit(1)
)
"""Date of the run before the last `runs` runs; none if there are at most `runs`."""
# A run has the date of its newest capture. So runs up to `before` have no capture after it, and a
# run that is newer than `until` has an older capture only if it was captured several times.
_CAPTURES_OF_ANY = POSITIONS.where(
    _ALIKE,
    LISTING.c.date > bindparam("before"),
    or_(_IS_EARLIER, LISTING.c.observations > 1),
    OBSERVATIONS.c.date > bindparam("before"),
    OBSERVATIONS.c.date <= bindparam("until"),
)
_CAPTURES_OF_EARLIER = POSITIONS.where(
    _ALIKE,
    LISTING.c.date > bindparam("before"),
    _IS_EARLIER,
    OBSERVATIONS.c.date > bindparam("before"),
)
"""The same without runs that are newer than `until`, which the index need not be read for."""
# Each run that was captured several times has a capture of number 2, and the key of the table is an
# index with nothing but runs and numbers.
_CAPTURED_AGAIN = (
    select(LISTING.c.likeness)
    .distinct()
    .select_from(LISTING.join(OBSERVATIONS, LISTING.c.run_id == OBSERVATIONS.c.run_id))
    .where(OBSERVATIONS.c.number == 2, LISTING.c.date > bindparam("until"))
)
