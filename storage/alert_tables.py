"""Tables of alerts: receivers, the last recorded state of each key, and the outbox of messages."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, Float, Integer, String, Table, Text

from storage.tables import METADATA

ALERTS = Table(
    "alerts",
    METADATA,
    Column("name", String(100), primary_key=True),
    Column("rule", String(100), nullable=False),
    Column("webhook", Text, nullable=False),
    Column("slack", Text, nullable=False),
    Column("mail", JSON, nullable=False),
    Column("events", JSON, nullable=False),
    Column("no_data_days", Float, nullable=False),
    Column("has_begun", Boolean, nullable=False),
    Column("changed_at", String(40), nullable=False),
    Column("github", Text),
    Column("gitlab", Text),
    Column("posts", JSON),
)
"""Alerts: receivers of messages about keys whose status by `rule` changes.

`has_begun` is set after the state of every key was recorded once, which sends no messages.
`webhook` and `slack` are addresses and secret; "" if not used. `github` and `gitlab` are names of
repositories, `posts` the kinds of posts there; null in rows of older releases.
"""

ALERT_STATES = Table(
    "alert_states",
    METADATA,
    Column("alert", String(100), primary_key=True),
    Column("series", String(64), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("run_id", String(64), nullable=False),
    Column("no_data", Boolean, nullable=False),
    Column("version", Integer, nullable=False),
)
"""State of each key when an alert last evaluated it.

`series` is the hash of the key, `version` counts the changes of its state, `run_id` is the run of
the last change. Rows about issues and commits have a prefix in `series`: see `services/alerts`.
"""

DELIVERIES = Table(
    "deliveries",
    METADATA,
    Column("delivery_id", String(32), primary_key=True),
    Column("alert", String(100), nullable=False),
    Column("event", String(16), nullable=False),
    Column("channel", String(16), nullable=False),
    Column("receiver", Text, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("state", String(16), nullable=False, index=True),
    Column("attempts", Integer, nullable=False),
    Column("error", Text, nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("due", Float, nullable=False),
    Column("owner", String(32)),
    Column("leased_until", Float, nullable=False),
)
"""Outbox and log of messages; `receiver` is a mail address, a repository, or only the host of a
webhook.

`due` and `leased_until` are seconds since 1970 by the database's clock. The process that holds the
lease sends the message.
"""

ALERT_TURNS = Table(
    "alert_turns",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("next_at", Float, nullable=False),
)
"""Next time of each periodic task (`name`) that only one server executes, in seconds since 1970.

The server that moves `next_at` forward executes the task. The table is named after its first user,
the alerts.
"""

INSTALLATION = Table(
    "installation",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("value", String(64), nullable=False),
)
"""Facts about the installation, which all servers of the catalogue share: row `id` is a random text
of 12 hex digits, created when it is first needed. Backups leave the table out: a restored store is
another installation.
"""
