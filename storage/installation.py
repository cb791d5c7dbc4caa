"""The id of the installation: all servers that share a catalogue have the same."""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, insert, select

from storage.alert_tables import INSTALLATION
from storage.catalogue import Catalogue
from storage.upsert import transact

_NAME = "id"
_BYTES = 6
_OWN = select(INSTALLATION.c.value).where(INSTALLATION.c.name == _NAME)


def find_installation_id(catalogue: Catalogue) -> str:
    """Read the id, 12 hex digits; "" if none was needed yet."""
    if not catalogue.is_created():
        return ""
    with catalogue.connect() as connection:
        return str(connection.scalar(_OWN) or "")


def installation_id(catalogue: Catalogue) -> str:
    """Read the id, 12 hex digits; it is created if there is none."""
    found = find_installation_id(catalogue)
    if found:
        return found

    def write(connection: Connection) -> None:
        # Another process may have created it since, also between this line and the next: then
        # `transact` repeats both.
        if connection.scalar(_OWN) is None:
            row = {"name": _NAME, "value": secrets.token_hex(_BYTES)}
            connection.execute(insert(INSTALLATION).values(row))

    catalogue.create()
    transact(catalogue, write)
    return find_installation_id(catalogue)
