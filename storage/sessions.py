"""Sessions of signed-in browsers in the catalogue; signing out ends a session on every server."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sqlalchemy import delete, insert, select

from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.people_tables import SESSIONS
from storage.quotas import end_old_sessions


@dataclass(frozen=True)
class Session:
    """A row of table `sessions`; `user_key` is the identity provider's permanent id of the user."""

    secret_hash: str
    user_key: str
    user_name: str
    created_at: str
    expires_at: str


class Sessions:
    """Reads and writes the sessions of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(self, session: Session) -> None:
        """Insert a session, and delete expired sessions of all users.

        If the user has 100 sessions (MAX_SESSIONS) already, the oldest is deleted.
        """
        self._catalogue.create()
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires_at < timestamp()))
            end_old_sessions(connection, session.user_key)
            connection.execute(insert(SESSIONS).values(asdict(session)))

    def get(self, secret_hash: str) -> Session | None:
        """Look up a session; None if it does not exist or has expired."""
        if not self._catalogue.is_created():
            return None
        here = (SESSIONS.c.secret_hash == secret_hash) & (SESSIONS.c.expires_at > timestamp())
        with self._catalogue.connect() as connection:
            row = connection.execute(select(SESSIONS).where(here)).first()
        return Session(**row._mapping) if row else None

    def end(self, secret_hash: str) -> None:
        """Delete a session; an unknown hash is ignored."""
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.secret_hash == secret_hash))
