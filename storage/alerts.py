"""Alerts in the catalogue, and the state of each key at their last evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from sqlalchemy import Connection, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from storage.alert_tables import ALERT_STATES, ALERTS, DELIVERIES
from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.deliveries import Delivery, insert_deliveries
from storage.delivery_leases import WAITING
from storage.errors import AlertNotFound
from storage.installation import installation_id
from storage.quotas import NAMED_ALERTS
from storage.turns import take_turn
from storage.upsert import put, transact


@dataclass(frozen=True)
class Alert:
    """A row of table `alerts`; its repr leaves out the addresses, which are secrets."""

    name: str
    rule: str
    webhook: str = field(default="", repr=False)
    slack: str = field(default="", repr=False)
    mail: Sequence[str] = ()
    events: Sequence[str] = ()
    no_data_days: float = 7.0
    has_begun: bool = False
    changed_at: str = ""
    github: str = ""
    gitlab: str = ""
    posts: Sequence[str] = ()

    @property
    def repositories(self) -> dict[str, str]:
        """Map the channels of code hosts that the alert uses to their repositories."""
        named = {"github": self.github, "gitlab": self.gitlab}
        return {channel: name for channel, name in named.items() if name}


@dataclass(frozen=True)
class KeyState:
    """State of a key at an alert's last evaluation; `series` is the key's hash, `version` 0 is not
    stored yet.
    """

    series: str
    state: str
    run_id: str = ""
    no_data: bool = False
    version: int = 0


class Alerts:
    """Reads and writes the alerts of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue with the alerts."""
        return self._catalogue

    def site(self) -> str:
        """Return the id of the installation, by which its posts differ from those of another."""
        return installation_id(self._catalogue)

    def set(self, alert: Alert) -> None:
        """Insert or replace the alert of this name, with `changed_at` the current time.

        `alert.has_begun` is ignored: the stored value stays if the rule is the same. Otherwise it
        becomes False and the recorded states of keys are deleted. Raises QuotaError if there are
        too many alerts.
        """
        before = self.find(alert.name)
        is_same = before is not None and before.rule == alert.rule
        row = asdict(alert) | {
            "mail": [*alert.mail],
            "events": [*alert.events],
            "posts": [*alert.posts],
            "changed_at": timestamp(),
        }
        # With another rule the state of all keys is recorded once more, without messages.
        row["has_begun"] = bool(before and is_same and before.has_begun)

        def write(connection: Connection) -> None:
            NAMED_ALERTS.check_name(connection, alert.name)
            put(connection, ALERTS, row)
            if not is_same:
                connection.execute(delete(ALERT_STATES).where(ALERT_STATES.c.alert == alert.name))

        transact(self._catalogue, write)

    def all(self) -> list[Alert]:
        """List the alerts, sorted by name; empty if there is no catalogue yet."""
        return [*map(_alert, self._catalogue.rows(select(*_COLUMNS).order_by(ALERTS.c.name)))]

    def find(self, name: str) -> Alert | None:
        """Look up an alert by its exact name; None if there is no such alert or no catalogue."""
        return next((alert for alert in self.all() if alert.name == name), None)

    def get(self, name: str) -> Alert:
        """Look up an alert by name; raises AlertNotFound if there is no such alert."""
        alert = self.find(name)
        if alert is None:
            raise AlertNotFound(f"there is no alert {name!r}")
        return alert

    def delete(self, name: str) -> None:
        """Delete an alert, its recorded states of keys and its waiting messages.

        Sent and dead messages stay in the log. Raises AlertNotFound if there is no such alert.
        """
        self.get(name)
        waiting = and_(DELIVERIES.c.alert == name, DELIVERIES.c.state == WAITING)
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(ALERTS).where(ALERTS.c.name == name))
            connection.execute(delete(ALERT_STATES).where(ALERT_STATES.c.alert == name))
            connection.execute(delete(DELIVERIES).where(waiting))

    def begin(self, alert: Alert) -> None:
        """Set `has_begun` of the stored alert, which means that the state of every key is recorded.

        If the alert was deleted or has got another rule meanwhile, the row is not changed.
        """
        here = and_(ALERTS.c.name == alert.name, ALERTS.c.rule == alert.rule)
        with self._catalogue.begin() as connection:
            connection.execute(update(ALERTS).where(here).values(has_begun=True))

    def states(self, name: str) -> dict[str, KeyState]:
        """Map the series (hash of a key) to the recorded state of each key of an alert; empty if no
        state is recorded.
        """
        with self._catalogue.connect() as connection:
            query = select(*_STATE_COLUMNS).where(ALERT_STATES.c.alert == name)
            return {row.series: KeyState(*row) for row in connection.execute(query)}

    def change_state(
        self, alert: Alert, before: KeyState, now: KeyState, messages: Sequence[Delivery]
    ) -> bool:
        """Write the new state of a key and the messages about it in one transaction; return True.

        Returns False, without a change, if another process has changed the state since `before` was
        read, or if the alert was deleted or has got another rule. The stored version is that of
        `before` plus 1.
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
        # Another process inserted the first state of this key at the same moment.
        except IntegrityError:
            return False
        return True

    def forget_states(self, name: str, prefix: str, kept: Sequence[str]) -> None:
        """Delete the states of an alert whose `series` begins with `prefix` and is not in `kept`.
        The prefix has no wildcard of SQL.
        """
        c = ALERT_STATES.c
        series = select(c.series).where(c.alert == name, c.series.like(f"{prefix}%"))
        with self._catalogue.begin() as connection:
            outdated = {*connection.scalars(series)} - {*kept}
            for one_series in outdated:
                here = and_(c.alert == name, c.series == one_series)
                connection.execute(delete(ALERT_STATES).where(here))

    def take_turn(self, every_s: float) -> bool:
        """Claim the evaluation of alerts: True if this process is the first in `every_s` seconds to
        do so.
        """
        return take_turn(self._catalogue, "evaluate", every_s)


def _alert(row: Sequence[Any]) -> Alert:
    alert = Alert(*row)
    # An older release leaves the repositories of a new row null.
    return replace(
        alert, github=alert.github or "", gitlab=alert.gitlab or "", posts=alert.posts or ()
    )


_COLUMNS = [ALERTS.c[attribute.name] for attribute in fields(Alert)]
_STATE_COLUMNS = [ALERT_STATES.c[attribute.name] for attribute in fields(KeyState)]
