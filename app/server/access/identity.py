"""Identify the user of a request by token, proxy header or session cookie.

Names are compared with `editors` and `admins` exactly, without case folding or normalization, so
that two people never become one.
"""

from __future__ import annotations

from flask import Request

from app.config.access_settings import AccessSettings
from app.request.errors import RequestError
from app.request.user import ANONYMOUS, EVERYONE, User
from app.server.access.proxies import TRUSTED
from schema.roles import SCOPES, Role
from services.store.sessions import find_session
from services.store.tokens import checked_token
from storage.catalogue import Catalogue

SESSION_COOKIE = "tilescope-session"
MAX_NAME = 200
"""Maximum number of characters of a user name."""
_PROGRAMS = "token "
"""Prefix of the names of tokens in the audit log."""
_NOT_PEOPLE = (_PROGRAMS, "command line")
"""Prefixes of names in the audit log that a person's name must not have."""


def identify_user(request: Request, settings: AccessSettings, catalogue: Catalogue) -> User | None:
    """Return the user of a request: EVERYONE without sign-in, ANONYMOUS without credentials if
    anonymous users may read, else None.

    Raises RequestError if the credentials are not valid: a request with an expired token is not
    treated like an anonymous request.
    """
    text = bearer(request.headers.get("Authorization", ""))
    if text is not None:
        return _token_user(catalogue, text, settings)
    if settings.auth == "none":
        return EVERYONE
    is_proxy = settings.auth == "proxy"
    user = (
        _proxy_user(request, settings) if is_proxy else _session_user(request, settings, catalogue)
    )
    if user is None and settings.anonymous == "viewer":
        return ANONYMOUS
    return user


def bearer(authorization: str) -> str | None:
    """Return the token of an `Authorization` header, maybe "", None if its scheme is not Bearer."""
    scheme, _, text = authorization.partition(" ")
    return text.strip() if scheme.lower() == "bearer" else None


def _token_user(catalogue: Catalogue, text: str, settings: AccessSettings) -> User:
    """Return the user of a token, with the role of the token's scope.

    If a person created the token, the role is at most the person's present role; tokens that a
    command or another token created have no such limit. Raises RequestError (401) if the token is
    unknown, expired or revoked, or if that person has no role any more.
    """
    token = checked_token(catalogue, text)
    if token is None:
        raise RequestError("This token is not valid: it is unknown, expired or revoked.", 401)
    role = SCOPES[token.scope]
    if settings.auth != "none" and is_name(token.created_by):
        role = min(role, settings.role_of(token.created_by))
    if role is Role.NOBODY:
        raise RequestError("This token is not valid: its owner has no role here any more.", 401)
    # Two spaces: no token's name begins with a space, so that no name equals another token's key.
    return User(f"{_PROGRAMS}{token.name}", role, "token", f"{_PROGRAMS} {token.token_id}")


def _proxy_user(request: Request, settings: AccessSettings) -> User | None:
    sent = request.headers.get(settings.proxy_user_header, "").strip(" \t")
    if not request.environ.get(TRUSTED) or not sent:
        return None
    name = _utf_8(sent)
    if "," in name or not is_name(name):
        raise RequestError(f"{settings.proxy_user_header} must contain exactly one user name.", 400)
    return _create_user(name, settings, "proxy")


def is_name(name: str) -> bool:
    """Whether a text may be the name of a person: 1 to MAX_NAME (200) printable characters without
    spaces at the ends, not reserved for programs.
    """
    others = name in (EVERYONE.name, ANONYMOUS.name) or name.startswith(_NOT_PEOPLE)
    return 0 < len(name) <= MAX_NAME and name.isprintable() and name == name.strip() and not others


def _utf_8(header: str) -> str:
    """Decode a header as UTF-8, "" if it is not valid UTF-8.

    WSGI decodes headers as Latin-1, a character per byte.
    """
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return ""


def _session_user(request: Request, settings: AccessSettings, catalogue: Catalogue) -> User | None:
    secret = request.cookies.get(SESSION_COOKIE)
    session = find_session(catalogue, secret) if secret else None
    return _create_user(session.user_name, settings, "session") if session else None


def _create_user(name: str, settings: AccessSettings, way: str) -> User | None:
    """Return the user of a name with the role from the settings; `way` is `proxy` or `session`.

    Raises RequestError (403) if the name has no role.
    """
    role = settings.role_of(name)
    if role is Role.NOBODY:
        raise RequestError(f"{name} has no role here; an admin can give one.", 403)
    return User(name, role, "proxy" if way == "proxy" else "session")
