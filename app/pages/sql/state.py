"""The state of the page of queries in SQL; how its fields are declared says how an address has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import param
from app.views.address.kinds import OneOf, Text
from app.views.address.run_ids import RunIds
from components.query.chart import CHARTS
from services.query.examples import EXAMPLES

LONGEST = 8_000
"""Characters of a query in an address, of which proxies take 32 KiB; longer ones go to the command line or the API."""
MOST_RUNS = 50
_LONGEST_NAME = 200


@dataclass(frozen=True)
class SqlState(Addressed):
    """A query ("" for the first example), the runs that it is about (all without any), and a chart of its answer.

    Of a query that is too long there is one character more than it may have.
    """

    safe = ""

    sql: str = param(Text(LONGEST + 1), "")
    run: tuple[str, ...] = param(RunIds(MOST_RUNS), ())
    chart: str = param(OneOf(CHARTS), "")
    x: str = param(Text(_LONGEST_NAME), "", requires="chart")
    y: str = param(Text(_LONGEST_NAME), "", requires="chart")

    @property
    def text(self) -> str:
        """Return what is asked."""
        return self.sql or EXAMPLES[0].sql


def parse(query: str) -> SqlState:
    """Return the state that a query string (with or without `?`) names; what is unknown or malformed is passed over."""
    return parse_query(SqlState, query)


def make(sql: str, runs: str, chosen: Mapping[str, str | None]) -> SqlState:
    """Return the canonical state of a text, of runs with spaces or commas between them, and of the chart's controls."""
    named = (("run", run) for run in runs.replace(",", " ").split())
    return read_state(SqlState, [("sql", sql), *named, *((name, value or "") for name, value in chosen.items())])
