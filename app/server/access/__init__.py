"""Who may do what over HTTP: identities, the one check before every route, sign-in."""

from __future__ import annotations

from flask import Flask

from app.context import AppContext
from app.server.access.gate import guard
from app.server.access.proxies import behind

__all__ = ["install"]


def install(server: Flask, context: AppContext) -> None:
    """Check every request, and add the routes of signing in."""
    server.wsgi_app = behind(context.settings.proxies, server.wsgi_app)  # type: ignore[method-assign,assignment]
    guard(server, context)
    if context.settings.auth == "oidc":
        from app.server.access import oidc  # noqa: PLC0415 - an extra

        oidc.register(server, context)
