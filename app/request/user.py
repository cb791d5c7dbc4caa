"""User of a request and their role; pages, commands, API and tools check rights here."""

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
    """A person or program.

    `way` is how they were identified: `none` if the installation has no sign-in, `anonymous` if the
    user did not sign in. `name` is for people and may be shared by several programs; `own_key`
    distinguishes them.
    """

    name: str
    role: Role
    way: Way
    own_key: str = ""

    @property
    def key(self) -> str:
        """Unique key of the user: `own_key`, or the name if that is ""."""
        return self.own_key or self.name


EVERYONE = User("everyone", Role.ADMIN, "none")
"""User of all requests if the installation has no sign-in."""
ANONYMOUS = User("anonymous", Role.VIEWER, "anonymous")
"""User who may read without signing in."""


def set_user(user: User | None) -> None:
    """Set the user of the current request; None if the user is unknown."""
    setattr(g, _USER, user)


def known_user() -> User | None:
    """Return the user of this request, None if unknown; EVERYONE (an admin) outside of a request."""
    user: User | None = g.get(_USER) if has_request_context() else EVERYONE
    return user


def current_user() -> User:
    """Return the user of this request, EVERYONE outside of a request; raises RequestError (401) if
    unknown.
    """
    user = known_user()
    if user is None:
        raise RequestError("Sign in first, or send a token.", 401)
    return user


def is_known() -> bool:
    """Whether the user of this request is known; True outside of a request."""
    return not has_request_context() or g.get(_USER) is not None


def may(role: Role) -> bool:
    """Whether the user of this request has at least this role.

    Raises RequestError (401) if the user is unknown.
    """
    return current_user().role >= role


def may_edit() -> bool:
    """Whether controls for editors are shown: to editors, and before the user is known."""
    return not is_known() or may(Role.EDITOR)


def require(role: Role) -> User:
    """Return the user of this request; raises RequestError: 401 if unknown, 403 if they lack the
    role.
    """
    user = current_user()
    if user.role < role:
        raise RequestError(
            f"This needs the role {role.label}; {user.name} has the role {user.role.label}.", 403
        )
    return user


def is_https(public_url: str) -> bool:
    """Whether browsers reach this server by HTTPS, by its public address or this request, so that
    cookies can be restricted to it.
    """
    return public_url.startswith("https:") or request.is_secure
