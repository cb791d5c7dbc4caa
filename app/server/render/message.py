"""Messages between the server and its render processes: a request, and its response."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Request

from app.request.pieces_ahead import PiecesAhead
from app.request.user import User

_PLAIN = (str, int, float, bool)
_REQUEST_ID = "HTTP_X_REQUEST_ID"


@dataclass(frozen=True)
class RenderTask:
    """A request that has passed the gate; `environ` has the plain values of its WSGI environment.

    It may use `processor_s` seconds of processor time. `to_file`: the response is sent as a file.
    """

    environ: Mapping[str, Any]
    body: bytes
    user: User | None
    processor_s: float
    to_file: bool

    def wsgi_environ(self) -> dict[str, Any]:
        """Return a WSGI environment of the request to call an application with; the body is in
        `wsgi.input`.
        """
        return {
            **self.environ,
            "wsgi.input": io.BytesIO(self.body),
            "CONTENT_LENGTH": str(len(self.body)),
        }


@dataclass(frozen=True)
class Rendered:
    """A response of a render process.

    `failed`: it reports a failure, which the next request may not meet. `visitor` is a cookie for
    the browser. `refusal` is an error sentence in place of a response. `stopped`: the client had
    hung up. `in_file`: the body follows as a file descriptor. `ahead` are the pieces that the page
    requests next. `is_last`: the process ends after
    this response; otherwise it continues and holds `held_bytes` of its own memory. The request took
    `processor_s` seconds of processor time.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    failed: bool = False
    visitor: str = ""
    refusal: str = ""
    stopped: bool = False
    in_file: bool = False
    ahead: PiecesAhead | None = None
    is_last: bool = False
    held_bytes: int = 0
    processor_s: float = 0.0


@dataclass(frozen=True)
class RenderResponse:
    """A response as the server received it; `file` has the body if it was sent as a file."""

    rendered: Rendered
    file: io.RawIOBase | None = None


def create_task(
    request: Request, request_id: str, user: User | None, processor_s: float, *, to_file: bool
) -> RenderTask:
    """Create the message for a request, with its body and the plain values of its environment;
    `processor_s` is its limit in seconds.
    """
    plain = {name: value for name, value in request.environ.items() if isinstance(value, _PLAIN)}
    return RenderTask(
        plain | {_REQUEST_ID: request_id}, request.get_data(), user, processor_s, to_file
    )
