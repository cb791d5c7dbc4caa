"""Sign-in by OpenID Connect: authorization code with PKCE, state, nonce; then a session cookie."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.flask_client import OAuth
from flask import Flask, Response, redirect, request, session
from joserfc.errors import JoseError

from app.context import AppContext
from app.request.errors import RequestError, page_response
from app.request.user import is_https
from app.server.access.identity import MAX_NAME, SESSION_COOKIE, is_name
from services.store.sessions import begin_session, end_session, find_session
from storage.audit import Audit

_LOG = logging.getLogger("tilescope")
_PROVIDER = "provider"
_TIMEOUT_S = 10
"""Seconds to wait for a response of the provider."""
_MAX_PATH = 2_000
"""Maximum number of characters of an address to return to after sign-in."""
_MAX_STATE = 2_800
"""Maximum number of characters of the JSON of unfinished sign-ins.

Signed, they then stay below the 4093 bytes of a cookie.
"""


def register(server: Flask, context: AppContext) -> None:
    """Add `/auth/login`, `/auth/callback` and `/auth/logout`."""
    settings = context.settings
    server.secret_key = settings.secret_key
    server.config.update(
        SESSION_COOKIE_NAME="tilescope-sign-in",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SECURE=settings.public_url.startswith("https:"),
        SESSION_COOKIE_PATH="/auth",
    )
    provider = _provider(server, context)

    @server.get("/auth/login")
    def login() -> Response:
        back = _callback_url(context)
        authorization = _call_provider(provider, "create_authorization_url", redirect_uri=back)
        address = authorization.pop("url")
        provider.save_authorize_data(
            redirect_uri=back, next=safe_path(request.args.get("next", "/")), **authorization
        )
        _forget_oldest()
        return redirect(address)  # type: ignore[return-value]

    @server.get("/auth/callback")
    def callback() -> Response:
        state = request.args.get("state", "")
        data = provider.framework.get_state_data(session, state) or {}
        if "error" in request.args:
            raise RequestError("The sign-in was refused by the provider.", 403)
        token = _call_provider(provider, "authorize_access_token")
        key, name = person(token.get("userinfo") or {})
        catalogue = context.repository.catalogue
        if before := request.cookies.get(SESSION_COOKIE):
            end_session(catalogue, before)
        # Sessions are rows of the catalogue: a signed cookie would remain valid after a sign-out.
        secret = begin_session(catalogue, key, name, timedelta(hours=settings.session_hours))
        Audit(catalogue).add(name, "login", key)
        response: Response = redirect(safe_path(str(data.get("next") or "/")))  # type: ignore[assignment]
        _set_session_cookie(response, secret, context)
        return response

    @server.post("/auth/logout")
    def logout() -> Response:
        secret = request.cookies.get(SESSION_COOKIE, "")
        catalogue = context.repository.catalogue
        ended = find_session(catalogue, secret) if secret else None
        if ended:
            end_session(catalogue, secret)
            Audit(catalogue).add(ended.user_name, "logout", ended.user_key)
        response = page_response(
            200, "Signed out", "You are signed out.", ("Sign in", "/auth/login")
        )
        response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="Lax")
        return response


def _forget_oldest() -> None:
    """Drop the oldest unfinished sign-ins from the session until the rest fits into a cookie
    (_MAX_STATE); the newest always stays.

    Each open page may have begun a sign-in.
    """
    begun = sorted(session, key=lambda name: float(session[name].get("exp", 0)))
    while len(begun) > 1 and len(json.dumps(dict(session))) > _MAX_STATE:
        session.pop(begun.pop(0))


def person(claims: dict[str, Any]) -> tuple[str, str]:
    """Return (key, name) of a person: issuer and subject with a space between, and the verified
    e-mail address.

    The name is the subject if there is no verified address. Raises RequestError (403) if the
    provider sends no subject or a name that is not allowed.
    """
    subject = str(claims.get("sub") or "")
    if not subject:
        raise RequestError("The sign-in provider sent no user name.", 403)
    email = str(claims.get("email") or "") if claims.get("email_verified") is True else ""
    if not is_name(email or subject):
        raise RequestError(
            f"The sign-in provider sent a user name that does not have 1 to {MAX_NAME} printable characters.",
            403,
        )
    return f"{claims.get('iss', '')} {subject}", email or subject


def safe_path(text: str) -> str:
    """Return `text` if it is a path of this server of at most 2,000 characters, else "/".

    Redirecting to any other address would make sign-in an open redirect: `//host` is an address of
    another server.
    """
    try:
        parts = urlsplit(text)
    except ValueError:
        return "/"
    strange = "\\" in text or not text.isprintable() or len(text) > _MAX_PATH
    if strange or parts.scheme or parts.netloc or not text.startswith("/") or text.startswith("//"):
        return "/"
    return text


def _provider(server: Flask, context: AppContext) -> Any:  # noqa: ANN401 - authlib has no types
    settings = context.settings
    return OAuth(server).register(
        _PROVIDER,
        client_id=settings.oidc_client_id,
        client_secret=settings.oidc_client_secret,
        server_metadata_url=f"{settings.oidc_issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "default_timeout": _TIMEOUT_S,
        },
    )


def _call_provider(provider: Any, method: str, **arguments: object) -> Any:  # noqa: ANN401 - no types
    """Call a method of the provider by name and return its result.

    Raises RequestError with a sentence: 400 if the sign-in is invalid, 503 if the provider does not
    respond; the reason is logged.
    """
    try:
        return getattr(provider, method)(**arguments)
    except (AuthlibBaseError, JoseError, RuntimeError, ValueError, KeyError) as error:
        _LOG.warning("sign-in failed: %s: %s", type(error).__name__, error)
        raise RequestError(
            "This sign-in is not valid, or was already used; sign in again.", 400
        ) from error
    except requests.RequestException as error:
        _LOG.error("the sign-in provider does not answer: %s", error)
        raise RequestError("The sign-in provider does not respond; try again.", 503) from error


def _callback_url(context: AppContext) -> str:
    base = context.settings.public_url.rstrip("/") or request.host_url.rstrip("/")
    return f"{base}/auth/callback"


def _set_session_cookie(response: Response, secret: str, context: AppContext) -> None:
    """Set the session cookie in the response; it expires after setting `session_hours`."""
    secure = is_https(context.settings.public_url)
    age = int(3600 * context.settings.session_hours)
    response.set_cookie(
        SESSION_COOKIE, secret, max_age=age, httponly=True, samesite="Lax", secure=secure
    )
