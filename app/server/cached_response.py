"""An answer as bytes that can be sent again."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass

from flask import Response, request

from app.request.errors import has_failed
from app.views.view import FAILED, STOPPED

_LEVEL = 5
_NOT_KEPT = 2**62


@dataclass(frozen=True)
class CachedResponse:
    """A body as gzip and its status; one that is not `kept` is for this request alone."""

    body: bytes
    status: int
    kept: bool = True

    @property
    def cost(self) -> int:
        """Return the bytes that it takes in the cache; more than any cache has where it is not to be kept."""
        return len(self.body) + 200 if self.kept else _NOT_KEPT


def render_response(make: Callable[..., Response]) -> CachedResponse:
    """Return what a view of Flask answers."""
    given = make()
    data = given.get_data()
    is_whole = not any(sentence.encode() in data for sentence in (FAILED, STOPPED))
    kept = given.status_code in (200, 204) and is_whole and not has_failed()
    return CachedResponse(gzip.compress(data, _LEVEL, mtime=0), given.status_code, kept)


def response(answer: CachedResponse) -> Response:
    """Return an answer as this request takes it."""
    accepted = request.accept_encodings.quality("gzip") > 0
    body = answer.body if accepted else gzip.decompress(answer.body)
    sent = Response(body, answer.status, content_type="application/json")
    sent.vary.add("Accept-Encoding")
    if accepted:
        sent.headers["Content-Encoding"] = "gzip"
    return sent
