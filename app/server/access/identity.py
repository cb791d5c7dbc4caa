"""Who makes a request: by its token, by the proxy's header, or by the cookie of a session."""

from __future__ import annotations

from flask import Request

from app.access import ANONYMOUS, EVERYONE, User
from app.access_settings import AccessSettings
from app.errors import RequestError
from app.server.access.proxies import TRUSTED
from schema.roles import SCOPES, Role
from services.sessions import session_of
from services.tokens import checked_token
from storage.catalogue import Catalogue

SESSION_COOKIE = "tilescope-session"
_LONGEST_NAME = 200


def user_of(request: Request, settings: AccessSettings, catalogue: Catalogue) -> User | None:
    """Return who makes a request, None where nobody is known; raises RequestError for what is no identity.

    A token that is not valid is nobody's, and not even an anonymous viewer's.
    """
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return _of_token(catalogue, text.strip())
    if settings.auth == "none":
        return EVERYONE
    known = _of_proxy(request, settings) if settings.auth == "proxy" else _of_session(request, settings, catalogue)
    if known is None and settings.anonymous == "viewer":
        return ANONYMOUS
    return known


def _of_token(catalogue: Catalogue, text: str) -> User:
    token = checked_token(catalogue, text)
    if token is None:
        raise RequestError("This token is not valid: it is unknown, expired or revoked.", 401)
    return User(f"token {token.name}", SCOPES[token.scope], "token")


def _of_proxy(request: Request, settings: AccessSettings) -> User | None:
    name = request.headers.get(settings.proxy_user_header, "").strip()
    if not request.environ.get(TRUSTED) or not name:
        return None
    if "," in name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise RequestError(f"{settings.proxy_user_header} does not name one user.", 400)
    return _signed_in(name, settings, "proxy")


def _of_session(request: Request, settings: AccessSettings, catalogue: Catalogue) -> User | None:
    secret = request.cookies.get(SESSION_COOKIE)
    session = session_of(catalogue, secret) if secret else None
    return _signed_in(session.user_name, settings, "session") if session else None


def _signed_in(name: str, settings: AccessSettings, way: str) -> User | None:
    role = settings.role_of(name)
    if role is Role.NOBODY:
        raise RequestError(f"{name} has no role here; an admin can give one.", 403)
    return User(name, role, "proxy" if way == "proxy" else "session")
