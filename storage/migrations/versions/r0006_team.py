"""Who may do what, what people add to runs, and work under way; prefixes have a sign of life."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables, empty but for the tags of the runs, which the catalogue fills in with the emptied list."""
    op.add_column("pending", sa.Column("beat", sa.Float))
    op.execute("DELETE FROM listing")
    _people()
    _work()


def _text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def _people() -> None:
    op.create_table(
        "annotations",
        sa.Column("run_id", sa.String(64), primary_key=True),
        sa.Column("notes", sa.Text, nullable=False),
        sa.Column("tags", sa.JSON),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("changed_at", sa.String(40), nullable=False),
        sa.Column("changed_by", sa.Text, nullable=False),
    )
    op.create_table(
        "run_tags",
        sa.Column("run_id", sa.String(64), primary_key=True),
        sa.Column("tag", _text(), primary_key=True),
    )
    op.create_index("ix_run_tags_tag", "run_tags", ["tag", "run_id"])
    op.create_table(
        "saved_views",
        sa.Column("view_id", sa.String(32), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("token_id", sa.String(32), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scope", sa.String(8), nullable=False),
        sa.Column("secret_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("expires_at", sa.String(40)),
        sa.Column("used_at", sa.String(40)),
        sa.Column("revoked_at", sa.String(40)),
    )
    op.create_table(
        "sessions",
        sa.Column("secret_hash", sa.String(64), primary_key=True),
        sa.Column("user_key", sa.Text, nullable=False),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
        sa.Column("expires_at", sa.String(40), nullable=False),
    )
    op.create_table(
        "audit",
        sa.Column("entry_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("object", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
    op.create_index("ix_audit_at", "audit", ["at"])
    op.create_table(
        "limits",
        sa.Column("user_name", sa.String(255), primary_key=True),
        sa.Column("minute", sa.BigInteger, primary_key=True),
        sa.Column("uploads", sa.Integer, nullable=False),
    )


def _work() -> None:
    op.create_table(
        "uploads",
        sa.Column("upload_id", sa.String(32), primary_key=True),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.String(64)),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("parts", sa.JSON, nullable=False),
        sa.Column("offset", sa.BigInteger, nullable=False),
        sa.Column("touched_at", sa.String(40), nullable=False),
    )
    op.create_table(
        "jobs",
        sa.Column("job_id", sa.String(32), primary_key=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("arguments", sa.JSON, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("started_at", sa.String(40)),
        sa.Column("ended_at", sa.String(40)),
        sa.Column("owner", sa.String(64)),
        sa.Column("beat", sa.Float),
        sa.Column("cancelled", sa.Boolean, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
    )
    op.create_index("ix_jobs_state", "jobs", ["state"])
    op.create_index("ix_jobs_created_at", "jobs", ["created_at"])
    op.create_table(
        "job_tasks",
        sa.Column("job_id", sa.String(32), primary_key=True),
        sa.Column("rank", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("answer", sa.JSON),
    )
    op.create_index("ix_job_tasks_state", "job_tasks", ["job_id", "state"])
    op.create_table(
        "watched",
        sa.Column("path_hash", sa.String(64), primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("mtime_ns", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
    )
