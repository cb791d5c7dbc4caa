"""Check before every route: the user, the user's role, and the site that sent the request."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from flask import Flask, Response, redirect, request

from app.config.access_settings import AccessSettings
from app.context import AppContext
from app.request.errors import RequestError
from app.request.user import User, set_user
from app.server.access.identity import identify_user
from app.server.access.roles import RouteRoles, is_writing
from schema.roles import Role

_BY_BROWSER = ("proxy", "session", "anonymous")
"""Ways of authentication that a browser adds to every request, even from other sites."""


def guard(server: Flask, context: AppContext, roles: RouteRoles) -> None:
    """Register the check of roles and origins, which runs before every view."""
    settings = context.settings

    @server.before_request
    def check() -> Response | None:
        set_user(None)
        rule = request.url_rule.rule if request.url_rule else request.path
        role = roles.required_role(request.method, rule, request.path)
        if role is Role.NOBODY and not is_writing(request.method):
            return None
        user = _identify(context) if role is not Role.NOBODY else _identify_if_valid(context)
        set_user(user)
        if user is None and role is not Role.NOBODY:
            return _sign_in(settings)
        if user is not None and user.role < role:
            if user.way == "anonymous":
                return _sign_in(settings)
            raise RequestError(
                f"This needs the role {role.label}; {user.name} has the role {user.role.label}.",
                403,
            )
        if is_writing(request.method):
            check_origin(settings, user)
        return None

    @server.after_request
    def keep_private(response: Response) -> Response:
        """If users have to sign in, forbid shared caches to store responses that are not public."""
        if settings.auth != "none" and not response.cache_control.public:
            response.cache_control.private = True
        return response


def _identify(context: AppContext) -> User | None:
    return identify_user(request, context.settings, context.repository.catalogue)


def _identify_if_valid(context: AppContext) -> User | None:
    """Return the user of a request to an open route, None if the credentials are missing or not
    valid.

    A user who has lost the role may still sign out.
    """
    try:
        return _identify(context)
    except RequestError:
        return None


def _sign_in(settings: AccessSettings) -> Response:
    """Return a redirect to the sign-in page for the request of a page, if `auth` is `oidc`.

    Raises RequestError (401) for other requests.
    """
    wants_page = "text/html" in request.headers.get("Accept", "") and not request.path.startswith(
        "/api/"
    )
    if settings.auth == "oidc" and wants_page and request.method == "GET":
        target = quote(request.full_path.removesuffix("?"), safe="")
        return redirect(f"/auth/login?next={target}")  # type: ignore[return-value]
    raise RequestError("Sign in first, or send a token.", 401)


def check_origin(settings: AccessSettings, user: User | None) -> None:
    """Raise RequestError (403) if a page of another site makes the browser send the request.

    Requests with a token pass: a browser does not add tokens by itself. Requests without the
    headers `Sec-Fetch-Site` and `Origin` come from programs; they are refused if the user is known
    only by what a browser sends along.
    """
    if user is not None and user.way == "token":
        return
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    # First, because a proxy may change the host name that `Origin` is compared with.
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
        own = urlsplit(settings.public_url).netloc or request.host
        return urlsplit(origin).netloc not in (request.host, own)
    except ValueError:
        return True
