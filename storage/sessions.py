"""Browsers that are signed in, in the catalogue: sign-out ends a session for every server."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sqlalchemy import delete, insert, select

from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.people_tables import SESSIONS
from storage.quotas import end_old_sessions


@dataclass(frozen=True)
class Session:
    """A row of table `sessions`; `user_key` is the provider's own name of the person, which never changes."""

    secret_hash: str
    user_key: str
    user_name: str
    created_at: str
    expires_at: str


class Sessions:
    """The sessions of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(self, session: Session) -> None:
        """Begin a session; expired ones, and the oldest of a user who has too many, are deleted."""
        self._catalogue.create()
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires_at < timestamp()))
            end_old_sessions(connection, session.user_key)
            connection.execute(insert(SESSIONS).values(asdict(session)))

    def get(self, secret_hash: str) -> Session | None:
        """Return a session that is not over."""
        if not self._catalogue.is_created():
            return None
        here = (SESSIONS.c.secret_hash == secret_hash) & (SESSIONS.c.expires_at > timestamp())
        with self._catalogue.connect() as connection:
            row = connection.execute(select(SESSIONS).where(here)).first()
        return Session(**row._mapping) if row else None

    def end(self, secret_hash: str) -> None:
        """End a session."""
        with self._catalogue.begin_removal() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.secret_hash == secret_hash))
