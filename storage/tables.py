"""The tables of the catalogue as today's release has them; the migrations lead there."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Float, Integer, MetaData, String, Table

METADATA = MetaData()

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
)

VERSION = Table("tilescope_version", METADATA, Column("version_num", String(32), primary_key=True))
"""One row, the revision of the tables; Alembic names the column."""
