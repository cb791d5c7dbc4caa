"""Tokens of the HTTP API: creation and check. Only their hashes are stored."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import re
import secrets
from datetime import timedelta

from schema.moments import parse_age
from schema.roles import SCOPES
from storage.catalogue import Catalogue
from storage.clock import timestamp
from storage.errors import StorageError
from storage.tokens import Token, Tokens

_LOG = logging.getLogger(__name__)
_PREFIX = "tsc"
_SECRET_BYTES = 30
"""Random bytes of a secret."""
_ID_BYTES = 5
"""Random bytes of a token's id."""
_TEXT = re.compile(rf"{_PREFIX}_([a-z2-7]{{1,32}})_([a-z2-7]{{1,100}})")
_MAX_NAME_CHARACTERS = 100
"""Maximum characters of a token's name."""


class TokenError(ValueError):
    """A token cannot be created; the message is a sentence for the user."""


def make_token(
    catalogue: Catalogue, name: str, scope: str, made_by: str, expires: str = ""
) -> tuple[Token, str]:
    """Create and store a token; return (token, its text), of which the text cannot be read again
    later.

    `expires` is an age such as 30d, or "" for never. Raises TokenError if scope, name or age is
    invalid.
    """
    if scope not in SCOPES:
        raise TokenError(f"{scope!r} is not a scope; scopes are {', '.join(SCOPES)}")
    if not name.strip() or len(name) > _MAX_NAME_CHARACTERS or not name.isprintable():
        raise TokenError(
            f"a token's name must have 1 to {_MAX_NAME_CHARACTERS} printable characters"
        )
    token_id = _random(_ID_BYTES)
    secret = _random(_SECRET_BYTES)
    until = timestamp(_age(expires)) if expires else None
    token = Token(token_id, name.strip(), scope, hash_secret(secret), timestamp(), made_by, until)
    Tokens(catalogue).add(token)
    return token, f"{_PREFIX}_{token_id}_{secret}"


def checked_token(catalogue: Catalogue, text: str) -> Token | None:
    """Return the valid token of a text and record its use; `None` if it is unknown, expired or
    revoked.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    token_id, secret = match.groups()
    tokens = Tokens(catalogue)
    token = tokens.get(token_id)
    # compared in constant time, so that response times reveal no part of the hash
    if (
        token is None
        or not hmac.compare_digest(token.secret_hash, hash_secret(secret))
        or not token.is_valid
    ):
        return None
    try:
        tokens.mark_used(token)
    # on a full disk, writing fails and reading does not
    except StorageError as error:
        _LOG.warning("the use of token %s was not recorded: %s", token_id, error)
    return token


def is_token(text: str) -> bool:
    """Whether a text has the form of a token, `tsc_ID_SECRET`; the token need not exist."""
    return _TEXT.fullmatch(text) is not None


def _age(text: str) -> timedelta:
    age = parse_age(text)
    if not age:
        raise TokenError(f"{text!r} is not an age of a token; use for example 90s, 30m, 12h or 30d")
    return age


def _random(count: int) -> str:
    return base64.b32encode(secrets.token_bytes(count)).decode().lower().rstrip("=")


def hash_secret(secret: str) -> str:
    """Hash a secret with SHA-256 to 64 hex digits. With 240 random bits a fast hash suffices."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
