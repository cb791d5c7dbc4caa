"""Tokens that signed-in users create for themselves, with at most their own role."""

from __future__ import annotations

from schema.roles import SCOPES, Role
from services.store.tokens import TokenError, make_token
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.tokens import Token, Tokens

MAX_OWN_TOKENS = 50
"""Maximum number of valid tokens of a user, so that no user fills the table of tokens."""


def own_tokens(catalogue: Catalogue, user: str) -> list[Token]:
    """List the tokens that a user created and did not revoke, newest first."""
    return [
        token
        for token in Tokens(catalogue).all()
        if token.created_by == user and token.revoked_at is None
    ]


def own_scopes(role: Role) -> list[str]:
    """List the scopes that grant at most a role, the smallest first."""
    return [scope for scope, granted in SCOPES.items() if granted <= role]


def make_own_token(
    catalogue: Catalogue, user: str, role: Role, *, name: str, scope: str, expires: str
) -> tuple[Token, str]:
    """Create a token for a user and record it in the audit log; return (token, its text).

    Raises TokenError if the scope grants more than `role`, if the user has 50 valid tokens
    (MAX_OWN_TOKENS), or if scope, name or age is invalid.
    """
    if scope not in own_scopes(role):
        raise TokenError(f"a token of scope {scope!r} would grant more than your role {role.label}")
    if sum(token.is_valid for token in own_tokens(catalogue, user)) >= MAX_OWN_TOKENS:
        raise TokenError(f"you have {MAX_OWN_TOKENS} valid tokens, the limit; revoke one first")
    token, text = make_token(catalogue, name, scope, user, expires)
    Audit(catalogue).add(user, "token.create", token.token_id, f"{scope}: {token.name}")
    return token, text


def revoke_own_token(catalogue: Catalogue, user: str, token_id: str) -> None:
    """Revoke a token of a user and record it in the audit log.

    Raises TokenError if the user has no such token: whether another user has it is not revealed.
    """
    ids = [token.token_id for token in own_tokens(catalogue, user)]
    if token_id not in ids or not Tokens(catalogue).revoke(token_id):
        raise TokenError("you have no valid token with this id")
    Audit(catalogue).add(user, "token.revoke", token_id)
