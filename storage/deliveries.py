"""The outbox of alerts in the catalogue; each message is sent by the process that leases it."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from storage.alert_tables import DELIVERIES
from storage.catalogue import Catalogue
from storage.clock import seconds, timestamp
from storage.delivery_leases import WAITING, is_due_message, is_free, lock_repository
from storage.errors import AlertNotFound
from storage.text import plain_text
from storage.upsert import put, transact

SENT, DEAD = "sent", "dead"
"""Further states of messages; a dead message has failed too often."""
_LOG_AGE = timedelta(days=90)
"""Age after which sent and dead messages are deleted."""
_MAX_ERROR_LENGTH = 500


@dataclass(frozen=True)
class Delivery:
    """A message of an alert through a channel; `receiver` is a mail address, a repository of a code
    host, or only the host of a webhook.
    """

    delivery_id: str
    alert: str
    event: str
    channel: str
    receiver: str
    payload: Mapping[str, Any] = field(repr=False)
    state: str = WAITING
    attempts: int = 0
    error: str = ""
    created_at: str = ""

    def record(self) -> dict[str, object]:
        """Convert the message to a dict for the log of deliveries.

        Its keys are id, alert, event, key (None if the payload has no key), channel, receiver,
        state, attempts, error and created_at.
        """
        own = {
            "id": self.delivery_id,
            "alert": self.alert,
            "event": self.event,
            "key": self.payload.get("key"),
        }
        names = ("channel", "receiver", "state", "attempts", "error", "created_at")
        return own | {name: getattr(self, name) for name in names}


class DueMessage(NamedTuple):
    """A message that may be sent now, and the channel of the alert that it is sent through."""

    delivery_id: str
    alert: str
    channel: str


class Deliveries:
    """Reads and writes the messages of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def log(self, limit: int = 500) -> list[Delivery]:
        """List the messages of any state, newest first, at most `limit`; empty if there is no
        catalogue.
        """
        c = DELIVERIES.c
        query = select(*_COLUMNS).order_by(c.created_at.desc(), c.delivery_id).limit(limit)
        return [Delivery(*row) for row in self._catalogue.rows(query)]

    def waiting(self, limit: int) -> list[Delivery]:
        """List the messages that wait to be sent, the next first, at most `limit`; empty if there
        is no catalogue.
        """
        c = DELIVERIES.c
        query = select(*_COLUMNS).where(c.state == WAITING)
        first_due = [c.due, c.created_at, c.delivery_id]
        rows = self._catalogue.rows(query.order_by(*first_due).limit(limit))
        return [Delivery(*row) for row in rows]

    def counts(self) -> dict[str, int]:
        """Map each state (waiting, sent, dead) to its number of messages, 0 for a state without
        messages.
        """
        counts = dict.fromkeys((WAITING, SENT, DEAD), 0)
        if not self._catalogue.is_created():
            return counts
        state = DELIVERIES.c.state
        with self._catalogue.connect() as connection:
            rows = connection.execute(select(state, func.count().label("messages")).group_by(state))
            return counts | {row.state: row.messages for row in rows}

    def now(self) -> float:
        """Read the database's time in seconds since 1970; 0.0 if there is no catalogue yet."""
        if not self._catalogue.is_created():
            return 0.0
        with self._catalogue.connect() as connection:
            return float(connection.execute(select(seconds(connection))).scalar_one())

    def due(self, limit_each: int, until: float = math.inf) -> list[DueMessage]:
        """List waiting messages that may be sent now and that no process has leased, oldest first.

        Messages of a repository wait while another of its messages is leased. At most `limit_each`
        messages of each channel of an alert are listed, so that a long queue
        of a channel does not delay the other channels. Messages that became due after `until` (see
        `now`) are left out. Empty if there is no catalogue.
        """
        if not self._catalogue.is_created():
            return []
        c = DELIVERIES.c
        oldest_first = [c.due, c.created_at, c.delivery_id]
        rank = (
            func.row_number()
            .over(partition_by=[c.alert, c.channel], order_by=oldest_first)
            .label("rank")
        )
        with self._catalogue.connect() as connection:
            is_due = and_(is_due_message(connection), is_free(connection))
            if math.isfinite(until):
                is_due = and_(is_due, c.due <= until)
            ranked = select(*oldest_first, c.alert, c.channel, rank).where(is_due).subquery()
            r = ranked.c
            first = select(r.delivery_id, r.alert, r.channel).where(r.rank <= limit_each)
            rows = connection.execute(first.order_by(r.due, r.created_at, r.delivery_id))
            return [DueMessage(*row) for row in rows]

    def claim(self, delivery_id: str, owner: str, lease_s: float) -> Delivery | None:
        """Lease a message to process `owner` for `lease_s` seconds and return it.

        Returns None if there is no such message, if it is not waiting or not due yet, if another
        process has leased it, or if another message of its repository is leased.
        """
        try:
            return self._claim(delivery_id, owner, lease_s)
        # Another process created the lock of the repository at the same moment.
        except IntegrityError:
            return None

    def _claim(self, delivery_id: str, owner: str, lease_s: float) -> Delivery | None:
        here = DELIVERIES.c.delivery_id == delivery_id
        with self._catalogue.begin() as connection:
            lock_repository(connection, delivery_id)
            row = {"owner": owner, "leased_until": seconds(connection) + lease_s}
            # Condition and change in a single statement: of several processes only one gets the
            # message.
            lease = update(DELIVERIES).where(here, is_due_message(connection), is_free(connection))
            if connection.execute(lease.values(row)).rowcount == 0:
                return None
            claimed = connection.execute(select(*_COLUMNS).where(here)).one()
        return Delivery(*claimed)

    def finish(
        self,
        message: Delivery,
        owner: str,
        error: str,
        again_s: float | None,
        *,
        is_counted: bool = True,
    ) -> bool:
        """Record the result of an attempt to send a message that `owner` has leased; return True.

        Without an `error` the message is sent. With an error it is due again after `again_s`
        seconds, or dead if `again_s` is None. An attempt that is not counted does not use up the
        configured attempts. Returns False, without a change, if the lease has
        expired and another process has leased the message, or if the message was deleted.
        """
        c = DELIVERIES.c
        state = SENT if not error else DEAD if again_s is None else WAITING
        with self._catalogue.begin() as connection:
            row: dict[str, Any] = {
                "state": state,
                "attempts": c.attempts + int(is_counted),
                "error": plain_text(error)[:_MAX_ERROR_LENGTH],
            }
            row |= {
                "owner": None,
                "leased_until": 0.0,
                "due": seconds(connection) + (again_s or 0.0),
            }
            own = and_(c.delivery_id == message.delivery_id, c.owner == owner)
            return connection.execute(update(DELIVERIES).where(own).values(row)).rowcount > 0

    def record(self, message: Delivery) -> None:
        """Insert or replace a message in the state that it has, for an attempt made without the
        outbox.
        """
        transact(
            self._catalogue, lambda connection: put(connection, DELIVERIES, _row(message, 0.0))
        )

    def retry(self, delivery_id: str) -> None:
        """Set a dead message to waiting and due immediately, with its attempts counted from 0.

        Raises AlertNotFound if there is no dead message of this id.
        """
        c = DELIVERIES.c
        here = and_(c.delivery_id == delivery_id, c.state == DEAD)
        row = {"state": WAITING, "attempts": 0, "due": 0.0}
        if self._catalogue.is_created():
            with self._catalogue.begin() as connection:
                if connection.execute(update(DELIVERIES).where(here).values(row)).rowcount:
                    return
        raise AlertNotFound(f"there is no message {delivery_id!r} that was given up")

    def forget_old(self) -> None:
        """Delete sent and dead messages that were created more than 90 days ago (_LOG_AGE)."""
        if not self._catalogue.is_created():
            return
        c = DELIVERIES.c
        old = and_(c.state != WAITING, c.created_at < timestamp(-_LOG_AGE))
        with self._catalogue.begin() as connection:
            connection.execute(delete(DELIVERIES).where(old))


def new_delivery_id() -> str:
    """Generate a random id of 32 hexadecimal digits, by which receivers recognise a message that is
    sent again.
    """
    return secrets.token_hex(16)


def insert_deliveries(connection: Connection, messages: Sequence[Delivery]) -> None:
    """Insert messages into the outbox, due immediately, within the caller's transaction.

    A message whose `created_at` is "" gets the current time.
    """
    if messages:
        connection.execute(insert(DELIVERIES), [_row(message, 0.0) for message in messages])


def _row(message: Delivery, due: float) -> dict[str, Any]:
    own = asdict(message) | {
        "payload": dict(message.payload),
        "created_at": message.created_at or timestamp(),
    }
    return own | {"due": due, "owner": None, "leased_until": 0.0}


_COLUMNS = [DELIVERIES.c[attribute.name] for attribute in fields(Delivery)]
