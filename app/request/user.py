"""Who makes a request, and what they may do; every door asks here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flask import g, has_request_context, request

from app.request.errors import RequestError
from schema.roles import Role

_USER = "tilescope_user"
Way = Literal["none", "anonymous", "proxy", "session", "token"]


@dataclass(frozen=True)
class User:
    """A person or program; `way` is how they are known: `none` where nobody signs in, `anonymous` who did not.

    `name` is what people recognise; programs may share one. `own_key` tells them apart.
    """

    name: str
    role: Role
    way: Way
    own_key: str = ""

    @property
    def key(self) -> str:
        """Return what no other user has."""
        return self.own_key or self.name


EVERYONE = User("everyone", Role.ADMIN, "none")
ANONYMOUS = User("anonymous", Role.VIEWER, "anonymous")


def set_user(user: User | None) -> None:
    """Say who makes this request."""
    setattr(g, _USER, user)


def known_user() -> User | None:
    """Return who makes this request, None where nobody is known."""
    user: User | None = g.get(_USER) if has_request_context() else EVERYONE
    return user


def current_user() -> User:
    """Return who makes this request; raises RequestError (401) where nobody is known."""
    user = known_user()
    if user is None:
        raise RequestError("Sign in first, or send a token.", 401)
    return user


def is_known() -> bool:
    """Return whether it is known who makes this request."""
    return not has_request_context() or g.get(_USER) is not None


def may(role: Role) -> bool:
    """Return whether who makes this request has a role."""
    return current_user().role >= role


def require(role: Role) -> User:
    """Return who makes this request; raises RequestError (403) where they lack a role."""
    user = current_user()
    if user.role < role:
        raise RequestError(f"This needs the role {role.label}; {user.name} has the role {user.role.label}.", 403)
    return user


def is_https(public_url: str) -> bool:
    """Return whether browsers reach this server by HTTPS, so that they may keep cookies for that alone."""
    return public_url.startswith("https:") or request.is_secure
