"""Browsers of people who do not sign in, told apart by a cookie that gives no right and says nothing else."""

from __future__ import annotations

import re
import secrets

from flask import Flask, Response, g, request

from app.request.user import is_https

VISITOR_COOKIE = "tilescope-visitor"
_NEW = "tilescope_visitor"
_TEXT = re.compile(r"[0-9a-f]{32}")


def visitor() -> str:
    """Return what this request's browser has and no other; its address before it has a cookie, and if it takes none."""
    sent = request.cookies.get(VISITOR_COOKIE, "")
    if _TEXT.fullmatch(sent):
        return sent
    setattr(g, _NEW, secrets.token_hex(16))
    return f"at {request.remote_addr}"


def new_visitor() -> str:
    """Return the cookie that this request's browser is to be given, empty where it needs none."""
    return str(g.get(_NEW, ""))


def give_cookie(text: str) -> None:
    """Have this request's browser given a cookie that another process chose."""
    setattr(g, _NEW, text)


def keep_visitors(server: Flask, public_url: str) -> None:
    """Give a browser that was asked about its cookie, which is gone when the browser is closed."""

    @server.after_request
    def give(response: Response) -> Response:
        if new := new_visitor():
            secure = is_https(public_url)
            response.set_cookie(VISITOR_COOKIE, new, httponly=True, samesite="Lax", secure=secure)
        return response
