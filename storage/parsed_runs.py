"""Rows of table `runs` as a list reads them: parsed once as long as they stay the same."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from sqlalchemy import JSON, Row, Text, cast, select

from storage.latest_values import LatestValues
from storage.sqlite import parse_json
from storage.stored_run import StoredRun, stored_run
from storage.tables import RUNS

MAX_RUNS = 500
"""Maximum number of runs that are kept: five pages of the list."""
_JSON = frozenset(column.key for column in RUNS.c if isinstance(column.type, JSON))
SELECT_TEXTS = select(*(cast(c, Text).label(c.key) if c.key in _JSON else c for c in RUNS.c))
"""Statement for rows of table `runs` with the texts of their JSON columns."""


class ParsedRuns:
    """The runs that were parsed last. Every ingest changes the version of the list, but hardly any
    of its rows, and to parse a row takes longer than to read it.
    """

    def __init__(self) -> None:
        self._parsed: LatestValues[StoredRun] = LatestValues(MAX_RUNS)

    def find(self, row: Row[Any], observations: int) -> StoredRun:
        """Convert a row of SELECT_TEXTS; equal rows of a run give the same object."""
        source = (*row, observations)
        return self._parsed.get(row.run_id, source, partial(_parse, row, observations))


def _parse(row: Row[Any], observations: int) -> StoredRun:
    values = {
        name: parse_json(value) if name in _JSON and value is not None else value
        for name, value in zip(RUNS.c.keys(), row, strict=True)
    }
    return stored_run(SimpleNamespace(**values, observations=observations))
