"""The tables of alerts: who is told of what, what each key was at, and the outbox of messages."""

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
)
"""Who is told of changes that a rule says of keys; `has_begun` once every key was recorded, which sends nothing.

`webhook` and `slack` are addresses and secrets ("": none).
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
"""What a key was at when an alert looked last; `version` counts its changes, `run_id` is the run of the last one."""

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
"""Messages to send and those that were; `receiver` is a mail address, else the host alone.

`due` and `leased_until` are seconds since 1970 by the database's clock. Who has the lease sends.
"""

ALERT_TURNS = Table(
    "alert_turns",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("next_at", Float, nullable=False),
)
"""When servers do something next, in seconds since 1970, by what it is: the one that moves it on does it.

Alerts were the first to need it.
"""
