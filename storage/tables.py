"""The tables of the catalogue as today's release has them; the migrations lead there."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Float, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.types import TypeEngine

from schema.run_columns import LISTED_COLUMNS, Origin, RunColumn

METADATA = MetaData()


def text() -> TypeEngine[str]:
    """Return a type of text that every database sorts by code point."""
    return Text().with_variant(Text(collation="C"), "postgresql")


RUNS = Table(
    "runs",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("source", String(64), nullable=False, index=True),
    Column("hwid", String(255), nullable=False, index=True),
    # SQLite does not distinguish M from m, so the GEMM's sizes have names of their own
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
"""`since` and `beat`, the last sign of life of who writes there, are seconds since 1970 by the database's clock."""

VALUED: Mapping[str, int] = MappingProxyType(
    {column.name: column.bit for column in LISTED_COLUMNS if column.bit is not None}
)
"""Columns that a run may have a value in or not -> their bits; `created_at`: one that is not its date."""
LISTED_METRICS = tuple(sorted((c.name for c in LISTED_COLUMNS if c.origin is Origin.HEADLINE), key=VALUED.__getitem__))
"""Headline metrics that the list of runs sorts and sums up by."""
LISTED_TEXTS = tuple(c.name for c in LISTED_COLUMNS if c.origin is Origin.RUN and not c.format.is_number)
"""Texts of frame `run` that the list of runs sorts by."""
LISTED_NUMBERS = tuple(c.name for c in LISTED_COLUMNS if c.origin is Origin.RUN and c.format.is_number)
"""Whole numbers of frame `run` that the list of runs sorts by."""
_BITS_OF_0003, _BITS_OF_0017 = 17, 26
"""Bits of the columns that table `listing` had in these revisions: later columns follow, as a database adds them."""


def _later_columns(first_bit: int, end_bit: float = float("inf")) -> list[Column[Any]]:
    """Return the columns of table `listing` with bits from `first_bit` to before `end_bit`, in their order."""
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
    *_later_columns(_BITS_OF_0017),
)
"""What the list of runs filters, sorts and counts by, a narrow row per run; the rest is read of the runs it shows.

`size` is M*K*N, `date` the capture's, else the ingest's, `searched` what the search looks through, in small letters,
`best_in_peak` the best rate of a run at or below its peak, `valued` the bit of each name of VALUED that has a value,
`likeness` the hash of its key ("" of a damaged run, null of one that a release without the column listed), `search_id`
its row in the FTS5 table that has `searched`, see `storage.search_index` (null where it is in none), `stored_bytes` the
size of its frames' files (null where an older release wrote them).
"""
_FACETS = ("source", "hwid", "M", "K", "N", "m", "k", "n", "grid", "mac_dtype")
COUNTED = (*_FACETS, "valued", "gmacs_mean", "best_in_peak")
"""Columns that counts of all runs need, so that an index answers them."""
Index("ix_listing_counted", *(LISTING.c[name] for name in COUNTED))
Index("ix_listing_hwid", LISTING.c.hwid, LISTING.c.created_at)
Index("ix_listing_date", LISTING.c.date, LISTING.c.run_id)
Index("ix_listing_rate", LISTING.c.gmacs_mean, LISTING.c.date, LISTING.c.run_id)
Index("ix_listing_likeness", LISTING.c.likeness, LISTING.c.date)
Index("ix_listing_search_id", LISTING.c.search_id)
Index("ix_listing_stored", LISTING.c.source, LISTING.c.created_at, LISTING.c.stored_bytes)

OBSERVATIONS = Table(
    "observations",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("number", Integer, primary_key=True),
    *(Column(name, text(), nullable=False) for name in ("date", "taken_at", "taken_from", "commit", "branch", "file")),
    Column("observed_at", String(40), nullable=False),
    Column("observed_by", Text, nullable=False),
)
"""Captures of the content of a run, which is stored once; every run has one or more.

`number` counts from 1 in a run, `date` is `taken_at`, else `observed_at`. The run itself has what its newest one says.
"""
Index("ix_observations_commit", OBSERVATIONS.c.commit, OBSERVATIONS.c.run_id)
Index("ix_observations_branch", OBSERVATIONS.c.branch, OBSERVATIONS.c.run_id)
Index("ix_observations_date", OBSERVATIONS.c.date, OBSERVATIONS.c.run_id)

LISTING_STATE = Table(
    "listing_state", METADATA, Column("version", String(32), primary_key=True), Column("kept_version", String(32))
)
"""One row, another `version` after every change of the runs, of baselines and of rules.

`kept_version` is equal while all who changed the runs took out what was kept of their keys: a release that does not
know the column leaves it behind.
"""

KEY_TRENDS = Table(
    "key_trends",
    METADATA,
    Column("metric", String(64), primary_key=True),
    Column("likeness", String(32), primary_key=True),
    Column("made_by", String(64), nullable=False),
    Column("keys", JSON, nullable=False),
)
"""What trends of a metric need of the keys whose runs have a `likeness`, see `services.trends.kept_trends`.

Every change of a run takes the rows of its likeness out (`storage.listing`). `made_by` names the rules of the analysis
that it was made by.
"""
Index("ix_key_trends_likeness", KEY_TRENDS.c.likeness)

BASELINES = Table(
    "baselines",
    METADATA,
    Column("name", String(100), primary_key=True),
    Column("runs", JSON, nullable=False),
    Column("changed_at", String(40), nullable=False),
    Column("last", Integer),
    Column("key", JSON),
)
"""Names for runs that others are compared with; `runs` is a list of their ids, in the order given.

`last` is how many runs of the key a rolling baseline has; the run that gave the key is its `runs`. `key` is what the
runs have in common (see `schema.likeness`), null of a baseline that a release without the column set.
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
    Column("metric", String(64), nullable=False),
    Column("about", Text, nullable=False),
    Column("relative", Float),
    Column("delta", Float),
    Column("checked_at", String(40), nullable=False),
)
"""The last verdict of the gate about a run alone, by its own thresholds, against a baseline.

It holds while the run has this `prefix` and the baseline the content that `against` is a hash of. `metric`, `about`
(of which attempt or device, "" of the run), `relative` and `delta` are of the number that decided, if any did.
"""

VERSION = Table("tilescope_version", METADATA, Column("version_num", String(32), primary_key=True))
"""One row, the revision of the tables; Alembic names the column."""

WORKS_BESIDE = Table("tilescope_works_beside", METADATA, Column("revision", String(32), primary_key=True))
"""The older revisions whose releases may go on with these tables, see `storage.revisions`."""
