"""Tables about users: annotations, saved objects, tokens, sessions, and the audit log."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, Index, Integer, String, Table, Text

from storage.tables import METADATA, text

ANNOTATIONS = Table(
    "annotations",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("notes", Text, nullable=False),
    Column("tags", JSON),
    Column("pinned", Boolean, nullable=False),
    Column("changed_at", String(40), nullable=False),
    Column("changed_by", Text, nullable=False),
)
"""Annotations of runs; `tags` null: the tags of the run's ingest."""

SAVED_PLACEMENTS = Table(
    "kept_answers",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("title", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("question", JSON, nullable=False),
    Column("problem", String(64), nullable=False),
    Column("answer", JSON, nullable=False),
    Column("addresses", JSON, nullable=False),
    Column("kept_at", String(40), nullable=False),
    Column("kept_by", Text, nullable=False),
    Column("removed", Boolean, nullable=False),
)
"""Placements of the lab that users saved with runs.

`query` is the query string of the lab's page, `problem` the fingerprint of the placed blocks.
`number` counts from 1 within a run. `addresses` has one entry per storage of the problem;
`question` and `answer` have the remaining data. Links contain numbers, so a number is never reused:
the last row of a run stays without its content after its removal.
"""

RUN_TAGS = Table(
    "run_tags",
    METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("tag", text(), primary_key=True),
)
"""A row per tag of a run, maintained together with table `listing`."""
Index("ix_run_tags_tag", RUN_TAGS.c.tag, RUN_TAGS.c.run_id)

SAVED_VIEWS = Table(
    "saved_views",
    METADATA,
    Column("view_id", String(32), primary_key=True),
    Column("name", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("created_by", Text, nullable=False),
)
"""Saved filters, sorting and columns of the list of runs."""

SAVED_QUERIES = Table(
    "saved_queries",
    METADATA,
    Column("query_id", String(32), primary_key=True),
    Column("name", Text, nullable=False),
    Column("sql", Text, nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("created_by", Text, nullable=False),
)
"""Saved SQL queries."""

TOKENS = Table(
    "tokens",
    METADATA,
    Column("token_id", String(32), primary_key=True),
    Column("name", Text, nullable=False),
    Column("scope", String(8), nullable=False),
    Column("secret_hash", String(64), nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("created_by", Text, nullable=False),
    Column("expires_at", String(40)),
    Column("used_at", String(40)),
    Column("revoked_at", String(40)),
)
"""Tokens of the HTTP API, with the SHA-256 of each token instead of its text."""

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("secret_hash", String(64), primary_key=True),
    Column("user_key", Text, nullable=False),
    Column("user_name", Text, nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("expires_at", String(40), nullable=False),
)
"""Signed-in browsers: the SHA-256 of the cookie, and the user."""

AUDIT = Table(
    "audit",
    METADATA,
    Column(
        "entry_id",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=True,
    ),
    Column("at", String(40), nullable=False, index=True),
    Column("user_name", Text, nullable=False),
    Column("action", String(40), nullable=False),
    Column("object", Text, nullable=False),
    Column("detail", Text, nullable=False),
)
"""Audit log: user, action and object of every change; rows are added and never changed."""

LIMITS = Table(
    "limits",
    METADATA,
    Column("user_name", String(255), primary_key=True),
    Column("minute", BigInteger, primary_key=True),
    Column("uploads", Integer, nullable=False),
)
"""Number of uploads that a user began in a minute since 1970."""
