"""Turns for periodic tasks: of the servers with a common catalogue, a single server executes a task
for all.
"""

from __future__ import annotations

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from storage.alert_tables import ALERT_TURNS
from storage.catalogue import Catalogue
from storage.clock import seconds


def take_turn(catalogue: Catalogue, name: str, every_s: float) -> bool:
    """Claim the turn of the periodic task `name`; return True if this process is to execute it now.

    Among all processes, a single claim succeeds in `every_s` seconds; the first claim ever
    succeeds.
    """
    catalogue.create()
    c = ALERT_TURNS.c
    try:
        with catalogue.begin() as connection:
            now = seconds(connection)
            row = {"name": name, "next_at": now + every_s}
            due = c.next_at <= now
            if connection.execute(
                update(ALERT_TURNS).where(c.name == name, due).values(row)
            ).rowcount:
                return True
            if connection.scalar(select(c.name).where(c.name == name)) is not None:
                return False
            connection.execute(insert(ALERT_TURNS).values(row))
    # Another process inserted the row at the same moment, and has the turn.
    except IntegrityError:
        return False
    return True


def hold_turn(catalogue: Catalogue, name: str, for_s: float) -> None:
    """Let no process claim the turn of the task `name` for `for_s` seconds from now, for the
    process that has claimed it and needs more time.
    """
    c = ALERT_TURNS.c
    with catalogue.begin() as connection:
        connection.execute(
            update(ALERT_TURNS).where(c.name == name).values(next_at=seconds(connection) + for_s)
        )
