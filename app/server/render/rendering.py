"""Send slow requests to render processes; without render processes the server runs them itself."""

from __future__ import annotations

import io
import json
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, cast

from dash import Dash, html
from flask import Flask, Response, request
from plotly.utils import PlotlyJSONEncoder
from werkzeug.wsgi import wrap_file

from app.context import AppContext
from app.pages.opened_page import refusal
from app.request.errors import RequestError, mark_failed
from app.request.pieces_ahead import hand_over
from app.request.user import current_user
from app.request.visitors import give_cookie
from app.server.downloads import Downloads
from app.server.logs import request_id
from app.server.render.idle import IdleProcesses
from app.server.render.lanes import (
    CALLBACKS,
    HEALTH,
    IS_SLOW,
    MAX_WAITING,
    PAGE,
    Lanes,
    RenderWork,
)
from app.server.render.message import RenderResponse, create_task
from app.server.render.pool import RenderFailedError, RenderPool, Requester, busy
from app.server.render.process import RenderProcess
from ingest.template import Template

_OF_USER = MAX_WAITING // 8
"""Maximum number of requests of a user that wait or run at the same time."""
_OF_ADDRESS = MAX_WAITING * 3 // 4
"""Maximum number of requests of an address that wait or run at the same time."""
_PROGRAM_PATIENCE_S = 60.0
"""Maximum seconds that a program waits for a process that makes a file."""
_IN_SERVER = 2
"""Maximum number of slow callbacks that the server itself runs at the same time."""
QUERIES_AT_ONCE = 2
"""Maximum number of SQL queries that run at the same time."""
QUERIES_WAITING = 4
"""Maximum number of SQL queries that wait at the same time; further queries are refused."""
MAX_QUERIES_OF_ONE = QUERIES_AT_ONCE - 1 + QUERIES_WAITING // 2
"""Maximum number of queries of a user that run or wait.

A process and half of the queue are left for other users.
"""
_PARTS = 8
"""Number of equal parts of the memory limit of the caches; the server itself has one part."""
_OF_PAGES = 6
"""Parts that all render processes together may keep between requests of pages."""
_OF_FILES = 1
"""Parts that all render processes together may keep between requests of files."""
_OF_ONE = 5
"""Maximum parts that a single render process may use while the other processes need less.

The data of a request of a large run may take that much.
"""
View = Callable[..., Response]


class Rendering:
    """Sends requests to render processes once `start` was called; `lanes` classifies them."""

    def __init__(self, app: Dash, context: AppContext, lanes: Lanes) -> None:
        self._app = app
        self._context = context
        self.lanes = lanes
        self._views: dict[str, View] = {}
        self._pages: RenderPool | None = None
        self._files: RenderPool | None = None
        self._queries: RenderPool | None = None
        self._turns = threading.BoundedSemaphore(_IN_SERVER)

    @contextmanager
    def _turn(self, output: str) -> Iterator[None]:
        """Context that holds a turn if the server itself runs the slow callback with this output;
        other callbacks need no turn.

        Raises RenderFailedError (429) if no turn is free within the setting `wait_seconds`.
        """
        if not self.lanes.stays_in_server(output):
            yield
            return
        if not self._turns.acquire(timeout=self._context.settings.wait_seconds):
            raise busy()
        try:
            yield
        finally:
            self._turns.release()

    def take_callbacks(self) -> None:
        """Replace Dash's view for callbacks: slow callbacks go to render processes when `start` was
        called.
        """
        view = cast("View", self._app.server.view_functions[CALLBACKS])
        self._views[CALLBACKS] = view

        def callback() -> Response:
            body = request.get_json()
            work = self.lanes.classify_callback(body) if self._pages else None
            output = str(body.get("output"))
            try:
                if self._pages is None or work is None:
                    with self._turn(output):
                        return view()
                pool = self._queries if work.is_query and self._queries else self._pages
                return _build_response(
                    self._ask(pool, work, self._context.settings.render_processor_s)
                )
            except RenderFailedError as error:
                return _refused_callback(output, error)

        self._app.server.view_functions[CALLBACKS] = callback

    def take_files(self, downloads: Downloads) -> None:
        """Replace the views of all routes that make files by views that use render processes when
        `start` was called.
        """
        server = self._app.server
        for rule in server.url_map.iter_rules():
            if (
                rule.endpoint not in self._views
                and self.lanes.classify_path(rule.rule, {}) is not None
            ):
                self._take_file(server, rule.endpoint, downloads)

    def _take_file(self, server: Flask, endpoint: str, downloads: Downloads) -> None:
        view = cast("View", server.view_functions[endpoint])
        self._views[endpoint] = view

        @wraps(view)
        def file(**parts: Any) -> Response:  # noqa: ANN401 - Flask hands over parts of the path
            work = self.lanes.classify_path(request.path, parts)
            pool = self._queries if work is not None and work.is_query else self._files
            if pool is None or work is None:
                return view(**parts)
            response = self._ask(pool, work, self._context.settings.export_processor_s)
            if response.file is None:
                return _build_response(response)
            try:
                # Not earlier: a request that waits for a process has no file to send yet.
                release = downloads.take_place()
            except BaseException:
                response.file.close()
                raise
            return _build_file_response(response, response.file, release)

        server.view_functions[endpoint] = file

    def delegate_view(
        self, endpoint: str, view: View, *, for_page: bool = False
    ) -> Callable[[RenderWork], Response]:
        """Return a function that runs `view` in a render process for files or queries, and returns
        its response; without processes it runs here. With `for_page` it is a process for pages,
        whose cache may have the data.

        The function raises RequestError if no process is free in time, or if the process fails.
        """
        self._views[endpoint] = view

        def compute(work: RenderWork) -> Response:
            settings = self._context.settings
            pool = self._queries if work.is_query else self._files
            processor_s = settings.export_processor_s
            if for_page:
                pool = self._pages
                processor_s = settings.render_processor_s
            if pool is None:
                return view()
            return _build_response(self._ask(pool, work, processor_s))

        return compute

    def _query_processor_s(self) -> float:
        """Return the maximum seconds of processor time of a render process that reads a query's
        tables.

        It includes the time for which that process waits for the query.
        """
        settings = self._context.settings
        return settings.export_processor_s + settings.query_seconds

    def _ask(self, pool: RenderPool, work: RenderWork, processor_s: float) -> RenderResponse:
        """Run the current request on a process of the pool, for at most `processor_s` seconds of
        processor time, and return the response.

        A query has its own time limit. For queries an address counts as a person, too: clients
        without sign-in could otherwise occupy every place. Raises as `RenderPool.respond` does.
        """
        # The first bytes of the body looked quick, but slow work must not hold a quick thread.
        if request.environ.get(IS_SLOW) is False:
            raise RequestError("The pages have no such callback.", 400)
        user = current_user()
        is_program = work.is_file and request.path.startswith("/api/")
        patience_s = self._context.settings.wait_seconds
        if is_program:
            patience_s = max(patience_s, _PROGRAM_PATIENCE_S)
        if user.way in ("session", "proxy", "token"):
            owner = f"user {user.key}"
            max_waiting = _OF_USER
        else:
            owner = f"address {request.remote_addr}"
            max_waiting = _OF_ADDRESS
        seconds = self._query_processor_s() if work.is_query else processor_s
        task = create_task(request, request_id(), user, seconds, to_file=work.is_file)
        is_gone = request.environ.get("waitress.client_disconnected", lambda: False)
        is_one = work.is_query or user.way != "none"
        requester = Requester(owner, work.data_key, max_waiting, patience_s, is_one=is_one)
        response = pool.respond(task, requester, is_gone)
        if response.rendered.failed:
            mark_failed()
        if response.rendered.visitor:
            give_cookie(response.rendered.visitor)
        if response.rendered.ahead is not None:
            hand_over(response.rendered.ahead)
        return response

    def start(self) -> None:
        """Fork the template of the render processes, before the server has any threads; does not do
        so if setting `render_processes` is 0.
        """
        settings = self._context.settings
        server = self._app.server
        if not settings.render_processes:
            return
        with server.test_request_context(HEALTH):
            server.preprocess_request()  # Dash registers its callbacks at the first request
        cache = self._context.repository.cache
        count = settings.render_processes
        part = cache.limit_bytes // _PARTS
        process = RenderProcess(
            server,
            self._views,
            cache,
            page_bytes=_OF_PAGES * part // count,
            file_bytes=_OF_FILES * part // count,
            most_bytes=_OF_ONE * part,
            memory_mb=settings.render_memory_mb,
        )
        # Not multiprocessing's fork server: it would load the application again for each server
        # process (1.2 s, 170 MB), and its pools cannot end a single task.
        template = Template(process.serve)
        idle = IdleProcesses(template, cache.limit_bytes - part)
        cache.resize(part)
        self._pages = RenderPool(idle, count)
        self._files = RenderPool(idle, count)
        max_queries = QUERIES_AT_ONCE + QUERIES_WAITING
        self._queries = RenderPool(
            idle, QUERIES_AT_ONCE, max_queries, MAX_QUERIES_OF_ONE, "queries"
        )


def _build_response(message: RenderResponse) -> Response:
    rendered = message.rendered
    return Response(rendered.body, rendered.status, list(rendered.headers))


class _HeldFile(io.BufferedReader):
    """A file that calls `release` once: when it is closed or garbage-collected."""

    def __init__(self, raw: io.RawIOBase, release: Callable[[], None]) -> None:
        super().__init__(raw)
        self._released_once = weakref.finalize(self, release)

    def close(self) -> None:
        """Close the file and release its place."""
        super().close()
        self._released_once()


def _build_file_response(
    message: RenderResponse, file: io.RawIOBase, release: Callable[[], None]
) -> Response:
    held = _HeldFile(file, release)
    headers = list(message.rendered.headers)
    response = Response(status=message.rendered.status, headers=headers, direct_passthrough=True)
    response.response = wrap_file(request.environ, held)
    return response


def _refused_callback(output: str, error: RequestError) -> Response:
    """Build a response with the reason why a callback has no result: in place of the page if the
    callback lays it out, else in the toast.
    """
    mark_failed()
    if PAGE in output:
        page = html.Div(refusal(error))
        body: dict[str, Any] = {
            "response": {"_pages_content": {"children": page}, "_pages_store": {"data": {}}}
        }
    else:
        body = {"response": {}, "sideUpdate": {"toast": {"is_open": True, "children": str(error)}}}
    return Response(
        json.dumps({"multi": True} | body, cls=PlotlyJSONEncoder), content_type="application/json"
    )
