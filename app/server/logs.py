"""The server's log: a line of text or a JSON object each, with the id of the request that it belongs to."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import textwrap
import time
from datetime import UTC, datetime
from typing import Any

from flask import Flask, Response, g, has_request_context, request

from app.request.user import known_user

_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_HEADER = "X-Request-ID"
_ACCESS = logging.getLogger("tilescope.access")
_PLACES = ("method", "path", "status", "seconds", "user")
"""What a line about a request has beside the others."""


class JsonLines(logging.Formatter):
    """A JSON object a line: time, level, logger, message, request."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record's line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in ("request_id", *_PLACES) if hasattr(record, name)}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class TextLines(logging.Formatter):
    """A line each, whatever its message holds; what an exception says stands below it, indented."""

    def __init__(self) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """Return a record's line: what clients send may not look like another one."""
        return "".join(
            c if c.isprintable() else c.encode("unicode_escape").decode() for c in super().formatMessage(record)
        )

    def formatException(self, ei: Any) -> str:  # noqa: ANN401, N802 - logging's own
        """Return an exception with its traceback."""
        return textwrap.indent(super().formatException(ei), "    ", lambda line: True)


class _OfRequest(logging.Filter):
    """Adds the id of the request."""

    def filter(self, record: logging.LogRecord) -> bool:
        if has_request_context() and not hasattr(record, "request_id"):
            record.request_id = request_id()
        return True


def configure(log_format: str) -> None:
    """Write the log of this process, and of those that it forks, to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if log_format == "json" else TextLines())
    handler.addFilter(_OfRequest())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(capture=True)
    _ACCESS.setLevel(logging.INFO if log_format == "json" else logging.WARNING)
    logging.getLogger("tilescope").setLevel(logging.INFO if log_format == "json" else logging.WARNING)


def request_id() -> str:
    """Return the id of this request: that of the proxy before, or one of our own."""
    known: str | None = g.get("tilescope_request_id")
    if known is None:
        given = request.headers.get(_HEADER, "")
        known = given if _ID.fullmatch(given) else secrets.token_hex(8)
        g.tilescope_request_id = known
    return known


def register(server: Flask) -> None:
    """Give every answer the request's id, and put every request down."""

    @server.before_request
    def begin() -> None:
        g.tilescope_began = time.perf_counter()
        request_id()

    @server.after_request
    def end(response: Response) -> Response:
        response.headers[_HEADER] = request_id()
        if _ACCESS.isEnabledFor(logging.INFO):
            seconds = round(time.perf_counter() - g.get("tilescope_began", time.perf_counter()), 4)
            user = known_user()
            told = {"method": request.method, "path": request.path, "status": response.status_code}
            told |= {"seconds": seconds, "user": user.name if user else ""}
            _ACCESS.info("%s %s %s", request.method, request.path, response.status_code, extra=told)
        return response
