"""Table of bisections."""

from __future__ import annotations

from sqlalchemy import JSON, Column, Float, String, Table, Text

from storage.tables import METADATA

BISECTIONS = Table(
    "bisections",
    METADATA,
    Column("bisection_id", String(32), primary_key=True),
    Column("likeness", String(32), nullable=False),
    Column("key", JSON, nullable=False),
    Column("metric", Text, nullable=False),
    Column("threshold", Float),
    Column("commits", JSON, nullable=False),
    Column("skipped", JSON, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("created_at", String(40), nullable=False),
)
"""Bisections: the key (values of `SeriesKey` in order) and its likeness, the metric, and `commits`
from the good to the bad commit, in order.

`threshold` is the smallest relevant change as a share, null for that of the metric. `skipped` are
commits that give no result. The plan is computed from the runs of the store.
"""
