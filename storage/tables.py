"""Main tables of the catalogue at the current revision; the migrations produce the same tables."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    case,
)
from sqlalchemy import text as sql_text
from sqlalchemy.types import TypeEngine

from schema.run_columns import LISTED_COLUMNS, Origin, RunColumn

METADATA = MetaData()


def text() -> TypeEngine[str]:
    """Build a text type that every database sorts by Unicode code point."""
    return Text().with_variant(Text(collation="C"), "postgresql")


RUNS = Table(
    "runs",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("source", String(64), nullable=False, index=True),
    Column("hwid", String(255), nullable=False, index=True),
    # SQLite does not distinguish the column names M and m, so the GEMM's sizes have other names.
    Column("gemm_m", BigInteger, key="M"),
    Column("gemm_k", BigInteger, key="K"),
    Column("gemm_n", BigInteger, key="N"),
    Column("created_at", String(40), nullable=False, index=True),
    Column("prefix", String(255), nullable=False),
    Column("run", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("headline", JSON, nullable=False),
    Column("frames", JSON, nullable=False),
    Column("derived", JSON, nullable=False),
    Column("findings", JSON, nullable=False),
    Column("errors", Integer, nullable=False),
    Column("warnings", Integer, nullable=False),
    Column("checksums", JSON),
    Column("offsets", JSON),
)

PENDING = Table(
    "pending",
    METADATA,
    Column("prefix", String(255), primary_key=True),
    Column("host", String(255), nullable=False),
    Column("process", String(64), nullable=False),
    Column("since", Float, nullable=False),
    Column("beat", Float),
)
"""Prefixes that belong to no run, with the process that writes there.

`since` and `beat` (the last heartbeat) are seconds since 1970 by the database's clock.
"""

VALUED: Mapping[str, int] = MappingProxyType(
    {column.name: column.bit for column in LISTED_COLUMNS if column.bit is not None}
)
"""Column of the list -> its bit in `valued`; the bit of `created_at` is set if it differs from the
date.
"""
LISTED_METRICS = tuple(
    sorted((c.name for c in LISTED_COLUMNS if c.origin is Origin.HEADLINE), key=VALUED.__getitem__)
)
"""Headline metrics with a column in table `listing`, in the order of their bits."""
LISTED_TEXTS = tuple(
    c.name for c in LISTED_COLUMNS if c.origin is Origin.RUN and not c.format.is_number
)
"""Texts of frame `run` with a column in table `listing`."""
LISTED_NUMBERS = tuple(
    c.name for c in LISTED_COLUMNS if c.origin is Origin.RUN and c.format.is_number
)
"""Whole numbers of frame `run` with a column in table `listing`."""
_BITS_OF_0003, _BITS_OF_0017, _BITS_OF_0029 = 17, 26, 30
"""Number of bits at revisions 0003, 0017 and 0029; later columns follow, in the order in which
migrations add them.
"""


def _later_columns(first_bit: int, end_bit: float = float("inf")) -> list[Column[Any]]:
    """Build the columns of table `listing` whose bits (VALUED) are in [`first_bit`, `end_bit`), in
    the order of the bits.
    """
    bits = {VALUED[column.name]: column for column in LISTED_COLUMNS if column.name in VALUED}
    return [_later_column(bits[bit]) for bit in sorted(bits) if first_bit <= bit < end_bit]


def _later_column(column: RunColumn) -> Column[Any]:
    if column.origin is Origin.HEADLINE:
        return Column(column.name, Float)
    if column.format.is_number:
        return Column(column.name, BigInteger)
    return Column(column.name, text(), nullable=False)


LISTING = Table(
    "listing",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("prefix", String(255), nullable=False),
    *(Column(name, text(), nullable=False) for name in ("source", "hwid", "name", "file", "tags")),
    Column("gemm_m", BigInteger, key="M"),
    Column("gemm_k", BigInteger, key="K"),
    Column("gemm_n", BigInteger, key="N"),
    Column("size", Float),
    *(Column(name, text(), nullable=False) for name in ("date", "created_at", "searched")),
    Column("health", Integer, nullable=False),
    *(Column(name, Float) for name in LISTED_METRICS if VALUED[name] < _BITS_OF_0003),
    Column("best_in_peak", Float),
    Column("valued", Integer, nullable=False),
    Column("likeness", String(32)),
    *_later_columns(_BITS_OF_0003, _BITS_OF_0017),
    Column("search_id", BigInteger),
    Column("stored_bytes", BigInteger),
    Column("headline", text()),
    Column("stem", text()),
    *_later_columns(_BITS_OF_0017, _BITS_OF_0029),
    Column("monthly", String(24)),
    Column("monthly_next", String(24)),
    Column("branches", text()),
    *_later_columns(_BITS_OF_0029),
)
"""The list of runs: a narrow row per run with the columns for filters, sorting and counts.

`size` is M*K*N; `date` that of the capture, else of the ingest; `searched` the text for searches,
in lower case; `best_in_peak` the best rate of a run, null if a rate exceeds its peak; `valued` the sum of the
bits (VALUED) of columns with a value. `likeness` is the hash of the key, "" for a damaged run;
`headline` the sort key of the headline (`schema.headlines`), "" without a headline; `stem` that of
frame `run`. These three are null if a release without the column listed the run. `search_id` is the
row in the FTS5 table of `storage.search_index`, null if not indexed. `stored_bytes` is the size of
its frame files, null if an older release wrote them. `monthly` is the monthly file that has the
run, `monthly_next` the file that a compaction is writing; both are null after any change of the run,
because a change replaces its row. `branches` is the JSON array of the branches of its captures, null
if it was captured once, on `branch`.
"""
_FACETS = ("source", "hwid", "M", "K", "N", "m", "k", "n", "grid", "mac_dtype")
COUNTED = (*_FACETS, "valued", "gmacs_mean", "best_in_peak")
"""Columns that counts of all runs read; their index avoids reading the table."""
Index("ix_listing_counted", *(LISTING.c[name] for name in COUNTED))
Index("ix_listing_hwid", LISTING.c.hwid, LISTING.c.created_at)
Index("ix_listing_date", LISTING.c.date, LISTING.c.run_id)
COUNTED_RATE = case((LISTING.c.best_in_peak.is_not(None), LISTING.c.gmacs_mean))
"""Mean rate of a run in GMAC/s, null if its rates exceed the peak: it then counts nowhere."""
# As text, because PostgreSQL requires parentheses that SQLAlchemy does not write.
_INDEXED_RATE = sql_text("(CASE WHEN best_in_peak IS NOT NULL THEN gmacs_mean END)")
Index("ix_listing_rate", _INDEXED_RATE, LISTING.c.date, LISTING.c.run_id)
Index("ix_listing_headline", LISTING.c.headline, LISTING.c.date, LISTING.c.run_id)
Index("ix_listing_likeness", LISTING.c.likeness, LISTING.c.date)
Index("ix_listing_search_id", LISTING.c.search_id)
Index("ix_listing_monthly", LISTING.c.monthly)
Index("ix_listing_stored", LISTING.c.source, LISTING.c.created_at, LISTING.c.stored_bytes)

OBSERVATIONS = Table(
    "observations",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("number", Integer, primary_key=True),
    *(
        Column(name, text(), nullable=False)
        for name in ("date", "taken_at", "taken_from", "commit", "branch", "file")
    ),
    Column("observed_at", String(40), nullable=False),
    Column("observed_by", Text, nullable=False),
)
"""Captures of the content of a run, which is stored once; every run has at least one.

`number` counts from 1 within a run; `date` is `taken_at`, else `observed_at`. The run itself has
the values of its newest observation.
"""
Index("ix_observations_commit", OBSERVATIONS.c.commit, OBSERVATIONS.c.run_id)
Index("ix_observations_branch", OBSERVATIONS.c.branch, OBSERVATIONS.c.run_id)
Index("ix_observations_date", OBSERVATIONS.c.date, OBSERVATIONS.c.run_id)

LISTING_STATE = Table(
    "listing_state",
    METADATA,
    Column("version", String(32), primary_key=True),
    Column("kept_version", String(32)),
)
"""A single row; `version` changes when a run, a baseline or a rule changes.

`kept_version` equals it as long as every change has deleted the outdated cached results. A release
that does not know the column changes only `version`.
"""

KEY_TRENDS = Table(
    "key_trends",
    METADATA,
    Column("metric", Text, primary_key=True),
    Column("likeness", String(32), primary_key=True),
    Column("made_by", String(64), nullable=False),
    Column("keys", JSON, nullable=False),
)
"""Cached data for the trends of a metric, per likeness of runs, see `services.trends.cached_trends`.

The rows of a likeness are deleted when a run with it changes (`storage.listing`). `made_by` is the
version of the analysis that computed them.
"""
Index("ix_key_trends_likeness", KEY_TRENDS.c.likeness)

RUN_RESULTS = Table(
    "run_results",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("prefix", String(255), nullable=False),
    Column("made_by", String(64), nullable=False),
    Column("result", JSON, nullable=False),
)
"""Results of the analysis of a run, such as its pace, as JSON; a run may have none.

A result is about the content of the run with this `prefix`. `made_by` is the version of the
analysis that computed it.
"""

BASELINES = Table(
    "baselines",
    METADATA,
    Column("name", String(100), primary_key=True),
    Column("runs", JSON, nullable=False),
    Column("changed_at", String(40), nullable=False),
    Column("last", Integer),
    Column("key", JSON),
)
"""Baselines: named lists of run ids, in the given order.

`last` is the number of runs of a rolling baseline; its `runs` is the run that determined the key.
`key` has the common values of the runs (see `schema.likeness`), null if a release without this
column stored the baseline.
"""

CHECKS = Table(
    "checks",
    METADATA,
    Column("baseline", String(100), primary_key=True),
    Column("run_id", String(64), primary_key=True),
    Column("prefix", String(255), nullable=False),
    Column("against", String(64), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("metric", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("relative", Float),
    Column("delta", Float),
    Column("checked_at", String(40), nullable=False),
)
"""The gate's latest verdict of a single run against a baseline, by the thresholds of the gate.

It holds while the run has this `prefix` and the baseline has the content that `against` is a hash
of. `metric`, `about` (attempt or device, "" for the run), `relative` and `delta` belong to the
number that decided, if any.
"""

VERSION = Table("tilescope_version", METADATA, Column("version_num", String(32), primary_key=True))
"""A single row with the revision of the tables; Alembic names the column."""

WORKS_BESIDE = Table(
    "tilescope_works_beside", METADATA, Column("revision", String(32), primary_key=True)
)
"""Older revisions whose releases may use these tables, see `storage.revisions`."""
