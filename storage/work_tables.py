"""Tables of running work: uploads, jobs and their tasks, watched folders."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, Float, Index, Integer, String, Table, Text

from storage.tables import METADATA

UPLOADS = Table(
    "uploads",
    METADATA,
    Column("upload_id", String(32), primary_key=True),
    Column("user_name", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("sha256", String(64)),
    Column("settings", JSON, nullable=False),
    Column("parts", JSON, nullable=False),
    Column("offset", BigInteger, nullable=False),
    Column("touched_at", String(40), nullable=False),
)
"""Open uploads; `parts` names the files with the first `offset` bytes, in order."""

JOBS = Table(
    "jobs",
    METADATA,
    Column("job_id", String(32), primary_key=True),
    Column("kind", String(32), nullable=False),
    Column("state", String(16), nullable=False, index=True),
    Column("arguments", JSON, nullable=False),
    Column("total", Integer, nullable=False),
    Column("created_at", String(40), nullable=False, index=True),
    Column("created_by", Text, nullable=False),
    Column("started_at", String(40)),
    Column("ended_at", String(40)),
    Column("owner", String(64)),
    Column("beat", Float),
    Column("cancelled", Boolean, nullable=False),
    Column("message", Text, nullable=False),
)
"""Jobs: work on many files or runs.

`owner` is the process that distributes the tasks, `beat` its last heartbeat.
"""

JOB_TASKS = Table(
    "job_tasks",
    METADATA,
    Column("job_id", String(32), primary_key=True),
    Column("rank", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("answer", JSON),
)
"""Tasks: a file or run of a job with its state (waiting, done or failed) and result."""
Index("ix_job_tasks_state", JOB_TASKS.c.job_id, JOB_TASKS.c.state)

WATCHED = Table(
    "watched",
    METADATA,
    Column("path_hash", String(64), primary_key=True),
    Column("path", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("outcome", Text, nullable=False),
)
"""Files of watched folders with their state when they were tried, so that no file is tried twice.
"""

WATCHERS = Table(
    "watchers",
    METADATA,
    Column("watcher_id", String(64), primary_key=True),
    Column("folder", Text, nullable=False),
    Column("host", String(255), nullable=False),
    Column("user_name", Text, nullable=False),
    Column("started_at", String(40), nullable=False),
    Column("interval_s", Float, nullable=False),
    Column("beat", Float, nullable=False),
    Column("runs", Integer, nullable=False),
    Column("refused", Integer, nullable=False),
    Column("problem", Text, nullable=False),
)
"""Folders that commands watch; `beat` is the last look in seconds since 1970 by the database's
clock.

`runs` and `refused` count the results of files since the command started; `problem` is the error of
the last look. A command that ends deletes its row; a command that is killed leaves it.
"""
