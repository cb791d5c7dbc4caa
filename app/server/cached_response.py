"""An HTTP response as compressed bytes that can be stored and sent again."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass

from flask import Response, request

from app.request.errors import has_failed
from app.views.view import FAILED, STOPPED

_LEVEL = 5
"""Compression level of gzip."""
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


def render_response(make: Callable[..., Response]) -> CachedResponse:
    """Call a Flask view and return its response compressed with gzip.

    The response may be cached if its status is 200 or 204 and no part of it reports a failure or a
    stopped computation: the next request could succeed.
    """
    rendered = make()
    data = rendered.get_data()
    # A page whose panel failed or was stopped has status 200 as well.
    is_whole = not any(sentence.encode() in data for sentence in (FAILED, STOPPED))
    is_cacheable = rendered.status_code in CACHEABLE and is_whole and not has_failed()
    # mtime=0 makes equal bodies equal bytes, so that their ETags agree.
    return CachedResponse(gzip.compress(data, _LEVEL, mtime=0), rendered.status_code, is_cacheable)


def response(cached: CachedResponse) -> Response:
    """Build the Flask response (JSON) for the current request, uncompressed if the client rejects
    gzip.
    """
    accepted = request.accept_encodings.quality("gzip") > 0
    body = cached.body if accepted else gzip.decompress(cached.body)
    sent = Response(body, cached.status, content_type="application/json")
    sent.vary.add("Accept-Encoding")
    if accepted:
        sent.headers["Content-Encoding"] = "gzip"
    return sent
