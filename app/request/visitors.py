"""Anonymous browsers, distinguished by a random cookie that gives no rights."""

from __future__ import annotations

import re
import secrets

from flask import Flask, Response, g, request

from app.request.user import is_https

VISITOR_COOKIE = "tilescope-visitor"
_NEW = "tilescope_visitor"
_TEXT = re.compile(r"[0-9a-f]{32}")


def visitor() -> str:
    """Return an id of the browser: the 32 hex digits of its cookie, or `at ADDRESS` if it sent no
    valid cookie.

    In the second case the response sets a new cookie.
    """
    sent = request.cookies.get(VISITOR_COOKIE, "")
    if _TEXT.fullmatch(sent):
        return sent
    setattr(g, _NEW, secrets.token_hex(16))
    return f"at {request.remote_addr}"


def new_visitor() -> str:
    """Return the value of the cookie to set in the response; "" if the browser has a cookie or was
    not identified.
    """
    return str(g.get(_NEW, ""))


def give_cookie(text: str) -> None:
    """Set a cookie in the response, with a value that another process chose."""
    setattr(g, _NEW, text)


def keep_visitors(server: Flask, public_url: str) -> None:
    """Register a handler that sends new cookies; a browser deletes them when it is closed."""

    @server.after_request
    def give(response: Response) -> Response:
        if new := new_visitor():
            secure = is_https(public_url)
            response.set_cookie(VISITOR_COOKIE, new, httponly=True, samesite="Lax", secure=secure)
        return response
