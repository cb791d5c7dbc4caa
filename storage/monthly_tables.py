"""Table of the monthly files, which have narrow frames of all runs of a source and month."""

from __future__ import annotations

from sqlalchemy import JSON, Column, Float, Integer, String, Table

from storage.tables import METADATA

MONTHLY_FILES = Table(
    "monthly_files",
    METADATA,
    Column("file", String(24), primary_key=True),
    Column("source", String(64), nullable=False),
    Column("month", String(7), nullable=False),
    Column("made_by", String(64), nullable=False),
    Column("runs", Integer, nullable=False),
    Column("left_out", Integer, nullable=False),
    Column("tables", JSON, nullable=False),
    Column("written_at", String(40), nullable=False),
    Column("retired", Float),
)
"""Written monthly files; column `monthly` of table `listing` says which runs each of them has.

`made_by` is the version of the analysis and of the columns that wrote the file, `runs` the number of
runs in it, `left_out` the number of runs of the month that could not be read. `tables` maps names of
tables to [rows, bytes]. `retired` is set, in seconds since 1970 by the database's clock, when no run
is in the file any more.
"""
