"""The one check before every route: who asks, whether they may, and that no other site's page asks in their name."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from flask import Flask, Response, redirect, request

from app.config.access_settings import AccessSettings
from app.context import AppContext
from app.request.errors import RequestError
from app.request.user import User, set_user
from app.server.access.identity import user_of
from app.server.access.roles import RouteRoles, is_writing
from schema.roles import Role

_BY_BROWSER = ("proxy", "session", "anonymous")
"""Ways of being known that a browser sends along whoever made it ask."""


def guard(server: Flask, context: AppContext, roles: RouteRoles) -> None:
    """Let every request pass here first, and its answer last."""
    settings = context.settings

    @server.before_request
    def check() -> Response | None:
        set_user(None)
        rule = request.url_rule.rule if request.url_rule else request.path
        role = roles.role_of(request.method, rule, request.path)
        if role is Role.NOBODY and not is_writing(request.method):
            return None
        user = _user_of_request(context) if role is not Role.NOBODY else _known_or_none(context)
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

    @server.after_request
    def keep_private(response: Response) -> Response:
        """Let no cache between give one person's answers to another; the files of the program are nobody's."""
        if settings.auth != "none" and not response.cache_control.public:
            response.cache_control.private = True
        return response


def _user_of_request(context: AppContext) -> User | None:
    return user_of(request, context.settings, context.repository.catalogue)


def _known_or_none(context: AppContext) -> User | None:
    """Return who asks for what nobody needs a role for: who lost theirs may still sign out."""
    try:
        return _user_of_request(context)
    except RequestError:
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
        raise RequestError("Requests from other sites are refused.", 403)


def _is_foreign(origin: str | None, settings: AccessSettings) -> bool:
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc not in (request.host, urlsplit(settings.public_url).netloc or request.host)
    except ValueError:
        return True
