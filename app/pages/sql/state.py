"""The view state of the SQL page; the declarations of its fields define its address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import param
from app.views.address.kinds import OneOf, Text
from app.views.address.run_ids import RunIds
from components.query.chart import CHARTS
from services.query.examples import EXAMPLES

MAX_LENGTH = 8_000
"""Maximum characters of a query in an address.

Proxies accept addresses of 32 KiB; longer queries need the command line or the API.
"""
MAX_RUNS = 50
_MAX_NAME = 200


@dataclass(frozen=True)
class SqlState(Addressed):
    """A query ("" for the first example), its runs (empty for all), and a chart of its result.

    A query that is too long is cut after the first character above the maximum, so that the page
    can report it.
    """

    safe = ""

    sql: str = param(Text(MAX_LENGTH + 1), "")
    run: tuple[str, ...] = param(RunIds(MAX_RUNS), ())
    chart: str = param(OneOf(CHARTS), "")
    x: str = param(Text(_MAX_NAME), "", requires="chart")
    y: str = param(Text(_MAX_NAME), "", requires="chart")

    @property
    def text(self) -> str:
        """The text of the query: that of the state, or the first example if it is ""."""
        return self.sql or EXAMPLES[0].sql


def parse(query: str) -> SqlState:
    """Parse a query string, with or without `?`; unknown and malformed fields are ignored."""
    return parse_query(SqlState, query)


def make(sql: str, runs: str, chosen: Mapping[str, str | None]) -> SqlState:
    """Build the state from the query, runs separated by spaces or commas, and the chart's controls."""
    named = (("run", run) for run in runs.replace(",", " ").split())
    return read_state(
        SqlState, [("sql", sql), *named, *((name, value or "") for name, value in chosen.items())]
    )
