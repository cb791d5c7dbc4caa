"""Tokens of the HTTP API in the catalogue, stored as hashes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta

from sqlalchemy import insert, select, update

from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.people_tables import TOKENS
from storage.quotas import forget_revoked_token

_USED_EVERY = timedelta(minutes=1)
"""Minimum time between two recorded uses of a token, as recording a use is a write."""


@dataclass(frozen=True)
class Token:
    """A row of table `tokens`; times are ISO 8601 in UTC."""

    token_id: str
    name: str
    scope: str
    secret_hash: str
    created_at: str
    created_by: str
    expires_at: str | None = None
    used_at: str | None = None
    revoked_at: str | None = None

    @property
    def is_valid(self) -> bool:
        """Whether the token is neither revoked nor expired."""
        return self.revoked_at is None and (
            self.expires_at is None or timestamp() < self.expires_at
        )


class Tokens:
    """Reads and writes the tokens of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(self, token: Token) -> None:
        """Insert a token; if there are 2,000 (MAX_TOKENS), it replaces the token that was revoked
        first.

        Raises QuotaError if there are that many and no token is revoked.
        """
        self._catalogue.create()
        with self._catalogue.begin() as connection:
            forget_revoked_token(connection)
            connection.execute(insert(TOKENS).values(asdict(token)))

    def get(self, token_id: str) -> Token | None:
        """Look up a token, revoked or expired or not; None if it does not exist."""
        return next(iter(self._select_tokens(token_id)), None)

    def all(self) -> list[Token]:
        """List all tokens, also revoked and expired tokens, newest first; empty if there is no
        catalogue.
        """
        return self._select_tokens()

    def revoke(self, token_id: str) -> bool:
        """Revoke a token; return False, without a change, if it does not exist or is revoked
        already.
        """
        here = (TOKENS.c.token_id == token_id) & TOKENS.c.revoked_at.is_(None)
        with self._catalogue.begin_removal() as connection:
            return (
                connection.execute(
                    update(TOKENS).where(here).values(revoked_at=timestamp())
                ).rowcount
                > 0
            )

    def mark_used(self, token: Token) -> None:
        """Record the current time as that of the token's last use, unless the recorded use is less
        than a minute old (_USED_EVERY).
        """
        if token.used_at is not None and token.used_at > timestamp(-_USED_EVERY):
            return
        with self._catalogue.begin() as connection:
            connection.execute(
                update(TOKENS)
                .where(TOKENS.c.token_id == token.token_id)
                .values(used_at=timestamp())
            )

    def _select_tokens(self, token_id: str | None = None) -> list[Token]:
        if not self._catalogue.is_created():
            return []
        query = select(TOKENS).order_by(TOKENS.c.created_at.desc(), TOKENS.c.token_id)
        if token_id is not None:
            query = query.where(TOKENS.c.token_id == token_id)
        with self._catalogue.connect() as connection:
            return [Token(**row._mapping) for row in connection.execute(query)]
