"""Sessions of signed-in browsers: a random secret in a cookie, its hash in the catalogue."""

from __future__ import annotations

import secrets
from datetime import timedelta

from services.store.tokens import hash_secret
from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.sessions import Session, Sessions


def begin_session(catalogue: Catalogue, user_key: str, user_name: str, lasts: timedelta) -> str:
    """Begin a session that ends after `lasts`, and return its secret; only the hash of it is
    stored.
    """
    secret = secrets.token_urlsafe(32)
    Sessions(catalogue).add(
        Session(hash_secret(secret), user_key, user_name, timestamp(), timestamp(lasts))
    )
    return secret


def find_session(catalogue: Catalogue, secret: str) -> Session | None:
    """Return the session of a secret; `None` if it does not exist or has ended."""
    return Sessions(catalogue).get(hash_secret(secret))


def end_session(catalogue: Catalogue, secret: str) -> None:
    """End the session of a secret on all servers; an unknown secret is ignored."""
    Sessions(catalogue).end(hash_secret(secret))
