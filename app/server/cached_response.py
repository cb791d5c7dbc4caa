"""An HTTP response as compressed bytes that can be stored and sent again."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dash.development.base_component import Component
from flask import Response, request
from plotly.utils import PlotlyJSONEncoder

from app.request.errors import has_failed
from app.request.user_parts import join_placeholder
from app.views.view import FAILED, STOPPED

SENT_LEVEL = 5
"""Compression level of gzip for bodies that are sent."""
QUICK_LEVEL = 1
"""Compression level of gzip for bodies that are only stored: it takes half the time of SENT_LEVEL,
for a sixth more bytes.
"""
CACHEABLE = (200, 204)
"""Status codes of responses that may be cached."""
_NOT_CACHED = 2**62
"""Cost of a response that must not be cached: more bytes than any cache may hold."""


@dataclass(frozen=True)
class CachedResponse:
    """A response body, compressed with gzip, and its status code.

    `is_cacheable` is False if the response is for the current request only, for example after a
    failure.
    """

    body: bytes
    status: int
    is_cacheable: bool = True

    @property
    def cost(self) -> int:
        """Bytes that the response takes in the cache: its body and 200; _NOT_CACHED (2^62) if it
        must not be cached.
        """
        return len(self.body) + 200 if self.is_cacheable else _NOT_CACHED


def render_response(make: Callable[..., Response], level: int = SENT_LEVEL) -> CachedResponse:
    """Call a Flask view and return its response compressed with gzip at a level.

    The response may be cached if its status is 200 or 204 and no part of it reports a failure or a
    stopped computation: the next request could succeed.
    """
    rendered = make()
    data = rendered.get_data()
    return CachedResponse(pack_body(data, level), rendered.status_code, is_cacheable(rendered))


def is_cacheable(rendered: Response) -> bool:
    """Return whether the response of the current request may be cached."""
    # A page whose panel failed or was stopped has status 200 as well.
    is_whole = is_drawn_whole(rendered.get_data())
    return rendered.status_code in CACHEABLE and is_whole and not has_failed()


def is_drawn_whole(data: bytes) -> bool:
    """Return whether no part of a body reports a failure or a stopped computation."""
    return not any(sentence.encode() in data for sentence in (FAILED, STOPPED))


def pack_body(data: bytes, level: int = SENT_LEVEL) -> bytes:
    """Compress the body of a response."""
    # mtime=0 makes equal bodies equal bytes, so that their ETags agree.
    return gzip.compress(data, level, mtime=0)


def read_body(cached: CachedResponse) -> bytes:
    """Return the body of a response without compression."""
    return gzip.decompress(cached.body)


def fill_placeholders(
    cached: CachedResponse, token: str, make_parts: Callable[[], Mapping[str, Component | None]]
) -> CachedResponse:
    """Put the parts for the user, by name, into a response in place of the placeholders with this
    token, and compress it for sending. Errors of `make_parts` are raised.
    """
    text = read_body(cached)
    parts = make_parts() if token.encode() in text else {}
    for name, part in parts.items():
        mark = json.dumps(join_placeholder(token, name)).encode()
        text = text.replace(mark, json.dumps(part, cls=PlotlyJSONEncoder).encode())
    return replace(cached, body=pack_body(text))


def response(cached: CachedResponse) -> Response:
    """Build the Flask response (JSON) for the current request, uncompressed if the client rejects
    gzip.
    """
    accepted = request.accept_encodings.quality("gzip") > 0
    body = cached.body if accepted else read_body(cached)
    sent = Response(body, cached.status, content_type="application/json")
    sent.vary.add("Accept-Encoding")
    if accepted:
        sent.headers["Content-Encoding"] = "gzip"
    return sent
