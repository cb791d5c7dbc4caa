"""Alerts in the catalogue, and what each key was at when they looked last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields

from sqlalchemy import Connection, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from storage.alert_tables import ALERT_STATES, ALERTS, DELIVERIES
from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.deliveries import WAITING, Delivery, insert_deliveries
from storage.errors import AlertNotFound
from storage.quotas import NAMED_ALERTS
from storage.turns import take_turn
from storage.upsert import put, transact


@dataclass(frozen=True)
class Alert:
    """A row of table `alerts`; the addresses are secrets and in no text of it."""

    name: str
    rule: str
    webhook: str = field(default="", repr=False)
    slack: str = field(default="", repr=False)
    mail: Sequence[str] = ()
    events: Sequence[str] = ()
    no_data_days: float = 7.0
    has_begun: bool = False
    changed_at: str = ""


@dataclass(frozen=True)
class KeyState:
    """What a key (`series` is a hash of it) was at; `version` 0 is of one that is not recorded yet."""

    series: str
    state: str
    run_id: str = ""
    no_data: bool = False
    version: int = 0


class Alerts:
    """The alerts of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def set(self, alert: Alert) -> None:
        """Write an alert in place of the one of its name; of another rule, it begins anew."""
        before = self.find(alert.name)
        is_same = before is not None and before.rule == alert.rule
        row = asdict(alert) | {"mail": [*alert.mail], "events": [*alert.events], "changed_at": timestamp()}
        row["has_begun"] = bool(before and is_same and before.has_begun)

        def write(connection: Connection) -> None:
            NAMED_ALERTS.check_name(connection, alert.name)
            put(connection, ALERTS, row)
            if not is_same:
                connection.execute(delete(ALERT_STATES).where(ALERT_STATES.c.alert == alert.name))

        transact(self._catalogue, write)

    def all(self) -> list[Alert]:
        """Return the alerts by name."""
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            return [Alert(*row) for row in connection.execute(select(*_COLUMNS).order_by(ALERTS.c.name))]

    def find(self, name: str) -> Alert | None:
        """Return an alert, None where there is none of the name."""
        return next((alert for alert in self.all() if alert.name == name), None)

    def get(self, name: str) -> Alert:
        """Return an alert; raises AlertNotFound."""
        found = self.find(name)
        if found is None:
            raise AlertNotFound(f"there is no alert {name!r}")
        return found

    def delete(self, name: str) -> None:
        """Delete an alert and its messages that wait; those that were sent stay in the log. Raises AlertNotFound."""
        self.get(name)
        waiting = and_(DELIVERIES.c.alert == name, DELIVERIES.c.state == WAITING)
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(ALERTS).where(ALERTS.c.name == name))
            connection.execute(delete(ALERT_STATES).where(ALERT_STATES.c.alert == name))
            connection.execute(delete(DELIVERIES).where(waiting))

    def begin(self, alert: Alert) -> None:
        """Put down that every key of an alert was recorded, unless it was set to another rule meanwhile."""
        here = and_(ALERTS.c.name == alert.name, ALERTS.c.rule == alert.rule)
        with self._catalogue.begin() as connection:
            connection.execute(update(ALERTS).where(here).values(has_begun=True))

    def states(self, name: str) -> dict[str, KeyState]:
        """Return what the keys were at, by their series."""
        with self._catalogue.connect() as connection:
            asked = select(*_STATE_COLUMNS).where(ALERT_STATES.c.alert == name)
            return {row.series: KeyState(*row) for row in connection.execute(asked)}

    def change_state(self, alert: Alert, before: KeyState, now: KeyState, messages: Sequence[Delivery]) -> bool:
        """Write what a key is at with the messages about it, all or nothing.

        Return False where another process changed the state since it was read, or the alert is gone.
        """
        row = asdict(now) | {"alert": alert.name, "version": before.version + 1}
        c = ALERT_STATES.c
        here = and_(c.alert == alert.name, c.series == before.series, c.version == before.version)
        own = and_(ALERTS.c.name == alert.name, ALERTS.c.rule == alert.rule)
        try:
            with self._catalogue.begin() as connection:
                if connection.scalar(select(ALERTS.c.name).where(own)) is None:
                    return False
                if before.version == 0:
                    connection.execute(insert(ALERT_STATES).values(row))
                elif connection.execute(update(ALERT_STATES).where(here).values(row)).rowcount == 0:
                    return False
                insert_deliveries(connection, messages)
        except IntegrityError:
            return False
        return True

    def take_turn(self, every_s: float) -> bool:
        """Return whether it is this process's turn to evaluate, which is so once in `every_s` of all processes."""
        return take_turn(self._catalogue, "evaluate", every_s)


_COLUMNS = [ALERTS.c[one.name] for one in fields(Alert)]
_STATE_COLUMNS = [ALERT_STATES.c[one.name] for one in fields(KeyState)]
