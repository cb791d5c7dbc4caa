"""Badges, and signed addresses: panels in frames of other sites, badges without a sign-in.

`/embed/...` is open to every client; its signature decides, before anything is computed.
"""

from __future__ import annotations

import secrets

from flask import Flask, Response, request

from app.config.access_settings import split_names
from app.config.settings import Settings
from app.context import AppContext
from app.pages.run.panel import panel_html
from app.pages.snapshot_file import THEME
from app.pages.status.badges import WHOLE_RULE, draw_badge, split_badge
from app.request.errors import RequestError
from app.request.signing import SIGNED, is_signed, signing_key
from app.request.user import ANONYMOUS, set_user
from app.server.api.names import NameConverter
from components.theme import PALETTES

_BADGE_CACHE = "max-age=60"
"""Proxies of other sites, such as that of GitHub's pictures, ask once a minute."""
_PANEL_CACHE = "private, no-cache"


def register(server: Flask, context: AppContext) -> None:
    """Add the routes of badges and signed addresses, and the check of signatures."""
    server.url_map.converters.setdefault("text", NameConverter)
    settings = context.settings

    @server.before_request
    def check_signature() -> None:
        """Refuse a signed address with another signature, or after its end (404)."""
        if not request.path.startswith(SIGNED):
            return
        try:
            key = signing_key(settings.secret_key, settings.data)
        except OSError as error:
            raise RequestError("This server cannot check signed addresses.", 503) from error
        if not is_signed(key, request.path):
            raise RequestError("This address is not signed by this server, or has ended.", 404)
        # Whoever opens it only has the right to read.
        set_user(ANONYMOUS)

    @server.get("/badge/<text:name>.svg")
    def badge(name: str) -> Response:
        return _badge(draw_badge(context, *split_badge(name)))

    @server.get("/embed/badge/<key>/<text:rule>/<int:_until>/<_signature>")
    def signed_badge(key: str, rule: str, _until: int, _signature: str) -> Response:
        return _badge(draw_badge(context, rule, "" if key == WHOLE_RULE else key))

    @server.get("/embed/run/<run_id>/<view>/<state>/<int:_until>/<_signature>")
    def panel(run_id: str, view: str, state: str, _until: int, _signature: str) -> Response:
        nonce = secrets.token_urlsafe(16)
        # Not part of the signature: the page with the frame chooses the theme, and no data.
        chosen = request.args.get("theme", "")
        theme = chosen if chosen in PALETTES else THEME
        page = panel_html(context, run_id, view, state, nonce, theme=theme)
        headers = {
            "Content-Security-Policy": panel_policy(settings, nonce),
            "Cross-Origin-Resource-Policy": "cross-origin",
            "Cache-Control": _PANEL_CACHE,
        }
        return Response(page, headers=headers)


def panel_policy(settings: Settings, nonce: str) -> str:
    """Return the content policy of a panel: it may be framed by the origins of `embed_ancestors`,
    runs only the scripts with the nonce, and loads nothing.
    """
    ancestors = " ".join(split_names(settings.embed_ancestors)) or "'none'"
    directives = (
        "default-src 'none'",
        f"script-src 'nonce-{nonce}'",
        "style-src 'unsafe-inline'",
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
        f"frame-ancestors {ancestors}",
    )
    return "; ".join(directives)


def _badge(svg: str) -> Response:
    headers = {"Cache-Control": _BADGE_CACHE, "Cross-Origin-Resource-Policy": "cross-origin"}
    return Response(svg, mimetype="image/svg+xml", headers=headers)
