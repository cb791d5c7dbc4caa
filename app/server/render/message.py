"""What the server and its render processes tell each other: a request, and what it is answered with."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Request

from app.request.user import User

_PLAIN = (str, int, float, bool)
_REQUEST_ID = "HTTP_X_REQUEST_ID"


@dataclass(frozen=True)
class RenderTask:
    """A request of a user whom the server has let in; `environ` is what WSGI says of it, plain values alone.

    It may take `processor_s` of processor time. `to_file`: the response travels as a file.
    """

    environ: Mapping[str, Any]
    body: bytes
    user: User | None
    processor_s: float
    to_file: bool

    def wsgi_environ(self) -> dict[str, Any]:
        """Return an environment that an application can be called with."""
        return {**self.environ, "wsgi.input": io.BytesIO(self.body), "CONTENT_LENGTH": str(len(self.body))}


@dataclass(frozen=True)
class Rendered:
    """A response: `failed` where it tells of a failure, which may be over; `visitor` is a cookie for the browser.

    `refusal` is a sentence in place of a response, `stopped` says that nobody waited any more. `in_file`: the body
    follows as a file. `is_last`: the process ends after this; else it goes on with `held_bytes` of memory of its own.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    failed: bool = False
    visitor: str = ""
    refusal: str = ""
    stopped: bool = False
    in_file: bool = False
    is_last: bool = False
    held_bytes: int = 0


@dataclass(frozen=True)
class RenderResponse:
    """A response as the server got it; `file` has the body where it came as a file."""

    rendered: Rendered
    file: io.RawIOBase | None = None


def task_of(request: Request, request_id: str, user: User | None, processor_s: float, *, to_file: bool) -> RenderTask:
    """Return a request as a render process is sent it."""
    plain = {name: value for name, value in request.environ.items() if isinstance(value, _PLAIN)}
    return RenderTask(plain | {_REQUEST_ID: request_id}, request.get_data(), user, processor_s, to_file)
