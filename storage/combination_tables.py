"""Tables with the counts of runs per combination of facet values."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, String, Table

from storage.tables import COUNTED, LISTING, METADATA, text

GROUPED = COUNTED[:-2]
"""Columns of table `listing` in which the runs of a combination are equal: the facets and
`valued`.
"""

COMBINATIONS = Table(
    "combinations",
    METADATA,
    Column("id", String(32), primary_key=True),
    *(
        Column(LISTING.c[key].name, LISTING.c[key].type, key=key, nullable=LISTING.c[key].nullable)
        for key in GROUPED
    ),
    Column("size", Float),
    Column("runs", Integer, nullable=False),
    Column("rated", Integer, nullable=False),
    Column("fastest", Float),
    Column("best", Float),
)
"""A row per combination of values that runs have in the columns GROUPED.

`id` is a hash of these values, because no database has a unique index in which nulls are equal.
`runs` is the number of runs, `rated` that of runs with a rate that does not exceed the peak;
`fastest` and `best` are the maxima of `gmacs_mean` and `best_in_peak` of these in GMAC/s. `size` is
M*K*N.
"""

COMBINATION_LABELS = Table(
    "combination_labels",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("combination", String(32), nullable=False),
    Column("kind", String(8), nullable=False),
    Column("value", text(), nullable=False),
    Column("runs", Integer, nullable=False),
)
"""Number of runs of a combination that have a tag or a capture on a branch.

`kind` is "tag" or "branch". `id` is a hash of the three columns after it: a branch may be longer
than an entry of an index in PostgreSQL.
"""
Index("ix_combination_labels_kind", COMBINATION_LABELS.c.kind)
