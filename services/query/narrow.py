"""Narrow tables of SQL, which monthly files have: their rows for a run, and their version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache

import pandas as pd
import pyarrow as pa

from analysis.derive import ANALYSIS_VERSION
from services.query.arrow_tables import arrow_rows, arrow_schema
from services.query.tables import QUERY_TABLES, RUNS_TABLE
from services.run.frames import RunFrameFinder
from storage.repository import Repository, runs_frame
from storage.stored_run import StoredRun

NARROW_TABLES = (RUNS_TABLE, "iterations", "kernel_totals", "attempts")
"""Tables of the monthly files: the headline metrics of a run and three frames with few rows per run.
Frame `attempts` has the memory levels of a plan.
"""
_FORMAT = 1
"""Number of the format of monthly files; a change makes all files be written again."""


@cache
def narrow_version() -> str:
    """Compute the version of monthly files: of analysis and format, and of the columns of the
    tables. Files of another version are not read.
    """
    columns = {name: str(narrow_schema(name)) for name in NARROW_TABLES}
    written = json.dumps([_FORMAT, ANALYSIS_VERSION, columns])
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def narrow_schema(name: str) -> pa.Schema:
    """Return the Arrow schema of a table in a monthly file: that of SQL with texts in place of
    dictionaries, because Parquet has dictionaries of its own.
    """
    fields = arrow_schema(QUERY_TABLES[name])
    return pa.schema(
        [
            (field.name, pa.string() if pa.types.is_dictionary(field.type) else field.type)
            for field in fields
        ]
    )


def run_rows(runs: Sequence[StoredRun]) -> pa.Table:
    """Return the rows of table `runs` for runs, in their order."""
    records = [stored.record() for stored in runs]
    counted = pd.Series([record["observations"] for record in records], dtype="int64")
    impossible = pd.Series([" ".join(record["impossible"]) for record in records], dtype="str")
    frame = runs_frame(records).assign(
        observations=counted.to_numpy(), impossible=impossible.to_numpy()
    )
    return arrow_rows(QUERY_TABLES[RUNS_TABLE], frame)


def narrow_rows(repository: Repository, run_id: str) -> dict[str, pa.Table]:
    """Return the rows of a run in each narrow table that it has, except table `runs`.

    Raises RunDamaged if a file of the run cannot be read, RunNotFound if the run was deleted.
    """
    finder = RunFrameFinder(repository, run_id)
    rows = {}
    for name in NARROW_TABLES:
        frame = QUERY_TABLES[name].frame
        if frame and finder.has(frame):
            rows[name] = arrow_rows(QUERY_TABLES[name], finder.find(frame), run_id)
    return rows
