"""Error responses: JSON (RFC 9457) for programs, a page or a toast for people, no tracebacks."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from dash import Dash, no_update, set_props
from flask import Flask, Response, current_app, g, render_template_string, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import MapAdapter

from app.request.server_paths import without_server_paths
from components.numbers import tame
from components.runs.list_address import list_address
from schema.run_settings import SettingError
from services.baselines.members import BaselineError
from services.comparison.compare import CompareError
from services.jobs.queue import JobCoveredError, JobRefusedError, TooManyJobsError
from storage.errors import NotStored, QuotaError, RunPinned, StorageError
from storage.failures import DATA_FOLDER, TEMPORARY_FILES, disk_sentence, is_disk_error

_LOG = logging.getLogger("tilescope")
_FAILED = "tilescope_failed"
"""Attribute of `flask.g` that marks a response about a failure."""
_MACHINE_PATHS = ("/api/", "/_dash", "/health", "/ready", "/metrics")
"""Beginnings of paths that only programs request."""
_NOTHING = "nothing at "
"""Beginning of the endpoints that respond to unknown addresses."""
_NO_PAGES = ("api", "auth", "badge", "export", "minimalloc", "table", "timeline")
"""First parts of addresses below which there are files and operations, but no pages."""
PROBLEM = "application/problem+json"
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{ title }} · Tilescope</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>:root{color-scheme:light dark}body{font:15px system-ui,sans-serif;margin:15vh auto;max-width:34rem;
overflow-wrap:anywhere;padding:0 16px}a{color:#0b57d0}@media (prefers-color-scheme:dark){a{color:#8ab4f8}}</style>
</head><body><main><h1>{{ title }}</h1><p>{{ sentence }}</p><p><a href="{{ href }}">{{ link }}</a></p></main></body>
</html>"""


_TITLES: Mapping[int, str] = MappingProxyType(
    {401: "Not signed in", 403: "Not permitted", 404: "Not found", 410: "No longer available"}
)
"""HTTP status -> heading of the page of an error."""
_JOB_RETRY_S = 30
"""Seconds in the header Retry-After if a user has too many jobs."""


class RequestError(Exception):
    """A request that is refused with HTTP `status`; the message is one sentence for users.

    `retry_after_s` becomes the header Retry-After.
    """

    def __init__(self, sentence: str, status: int, retry_after_s: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_after_s = retry_after_s


@contextmanager
def request_errors(status: int, *kinds: type[Exception], end: str = ".") -> Iterator[None]:
    """Raise a RequestError in place of an exception of the classes `kinds`. Its message is the
    message of the exception, which users understand, followed by `end`.
    """
    try:
        yield
    except kinds as error:
        raise RequestError(f"{error}{end}", status) from error


_EXPECTED = (RequestError, SettingError, StorageError, CompareError, BaselineError, JobRefusedError)
"""Errors whose message is a sentence for users."""


def register(app: Dash) -> None:
    """Register handlers, so that the server responds to every error with a sentence."""
    server: Flask = app.server
    server.register_error_handler(RequestError, _request_error)
    server.register_error_handler(JobCoveredError, lambda error: error_response(str(error), 409))
    server.register_error_handler(TooManyJobsError, _too_many_jobs)
    server.register_error_handler(SettingError, lambda error: error_response(str(error), 400))
    server.register_error_handler(HTTPException, _http_error)
    server.register_error_handler(StorageError, _storage_failed)
    server.register_error_handler(QuotaError, lambda error: error_response(error.public, 429))
    server.register_error_handler(OSError, _disk_failed)
    server.register_error_handler(Exception, _unexpected_error)
    # Without these rules Dash would respond with its page and status 200.
    for name in _NO_PAGES:
        path = f"/{name}/<path:_rest>"
        server.add_url_rule(path, f"{_NOTHING}{path}", _nothing_here)


def public(sentence: object) -> str:
    """Return the text of a message or error without everything that must not leave the server, such
    as paths and addresses.

    Every error message passes through this function before it reaches a person or a program.
    """
    context = current_app.extensions["tilescope"]
    settings = context.settings
    text = sentence.public if isinstance(sentence, StorageError) else str(sentence)
    return without_server_paths(
        text, (str(settings.data), settings.database_url, settings.frames_url)
    )


def as_sentence(words: object) -> str:
    """Format an error as a sentence for a page, with a capital letter and a full stop, without
    paths of the server.
    """
    text = tame(public(words))
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def error_response(sentence: str, status: int, **more: Any) -> Response:  # noqa: ANN401 - what JSON takes
    """Build the response for an error: problem JSON, or a page if a person's browser requested it.

    The JSON is `{"type", "title", "status", "detail"}` and the members `more`; 401 gets the header
    WWW-Authenticate.
    """
    sentence = public(sentence)
    if request.path.startswith(_MACHINE_PATHS) or "text/html" not in request.headers.get(
        "Accept", ""
    ):
        response = problem_response(sentence, status, **more)
    else:
        title = _TITLES.get(status, "The request failed")
        response = page_response(status, title, as_sentence(sentence))
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def problem_response(sentence: str, status: int, **more: Any) -> Response:  # noqa: ANN401 - what JSON takes
    """Build an error response of content type `application/problem+json`: type, title, status,
    detail (the sentence), and the members `more`.
    """
    problem = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": sentence,
    }
    return Response(json.dumps(problem | more), status, content_type=PROBLEM)


def page_response(
    status: int, title: str, sentence: str, link: tuple[str, str] = ("All runs", list_address())
) -> Response:
    """Build a response with a sentence as a page without scripts; `link` is (text, address)."""
    words, href = link
    page = render_template_string(
        _PAGE, status=status, title=title, sentence=sentence, link=words, href=href
    )
    return Response(page, status)


def callback_failed(error: Exception) -> object:
    """Show a toast about a failed callback, log the error, and return Dash's `no_update`, so that
    the rest of the page stays unchanged.
    """
    expected = isinstance(error, _EXPECTED)
    if isinstance(error, StorageError):
        log_failure(error)
    elif not expected:
        _LOG.error("a callback failed", exc_info=error)
    sentence = public(error) if expected else "A part of this page could not be computed."
    mark_failed()
    set_props("toast", {"is_open": True, "children": sentence})
    return no_update


def mark_failed() -> None:
    """Mark the response to this request as a failure, so that it is not cached.

    The failure may be gone when the request is sent again.
    """
    setattr(g, _FAILED, True)


def has_failed() -> bool:
    """Whether the response to this request was marked by `mark_failed`."""
    return bool(g.get(_FAILED, False))


def log_failure(error: StorageError) -> None:
    """Log in one line the details that a browser must not see.

    Missing and pinned runs and exceeded quotas are normal use, and not logged.
    """
    if isinstance(error, (NotStored, QuotaError, RunPinned)):
        return
    _LOG.error("%s %s: %s", request.method, request.path, error)


def _storage_failed(error: StorageError) -> Response:
    if isinstance(error, NotStored):
        return error_response(error.public, 404)
    if isinstance(error, RunPinned):
        return error_response(error.public, 409)
    log_failure(error)
    return error_response(error.public, 503)


def _disk_failed(error: OSError) -> Response:
    """Respond with 503 and a sentence to errors of the server's own disk, for example under the
    files of an upload; with 500 to other errors.
    """
    if not is_disk_error(error):
        return _unexpected_error(error)
    _LOG.error("%s %s: %s", request.method, request.path, error)
    return error_response(disk_sentence(error, _disk_place(error)), 503)


def _disk_place(error: OSError) -> str:
    """Return the words for the disk of an error: the data folder if its file is in there, else the
    temporary files.
    """
    data = str(current_app.extensions["tilescope"].settings.data)
    return DATA_FOLDER if str(error.filename or "").startswith(data) else TEMPORARY_FILES


def _request_error(error: RequestError) -> Response:
    response = error_response(str(error), error.status)
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(error.retry_after_s)
    return response


def _too_many_jobs(error: TooManyJobsError) -> Response:
    return _request_error(RequestError(str(error), 429, _JOB_RETRY_S))


def _nothing_here(_rest: str) -> Response:
    """Return an error response: the address does not exist (404) or does not accept the method
    (405).
    """
    methods = _methods()
    if not methods:
        return error_response(_SENTENCES[404], 404)
    response = error_response(_SENTENCES[405], 405)
    response.headers["Allow"] = ", ".join(methods)
    return response


def _methods() -> list[str]:
    """List the HTTP methods that the address accepts; empty if the address does not exist."""
    adapter = current_app.create_url_adapter(request)
    return (
        sorted(method for method in adapter.allowed_methods() if _takes(adapter, method))
        if adapter
        else []
    )


def _takes(adapter: MapAdapter, method: str) -> bool:
    rule, _ = adapter.match(method=method, return_rule=True)
    return not str(rule.endpoint).startswith(_NOTHING)


def _http_error(error: HTTPException) -> Response:
    # The rules for unknown addresses accept GET, so other methods at an unknown address raise this
    # error as well.
    if isinstance(error, MethodNotAllowed):
        return _nothing_here("")
    status = error.code or 500
    return error_response(
        _SENTENCES.get(status) or error.description or "The request failed.", status
    )


def _unexpected_error(error: Exception) -> Response:
    _LOG.error("%s %s failed", request.method, request.path, exc_info=error)
    return error_response(
        "The server failed to handle this request; the server log has the reason.", 500
    )


_SENTENCES = {
    404: "There is no page at this address.",
    405: "This address does not accept this method.",
    413: "The request is larger than the server accepts.",
}
