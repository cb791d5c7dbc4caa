"""Errors as people and programs see them: one JSON shape (RFC 9457), one quiet page, one toast; never a traceback."""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from typing import Any

from dash import Dash, no_update, set_props
from flask import Flask, Response, current_app, g, render_template_string, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import MapAdapter

from app.request.server_paths import without_server_paths
from components.numbers import tame
from schema.run_settings import SettingError
from services.baselines.members import BaselineError
from services.comparison.compare import CompareError
from services.jobs.queue import JobCoveredError, JobRefusedError, TooManyJobsError
from storage.errors import NotStored, QuotaError, RunPinned, StorageError
from storage.failures import DATA_FOLDER, TEMPORARY_FILES, disk_sentence, is_of_the_disk

_LOG = logging.getLogger("tilescope")
_FAILED = "tilescope_failed"
_MACHINE_PATHS = ("/api/", "/_dash", "/health", "/ready", "/metrics")
_NOTHING = "nothing at "
PROBLEM = "application/problem+json"
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{ status }} · Tilescope</title>
<style>:root{color-scheme:light dark}body{font:15px system-ui,sans-serif;margin:15vh auto;max-width:34rem}</style>
</head><body><h1>{{ title }}</h1><p>{{ sentence }}</p><p><a href="{{ href }}">{{ link }}</a></p></body></html>"""


_JOB_RETRY_S = 30


class RequestError(Exception):
    """A request that cannot be answered; the message is one sentence for a person."""

    def __init__(self, sentence: str, status: int, retry_after_s: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_after_s = retry_after_s


_EXPECTED = (RequestError, SettingError, StorageError, CompareError, BaselineError, JobRefusedError)
"""Errors whose message is a sentence for who asked."""


def register(app: Dash) -> None:
    """Answer every error of the server with a sentence."""
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
    for path in ("/api/<path:_rest>", "/auth/<path:_rest>"):  # Dash would answer with the page
        server.add_url_rule(path, f"{_NOTHING}{path}", _nothing_here)


def public(sentence: object) -> str:
    """Return what may leave the server of a sentence: every error passes here on its way to a person or a program."""
    context = current_app.extensions["tilescope"]
    settings = context.settings
    text = sentence.public if isinstance(sentence, StorageError) else str(sentence)
    return without_server_paths(text, (str(settings.data), settings.database_url, settings.frames_url))


def as_sentence(words: object) -> str:
    """Return an error as a sentence that a page shows."""
    said = tame(public(words))
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith('.') else '.'}"


def error_response(sentence: str, status: int, **more: Any) -> Response:  # noqa: ANN401 - what JSON takes
    """Return the sentence as `{"type", "title", "status", "detail"}`, or as a page where a person's browser asked.

    What else programs are to know stands beside these.
    """
    sentence = public(sentence)
    if request.path.startswith(_MACHINE_PATHS) or "text/html" not in request.headers.get("Accept", ""):
        response = problem_response(sentence, status, **more)
    else:
        response = page_response(status, "Not found" if status == 404 else "The request failed", sentence)
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def problem_response(sentence: str, status: int, **more: Any) -> Response:  # noqa: ANN401 - what JSON takes
    """Return an error as programs read it."""
    problem = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": sentence}
    return Response(json.dumps(problem | more), status, content_type=PROBLEM)


def page_response(status: int, title: str, sentence: str, link: tuple[str, str] = ("All runs", "/")) -> Response:
    """Return a sentence as a page without scripts."""
    words, href = link
    page = render_template_string(_PAGE, status=status, title=title, sentence=sentence, link=words, href=href)
    return Response(page, status)


def callback_failed(error: Exception) -> object:
    """Tell the person that a part of the page could not be computed; the rest stays as it is."""
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
    """Say that the answer to this request tells of a failure, which may be over next time."""
    setattr(g, _FAILED, True)


def has_failed() -> bool:
    """Return whether the answer to this request tells of a failure."""
    return bool(g.get(_FAILED, False))


def log_failure(error: StorageError) -> None:
    """Log in one line what is kept from the browser; what is not there is no failure."""
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
    """Answer where the server's own disk fails, such as under the files of an upload."""
    if not is_of_the_disk(error):
        return _unexpected_error(error)
    _LOG.error("%s %s: %s", request.method, request.path, error)
    return error_response(disk_sentence(error, _place_of(error)), 503)


def _place_of(error: OSError) -> str:
    """Return which disk of the server an error is of; all that is not in the data folder is in TMPDIR."""
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
    """Say that there is nothing, or that it does not take such a request."""
    methods = _methods()
    if not methods:
        return error_response(_SENTENCES[404], 404)
    response = error_response(_SENTENCES[405], 405)
    response.headers["Allow"] = ", ".join(methods)
    return response


def _methods() -> list[str]:
    """Return the methods that this address takes, none where there is nothing."""
    adapter = current_app.create_url_adapter(request)
    return sorted(method for method in adapter.allowed_methods() if _takes(adapter, method)) if adapter else []


def _takes(adapter: MapAdapter, method: str) -> bool:
    rule, _ = adapter.match(method=method, return_rule=True)
    return not str(rule.endpoint).startswith(_NOTHING)


def _http_error(error: HTTPException) -> Response:
    if isinstance(error, MethodNotAllowed):
        return _nothing_here("")
    status = error.code or 500
    return error_response(_SENTENCES.get(status) or error.description or "The request failed.", status)


def _unexpected_error(error: Exception) -> Response:
    _LOG.error("%s %s failed", request.method, request.path, exc_info=error)
    return error_response("Something went wrong on the server; its log says what.", 500)


_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not accept this method.",
    413: "The request is larger than the server accepts.",
}
