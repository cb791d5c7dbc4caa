"""The one check before every route: who asks, whether they may, and that no other site's page asks in their name."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from flask import Flask, Response, redirect, request

from app.access import User, set_user
from app.access_settings import AccessSettings
from app.context import AppContext
from app.errors import RequestError
from app.server.access.identity import user_of
from app.server.access.roles import is_writing, needed
from schema.roles import Role

_BY_BROWSER = ("proxy", "session", "anonymous")
"""Ways of being known that a browser sends along whoever made it ask."""


def guard(server: Flask, context: AppContext) -> None:
    """Let every request pass here first."""
    settings = context.settings

    @server.before_request
    def check() -> Response | None:
        set_user(None)
        role = needed(request.method, request.url_rule.rule if request.url_rule else request.path)
        if role is Role.NOBODY and not is_writing(request.method):
            return None
        user = user_of(request, settings, context.repository.catalogue)
        set_user(user)
        if user is None and role is not Role.NOBODY:
            return _sign_in(settings)
        if user is not None and user.role < role:
            if user.way == "anonymous":
                return _sign_in(settings)
            raise RequestError(f"This needs the role {role.label}; {user.name} has the role {user.role.label}.", 403)
        if is_writing(request.method):
            check_origin(settings, user)
        return None


def _sign_in(settings: AccessSettings) -> Response:
    """Send a person to the provider; tell everybody else what is missing."""
    wants_page = "text/html" in request.headers.get("Accept", "") and not request.path.startswith("/api/")
    if settings.auth == "oidc" and wants_page and request.method == "GET":
        there = quote(request.full_path.removesuffix("?"), safe="")
        return redirect(f"/auth/login?next={there}")  # type: ignore[return-value]
    raise RequestError("Sign in first, or send a token.", 401)


def check_origin(settings: AccessSettings, user: User | None) -> None:
    """Refuse what another site makes a browser send; raises RequestError (403).

    A program with a token sends neither header. Where nobody signs in, neither does a program without.
    """
    if user is not None and user.way == "token":
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    # a proxy may have another name than the browser's origin; what the browser says itself goes before
    if site == "same-origin":
        return
    silent = site is None and origin is None
    rests_on_browser = user is None or user.way in _BY_BROWSER
    if site not in (None, "none") or (silent and rests_on_browser) or _is_foreign(origin, settings):
        raise RequestError("Requests from other sites are not taken.", 403)


def _is_foreign(origin: str | None, settings: AccessSettings) -> bool:
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc not in (request.host, urlsplit(settings.public_url).netloc or request.host)
    except ValueError:
        return True
