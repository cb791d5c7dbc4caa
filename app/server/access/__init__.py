"""Access control over HTTP: identities, the check before every route, and sign-in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flask import Flask

from app.context import AppContext
from app.pages.page import Page
from app.request.visitors import keep_visitors
from app.server.access.gate import guard
from app.server.access.proxies import behind
from app.server.access.roles import RouteRoles, page_roles
from schema.roles import Role

__all__ = ["install"]


def install(
    server: Flask,
    context: AppContext,
    pages: Sequence[Page],
    operations: Mapping[tuple[str, str], Role],
) -> None:
    """Check the role of every request to `server`, and add the sign-in routes if `auth` is `oidc`.

    `operations` maps method and route of each API operation to the role that it requires.
    """
    server.wsgi_app = behind(context.settings.proxies, server.wsgi_app)  # type: ignore[method-assign,assignment]
    guard(server, context, RouteRoles(operations, page_roles(pages)))
    keep_visitors(server, context.settings.public_url)
    if context.settings.auth == "oidc":
        from app.server.access import oidc  # noqa: PLC0415 - an extra

        oidc.register(server, context)
