"""The server's log: each record is a line of text or a JSON object, with the id of its request."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import textwrap
import time
from datetime import UTC, datetime
from http.client import OK
from typing import Any

from flask import Flask, Response, g, has_request_context, request

from app.request.signing import SIGNED
from app.request.user import known_user
from app.server.render.lanes import HEALTH

_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
"""Request ids that are accepted from a client or proxy."""
_HEADER = "X-Request-ID"
_POLL_HEADER = "X-Tilescope-Poll"
"""Header of the health checks that every open page makes; those that succeed are at level DEBUG."""
_ACCESS = logging.getLogger("tilescope.access")
_REQUEST_FIELDS = ("method", "path", "status", "seconds", "user")
"""Additional fields of a record about a request."""


class JsonLines(logging.Formatter):
    """Formatter for JSON objects: time, level, logger, message, request fields, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a JSON object in a line: time (UTC), level, logger, message, fields
        of the request, exception.
        """
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {
            name: getattr(record, name)
            for name in ("request_id", *_REQUEST_FIELDS)
            if hasattr(record, name)
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class TextLines(logging.Formatter):
    """Formatter for text: a line for each message, then its traceback, indented."""

    def __init__(self) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """Return the line of a record: level, logger and message.

        Unprintable characters are escaped: a client could otherwise send text that looks like
        another line of the log.
        """
        return "".join(
            c if c.isprintable() else c.encode("unicode_escape").decode()
            for c in super().formatMessage(record)
        )

    def formatException(self, ei: Any) -> str:  # noqa: ANN401, N802 - logging's own
        """Return the traceback of an exception, all lines indented by four spaces."""
        return textwrap.indent(super().formatException(ei), "    ", lambda line: True)


class _RequestIdFilter(logging.Filter):
    """Filter that adds the request id to each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        if has_request_context() and not hasattr(record, "request_id"):
            record.request_id = request_id()
        return True


def configure(log_format: str) -> None:
    """Send the log of this process, and of processes that it forks, to stderr: JSON if `log_format`
    is `json`, else text.

    Requests and information are only logged as JSON, warnings and errors always.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if log_format == "json" else TextLines())
    handler.addFilter(_RequestIdFilter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(capture=True)
    _ACCESS.setLevel(logging.INFO if log_format == "json" else logging.WARNING)
    logging.getLogger("tilescope").setLevel(
        logging.INFO if log_format == "json" else logging.WARNING
    )


def request_id() -> str:
    """Return the id of the current request, the same each time: the valid id in its header, else 16
    random hex digits.
    """
    identity: str | None = g.get("tilescope_request_id")
    if identity is None:
        received = request.headers.get(_HEADER, "")
        # A client's id is checked, because it becomes part of every line of the log.
        identity = received if _ID.fullmatch(received) else secrets.token_hex(8)
        g.tilescope_request_id = identity
    return identity


def _logged_path() -> str:
    """Return the path of the request, without the signature of a signed address: who has the whole
    address may read what it names.
    """
    path = request.path
    return f"{path.rpartition('/')[0]}/..." if path.startswith(SIGNED) else path


def register(server: Flask) -> None:
    """Add the request id to every response and log every request."""

    @server.before_request
    def begin() -> None:
        g.tilescope_began = time.perf_counter()
        request_id()

    @server.after_request
    def end(response: Response) -> Response:
        response.headers[_HEADER] = request_id()
        is_poll = request.path == HEALTH and _POLL_HEADER in request.headers
        # A line per page and second and a half would hide the requests of people.
        level = logging.DEBUG if is_poll and response.status_code == OK else logging.INFO
        if _ACCESS.isEnabledFor(level):
            seconds = round(time.perf_counter() - g.get("tilescope_began", time.perf_counter()), 4)
            user = known_user()
            path = _logged_path()
            fields = {
                "method": request.method,
                "path": path,
                "status": response.status_code,
                "seconds": seconds,
                "user": user.name if user else "",
            }
            _ACCESS.log(
                level,
                "%s %s %s",
                request.method,
                path,
                response.status_code,
                extra=fields,
            )
        return response
