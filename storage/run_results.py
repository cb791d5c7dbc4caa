"""Results of the analysis of a run that pages would compute anew, one JSON value per run and name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from storage.catalogue import Catalogue
from storage.tables import RUN_RESULTS, RUNS
from storage.upsert import put, transact

MAX_CHARACTERS = 1_000_000
"""Maximum characters of a result as JSON; a larger result is not stored."""


class RunResults:
    """Access to the results of one name; results with another `made_by` are ignored.

    `made_by` is the version of the code that computes them.
    """

    def __init__(self, catalogue: Catalogue, name: str, made_by: str) -> None:
        self._catalogue = catalogue
        self._name = name
        self._made_by = made_by

    def find(self, run_id: str, prefix: str) -> Mapping[str, Any] | None:
        """Read the result about the content of a run; `None` if there is none."""
        c = RUN_RESULTS.c
        query = select(c.result).where(
            c.run_id == run_id,
            c.name == self._name,
            c.prefix == prefix,
            c.made_by == self._made_by,
        )
        with self._catalogue.connect() as connection:
            result = connection.scalar(query)
        return result if isinstance(result, dict) else None

    def put(self, run_id: str, prefix: str, result: Mapping[str, Any]) -> None:
        """Store the result about the content of a run in place of an earlier one; `prefix` is the
        prefix of the content's files.

        Nothing is stored if the result has more than 1,000,000 characters as JSON (MAX_CHARACTERS),
        or if the run was deleted or has another prefix by now.
        """
        if len(json.dumps(result)) > MAX_CHARACTERS:
            return
        row = {
            "run_id": run_id,
            "name": self._name,
            "prefix": prefix,
            "made_by": self._made_by,
            "result": dict(result),
        }

        def write(connection: Connection) -> None:
            current = select(RUNS.c.prefix).where(RUNS.c.run_id == run_id)
            if connection.scalar(current) == prefix:
                put(connection, RUN_RESULTS, row)

        transact(self._catalogue, write)
