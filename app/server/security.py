"""Security headers of every response; limits of body size and host names for every request."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from dash import Dash
from flask import Flask, Response, request

from app.config.settings import LOOPBACK, Settings
from app.pages.page import Page
from app.request.errors import RequestError
from app.request.user import EVERYONE
from app.server.access.gate import check_origin
from app.server.access.roles import is_writing
from app.server.limits import CALLBACK_LIMIT, takes_files

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def secure(app: Dash, settings: Settings, pages: Sequence[Page]) -> None:
    """Limit size and host names of the requests of every route, including Dash's own, and add
    headers to the responses.
    """
    upload_limit = settings.max_upload_mb * 2**20
    hosts = accepted_hosts(settings)
    # Checked although they only read, because they are expensive to compute.
    downloads = tuple(file.prefix for page in pages for file in page.files)
    server: Flask = app.server
    server.config["MAX_CONTENT_LENGTH"] = CALLBACK_LIMIT

    @server.before_request
    def check() -> None:
        request.max_content_length = upload_limit if takes_files(request.path) else CALLBACK_LIMIT
        # When a client sends a Content-Length that is too large, refuse before reading the body.
        _check_size(request.max_content_length)
        if hosts:
            _check_host(hosts)
        if not is_writing(request.method) and request.path.startswith(downloads):
            _check_navigation(settings)

    @server.after_request
    def add_headers(response: Response) -> Response:
        # Only panels bring a policy of their own, which says who may frame them.
        is_panel = "Content-Security-Policy" in response.headers
        for name, value in _HEADERS.items():
            if not (is_panel and name == "X-Frame-Options"):
                response.headers.setdefault(name, value)
        response.headers.setdefault("Content-Security-Policy", content_security_policy(app))
        return response


def accepted_hosts(settings: Settings) -> frozenset[str]:
    """Return the host names in lower case that the server accepts: those of setting `allowed_hosts`
    and this machine's; empty for any name.

    With a fixed list, an attacker's host name that resolves to this machine is refused (DNS
    rebinding).
    """
    named = frozenset(
        name.strip().lower() for name in settings.allowed_hosts.split(",") if name.strip()
    )
    return named | LOOPBACK if named or settings.host.lower() in LOOPBACK else frozenset()


def content_security_policy(app: Dash) -> str:
    """Return the text of the header, with hashes of the inline scripts that Dash has generated so
    far.
    """
    directives = {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", *sorted(set(app.csp_hashes()))]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "object-src": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def _check_size(limit: int) -> None:
    if (request.content_length or 0) > limit:
        raise RequestError(
            f"The request is larger than the {limit // 2**20} MiB that this server accepts.", 413
        )


def _check_host(hosts: frozenset[str]) -> None:
    try:
        name = urlsplit(f"//{request.host}").hostname or ""
    except ValueError:
        name = request.host
    if name.lower() not in hosts:
        raise RequestError(
            f"This server does not accept the host name {name!r}: add it to TILESCOPE_ALLOWED_HOSTS.",
            421,
        )


def _check_navigation(settings: Settings) -> None:
    """Raise RequestError (403) for a download that a page of another site fetches or frames.

    Followed links are allowed.
    """
    headers = request.headers
    followed = (
        headers.get("Sec-Fetch-Mode") == "navigate" and headers.get("Sec-Fetch-Dest") == "document"
    )
    if not followed:
        check_origin(settings, EVERYONE)
