"""The view state of the status page; the declarations of its fields define its address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from analysis.comparison.status_row import Status, StatusRow
from analysis.comparison.status_sections import is_of_the_week
from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import param
from app.views.address.kinds import Flag, OneOf, Words
from components.verdicts import SIGNS

_MAX_LENGTH = 200


@dataclass(frozen=True)
class StatusState(Addressed):
    """The filters of the status page: rule, time of the latest run, verdict, search words, and
    `week`: only keys that regressed or recovered in the last week.

    An empty filter matches every row.

    `since` and `as_of` are an age or a time, as a person writes them.
    """

    safe = ""

    rule: str = param(Words(_MAX_LENGTH), "")
    since: str = param(Words(_MAX_LENGTH), "")
    as_of: str = param(Words(_MAX_LENGTH), "")
    verdict: str = param(OneOf(SIGNS), "")
    search: str = param(Words(_MAX_LENGTH), "")
    week: bool = param(Flag(), default=False)

    def shown_rows(self, status: Status) -> list[StatusRow]:
        """Return the rows of the status that match the filters, in order; rule and times are not
        checked.
        """
        as_of = datetime.fromisoformat(status.as_of)
        return [
            row
            for row in status.rows
            if self._matches(row) and (not self.week or is_of_the_week(row, as_of))
        ]

    def _matches(self, row: StatusRow) -> bool:
        """Return whether a row has the verdict and contains all search words."""
        texts = (
            *map(str, row.key),
            row.run.commit,
            row.run.branch,
            row.run.file,
            row.run.name,
            row.run.run_id,
        )
        text = " ".join(
            (
                *texts,
                _product(row.key.m, row.key.k, row.key.n),
                _product(row.key.rows, row.key.cols),
            )
        )
        words = self.search.lower().split()
        return self.verdict in ("", row.verdict) and all(word in text.lower() for word in words)


def _product(*sizes: int | None) -> str:
    return "x".join(map(str, sizes))


def parse(query: str) -> StatusState:
    """Parse a query string, with or without `?`; unknown and malformed fields are ignored."""
    return parse_query(StatusState, query)


def make(chosen: Mapping[str, str | None]) -> StatusState:
    """Build the state from the values of the page's controls, by name; invalid values become the
    default.
    """
    return read_state(StatusState, [(name, value or "") for name, value in chosen.items()])
