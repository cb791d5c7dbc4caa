"""Conditions under which a message of the outbox may be leased."""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import Connection, and_, exists, func, or_, select, update

from schema.code_hosts import CODE_HOSTS
from storage.alert_tables import ALERT_TURNS, DELIVERIES
from storage.catalogue import Catalogue
from storage.clock import seconds
from storage.upsert import put

WAITING = "waiting"
"""State of a message that is not sent yet and not given up."""
_LOCK_DIGITS = 26
"""Hexadecimal digits in the name of a lock, which has at most 32 characters."""


def is_due_message(connection: Connection) -> Any:  # noqa: ANN401 - an expression
    """Build the SQL condition that a message waits, may be sent now, and is not leased."""
    c = DELIVERIES.c
    now = seconds(connection)
    return and_(c.state == WAITING, c.due <= now, c.leased_until <= now)


def is_free(connection: Connection) -> Any:  # noqa: ANN401 - an expression
    """Build the SQL condition that no message of the same repository is leased, which messages of
    other channels always meet.

    Two messages about a post that does not exist yet would both create it.
    """
    own = DELIVERIES.c
    other = DELIVERIES.alias("leased")
    leased = select(other.c.delivery_id).where(
        other.c.channel == own.channel,
        func.lower(other.c.receiver) == func.lower(own.receiver),
        other.c.delivery_id != own.delivery_id,
        other.c.leased_until > seconds(connection),
    )
    return or_(own.channel.not_in(CODE_HOSTS), ~exists(leased.correlate(DELIVERIES)))


def lock_repository(connection: Connection, delivery_id: str) -> None:
    """Lock the repository of a message until the end of the transaction, if its channel has
    repositories.

    Without the lock, two transactions could lease two messages, since neither sees the lease that
    the other has not committed. Raises IntegrityError if another transaction creates the lock.
    """
    c = DELIVERIES.c
    columns = select(c.channel, func.lower(c.receiver)).where(
        c.delivery_id == delivery_id, c.channel.in_(CODE_HOSTS)
    )
    found = connection.execute(columns).first()
    if found is not None:
        digest = hashlib.sha256(" ".join(found).encode()).hexdigest()[:_LOCK_DIGITS]
        put(connection, ALERT_TURNS, {"name": f"post {digest}", "next_at": 0.0})


def postpone(catalogue: Catalogue, channel: str, wait_s: float) -> None:
    """Let all waiting messages of a channel wait for at least `wait_s` seconds.

    A rate limit is that of a token, which all messages of the channel use; GitHub may block a token
    whose requests continue.
    """
    c = DELIVERIES.c
    with catalogue.begin() as connection:
        due = seconds(connection) + wait_s
        here = and_(c.channel == channel, c.state == WAITING, c.due < due)
        connection.execute(update(DELIVERIES).where(here).values(due=due))
