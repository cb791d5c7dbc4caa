"""Tables of release 0.3.0: the list of runs, baselines, rules, alerts, jobs, and what people save.

Development versions between 0.2.0 and 0.3.0 had the revisions 0003 to 0017, which this migration joins.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0002"

_METRICS = (
    *(
        "gmacs_mean",
        "gmacs_best",
        "utilization",
        "kernels",
        "busy_share",
        "kernel_time",
        "flops_total",
    ),
    *("peak_memory", "capacity_use", "failed_blocks", "memory_waste"),
)
_FACETS = ("source", "hwid", "gemm_m", "gemm_k", "gemm_n", "m", "k", "n", "grid", "mac_dtype")


def upgrade() -> None:
    """Create the tables of release 0.3.0; the catalogue fills the list of runs in the same
    transaction.
    """
    op.add_column("pending", sa.Column("beat", sa.Float))
    _create_list()
    _create_baselines()
    _create_key_results()
    _create_annotations()
    _create_accounts()
    _create_work()
    _create_alerts()
    op.create_table(
        "tilescope_works_beside", sa.Column("revision", sa.String(32), primary_key=True)
    )


def _sorted_texts(*names: str) -> list[sa.Column[str]]:
    """Build a required text column per name, which every database sorts by Unicode code point."""
    return [sa.Column(name, _sorted_text(), nullable=False) for name in names]


def _sorted_text() -> sa.types.TypeEngine[str]:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _key(name: str, length: int) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), primary_key=True)


def _string(name: str, length: int = 40) -> sa.Column[str]:
    """Build a required column for a text of up to `length` characters, by default those of a time
    of the clock.
    """
    return sa.Column(name, sa.String(length), nullable=False)


def _floats(*names: str) -> list[sa.Column[float]]:
    return [sa.Column(name, sa.Float) for name in names]


def _big_integers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger) for name in names]


def _create_list() -> None:
    op.create_table(
        "listing",
        _key("run_id", 64),
        _string("prefix", 255),
        *_sorted_texts("source", "hwid", "name", "file", "tags"),
        *_big_integers("gemm_m", "gemm_k", "gemm_n"),
        *_floats("size"),
        *_sorted_texts("date", "created_at", "searched"),
        sa.Column("health", sa.Integer, nullable=False),
        *_floats(*_METRICS, "best_in_peak"),
        sa.Column("valued", sa.Integer, nullable=False),
        sa.Column("likeness", sa.String(32)),
        *_big_integers("m", "k", "n"),
        *_sorted_texts("grid", "mac_dtype", "branch", "commit"),
        *_big_integers("observations"),
        *_floats("step_time"),
        *_big_integers("search_id", "stored_bytes"),
    )
    op.create_index(
        "ix_listing_counted", "listing", [*_FACETS, "valued", "gmacs_mean", "best_in_peak"]
    )
    op.create_index("ix_listing_hwid", "listing", ["hwid", "created_at"])
    op.create_index("ix_listing_date", "listing", ["date", "run_id"])
    op.create_index("ix_listing_rate", "listing", ["gmacs_mean", "date", "run_id"])
    op.create_index("ix_listing_likeness", "listing", ["likeness", "date"])
    op.create_index("ix_listing_search_id", "listing", ["search_id"])
    op.create_index("ix_listing_stored", "listing", ["source", "created_at", "stored_bytes"])
    op.create_table("listing_state", _key("version", 32), sa.Column("kept_version", sa.String(32)))
    op.create_table(
        "observations",
        _key("run_id", 64),
        sa.Column("number", sa.Integer, primary_key=True),
        *_sorted_texts("date", "taken_at", "taken_from", "commit", "branch", "file"),
        _string("observed_at"),
        *_texts("observed_by"),
    )
    for name in ("commit", "branch", "date"):
        op.create_index(f"ix_observations_{name}", "observations", [name, "run_id"])


def _create_baselines() -> None:
    op.create_table(
        "baselines",
        _key("name", 100),
        sa.Column("runs", sa.JSON, nullable=False),
        _string("changed_at"),
        sa.Column("last", sa.Integer),
        sa.Column("key", sa.JSON),
    )
    op.create_table(
        "checks",
        _key("baseline", 100),
        _key("run_id", 64),
        _string("prefix", 255),
        _string("against", 64),
        _string("verdict", 16),
        *_texts("reason"),
        _string("metric", 64),
        *_texts("about"),
        *_floats("relative", "delta"),
        _string("checked_at"),
    )
    op.create_table(
        "rules",
        _key("name", 100),
        sa.Column("last", sa.Integer, nullable=False),
        *_texts("branch", "source", "hwid"),
        *_big_integers("gemm_m", "gemm_k", "gemm_n"),
        _string("changed_at"),
    )
    op.create_table(
        "rule_verdicts",
        _key("rule", 100),
        _key("run_id", 64),
        _key("date", 40),
        _string("prefix", 255),
        _string("against", 64),
        _string("verdict", 16),
        *_texts("reason"),
        _string("metric", 64),
        *_floats("value", "base", "relative", "main"),
    )
    op.create_table(
        "acknowledgements",
        _key("rule", 100),
        _key("series", 64),
        _string("run_id", 64),
        _string("date"),
        _string("metric", 64),
        *_floats("value"),
        *_texts("note", "changed_by"),
        _string("changed_at"),
    )


def _create_key_results() -> None:
    for name, first_key, length in (("key_status", "rule", 100), ("key_trends", "metric", 64)):
        op.create_table(
            name,
            _key(first_key, length),
            _key("likeness", 32),
            _string("made_by", 64),
            sa.Column("keys", sa.JSON, nullable=False),
        )
        op.create_index(f"ix_{name}_likeness", name, ["likeness"])


def _create_annotations() -> None:
    op.create_table(
        "annotations",
        _key("run_id", 64),
        *_texts("notes"),
        sa.Column("tags", sa.JSON),
        sa.Column("pinned", sa.Boolean, nullable=False),
        _string("changed_at"),
        *_texts("changed_by"),
    )
    op.create_table(
        "run_tags", _key("run_id", 64), sa.Column("tag", _sorted_text(), primary_key=True)
    )
    op.create_index("ix_run_tags_tag", "run_tags", ["tag", "run_id"])
    op.create_table(
        "kept_answers",
        _key("run_id", 64),
        sa.Column("number", sa.Integer, primary_key=True),
        *_texts("title", "query"),
        sa.Column("question", sa.JSON, nullable=False),
        _string("problem", 64),
        *(sa.Column(name, sa.JSON, nullable=False) for name in ("answer", "addresses")),
        _string("kept_at"),
        *_texts("kept_by"),
        sa.Column("removed", sa.Boolean, nullable=False),
    )
    for name, key, content in (
        ("saved_views", "view_id", "query"),
        ("saved_queries", "query_id", "sql"),
    ):
        op.create_table(
            name,
            _key(key, 32),
            *_texts("name", content),
            _string("created_at"),
            *_texts("created_by"),
        )


def _create_accounts() -> None:
    op.create_table(
        "tokens",
        _key("token_id", 32),
        *_texts("name"),
        _string("scope", 8),
        _string("secret_hash", 64),
        _string("created_at"),
        *_texts("created_by"),
        *(sa.Column(name, sa.String(40)) for name in ("expires_at", "used_at", "revoked_at")),
    )
    op.create_table(
        "sessions",
        _key("secret_hash", 64),
        *_texts("user_key", "user_name"),
        _string("created_at"),
        _string("expires_at"),
    )
    op.create_table(
        "audit",
        sa.Column("entry_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        _string("at"),
        *_texts("user_name"),
        _string("action"),
        *_texts("object", "detail"),
    )
    op.create_index("ix_audit_at", "audit", ["at"])
    op.create_table(
        "limits",
        _key("user_name", 255),
        sa.Column("minute", sa.BigInteger, primary_key=True),
        sa.Column("uploads", sa.Integer, nullable=False),
    )


def _create_work() -> None:
    op.create_table(
        "uploads",
        _key("upload_id", 32),
        *_texts("user_name", "name"),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.String(64)),
        *(sa.Column(name, sa.JSON, nullable=False) for name in ("settings", "parts")),
        sa.Column("offset", sa.BigInteger, nullable=False),
        _string("touched_at"),
    )
    op.create_table(
        "jobs",
        _key("job_id", 32),
        _string("kind", 32),
        _string("state", 16),
        sa.Column("arguments", sa.JSON, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        _string("created_at"),
        *_texts("created_by"),
        *(sa.Column(name, sa.String(40)) for name in ("started_at", "ended_at")),
        sa.Column("owner", sa.String(64)),
        *_floats("beat"),
        sa.Column("cancelled", sa.Boolean, nullable=False),
        *_texts("message"),
    )
    op.create_index("ix_jobs_state", "jobs", ["state"])
    op.create_index("ix_jobs_created_at", "jobs", ["created_at"])
    op.create_table(
        "job_tasks",
        _key("job_id", 32),
        sa.Column("rank", sa.Integer, primary_key=True),
        *_texts("name"),
        _string("state", 16),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("answer", sa.JSON),
    )
    op.create_index("ix_job_tasks_state", "job_tasks", ["job_id", "state"])
    op.create_table(
        "watched",
        _key("path_hash", 64),
        *_texts("path"),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("size", "mtime_ns")),
        *_texts("outcome"),
    )
    op.create_table(
        "watchers",
        _key("watcher_id", 64),
        *_texts("folder"),
        _string("host", 255),
        *_texts("user_name"),
        _string("started_at"),
        *(sa.Column(name, sa.Float, nullable=False) for name in ("interval_s", "beat")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("runs", "refused")),
        *_texts("problem"),
    )


def _create_alerts() -> None:
    op.create_table(
        "alerts",
        _key("name", 100),
        _string("rule", 100),
        *_texts("webhook", "slack"),
        *(sa.Column(name, sa.JSON, nullable=False) for name in ("mail", "events")),
        sa.Column("no_data_days", sa.Float, nullable=False),
        sa.Column("has_begun", sa.Boolean, nullable=False),
        _string("changed_at"),
    )
    op.create_table(
        "alert_states",
        _key("alert", 100),
        _key("series", 64),
        _string("state", 16),
        _string("run_id", 64),
        sa.Column("no_data", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_table(
        "deliveries",
        _key("delivery_id", 32),
        _string("alert", 100),
        *(_string(name, 16) for name in ("event", "channel")),
        *_texts("receiver"),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        *_texts("error"),
        _string("created_at"),
        sa.Column("due", sa.Float, nullable=False),
        sa.Column("owner", sa.String(32)),
        sa.Column("leased_until", sa.Float, nullable=False),
    )
    op.create_table("alert_turns", _key("name", 32), sa.Column("next_at", sa.Float, nullable=False))
