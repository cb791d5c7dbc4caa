"""Classify requests as quick or slow: render processes handle slow requests, on separate threads.

The records of pages declare their slow requests. All other requests are quick: they read rows of
the catalogue, or files.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.pages.page import Page
from app.server.limits import PARTS_PATH, TOOLS_PATH, takes_files

CALLBACKS = "/_dash-update-component"
"""Path of Dash's callbacks."""
HEALTH = "/healthz"
"""Path that is answered by the event loop itself."""
MAX_WAITING = 128
"""Maximum number of requests of a server process that wait for a render process or its response.

A thread waits for each of them.
"""
LOOK_BYTES = 512
"""Bytes of a request body that are inspected before it is parsed."""
IS_SLOW = "tilescope.slow"
"""Key of the WSGI environment: whether the request runs on the threads for slow requests.

It is missing if the server has no such threads.
"""
PAGE = "_pages_content.children"
"""Output of the callback that lays out a page."""
_PATH, _SEARCH = "_pages_location.pathname", "_pages_location.search"
_COMPUTED = re.compile(
    r"/api/v1/(?:admin|check|embeds|status|bisections(?:/.+)?|runs/[^/]+/(?:frames/.+|advice|pace|memory|breakdown|idle|ops"
    r"|ranks|design|predict))"
    r"|/badge/(?s:.+)|/embed/(?s:.+)|/timeline/(?s:.+)"
)
"""Paths of API operations, badges, panels and tiles of timelines that may take long."""
QUERY = "/api/v1/query"
"""Path of SQL queries: a render process reads the tables, a separate process runs the query."""
_QUERIES = itertools.count()
_CALLS_OTHERS = re.compile(r"/api/v1/alerts/(?s:.+)")
"""Paths of API operations that call other servers; the server itself runs them."""
_SENDING = ("POST", "PUT", "PATCH")
_TYPE = re.compile(r'\{(?:"\w+":(?:"[^"]*"|\["\w+"\]),)*?"type":"')
"""Start of an output with a pattern-matching id, up to its type."""
_OUTPUT = re.compile(rb'\A\s*\{\s*"output"\s*:\s*"((?:[^"\\]|\\.){1,300})')
"""Start of the body of a callback, up to the name of its output."""


@dataclass(frozen=True)
class RenderWork:
    """Work of a request for a render process.

    `data_key` is the run or runs that it reads, or another text that equal work shares. `is_file`:
    the response is a file. `is_query`: a separate process runs the query meanwhile.
    """

    data_key: str
    is_file: bool = False
    is_query: bool = False


class Lanes:
    """Classifies requests to a server with these pages."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        files = [file for page in pages for file in page.files]
        self._files = tuple(file.prefix for file in files)
        self._queries = (QUERY, *(file.prefix for file in files if file.is_query))
        self._in_server = tuple(output for page in pages for output in page.in_server)
        self._asks = tuple(output for page in pages for output in page.asks)
        exceptions = [(output, not page.is_slow) for page in pages for output in page.exceptions]
        # Longer prefixes first, so that the most specific prefix of an output decides.
        named = [*exceptions, *((f"{page.name}-", page.is_slow) for page in pages)]
        self._outputs = sorted(named, key=lambda output: -len(output[0]))

    def is_slow(self, method: str, path: str, body: bytes) -> bool:
        """Whether a request waits on the threads for slow requests; unknown callbacks and pages
        count as slow.

        `body` may be the first LOOK_BYTES (512) bytes: this is decided before the body is parsed.
        """
        if path == CALLBACKS:
            # When the first bytes name no output, the body is not one that Dash's pages send.
            begin = _OUTPUT.match(body)
            return begin is None or self._is_slow_output(
                begin[1].decode("utf-8", "replace").replace('\\"', '"')
            )
        return self._is_file(path) or (method in _SENDING and self._is_on_slow_thread(path))

    def _is_on_slow_thread(self, path: str) -> bool:
        return (
            takes_files(path)
            or path == TOOLS_PATH
            or path.startswith(PARTS_PATH)
            or _CALLS_OTHERS.fullmatch(path) is not None
        )

    def classify_path(self, path: str, parts: Mapping[str, Any]) -> RenderWork | None:
        """Return the work of a request that is no callback: a query or a file; None if it is quick.

        `parts` are the variable parts of its route.
        """
        if path in self._queries:
            return query_work(is_file=True)
        return (
            RenderWork(str(parts.get("run_id", path)), is_file=True)
            if self._is_file(path)
            else None
        )

    def stays_in_server(self, output: str) -> bool:
        """Whether the server itself runs a slow callback with this output, as its page declares,
        instead of a render process.
        """
        return _component(output).startswith(self._in_server)

    def classify_callback(self, body: Mapping[str, Any]) -> RenderWork | None:
        """Return the work of a callback for a render process, None if the server runs it itself
        because it is quick or declared so.
        """
        output = str(body.get("output"))
        if not self._is_slow_output(output) or self.stays_in_server(output):
            return None
        if _component(output).startswith(self._asks):
            return query_work(is_file=False)
        values = {
            f"{part['id']}.{part['property']}": part.get("value")
            for part in [*body.get("inputs", []), *body.get("state", [])]
            if isinstance(part, Mapping) and isinstance(part.get("id"), str)
        }
        if PAGE in output:
            return self._work_of_page(str(values.get(_PATH) or "/"), str(values.get(_SEARCH) or ""))
        named = (
            str(value) for name, value in values.items() if name.endswith("-id.data") and value
        )
        return RenderWork(next(named, "") or self._data_of_query(values) or output)

    def _data_of_query(self, values: Mapping[str, Any]) -> str:
        """Return a text for the runs that the view state of a page names, "" if it names none.

        Pages without an id, such as comparisons, would otherwise be one data key for all users, and
        wait for each other.
        """
        for page in self._pages:
            if page.query_data is not None and f"{page.view}.data" in values:
                return page.query_data(str(values[f"{page.view}.data"] or ""))
        return ""

    def _work_of_page(self, path: str, search: str) -> RenderWork | None:
        for page in self._pages:
            run_id = page.match_path(path)
            if run_id is not None:
                named = page.query_data(search.removeprefix("?")) if page.query_data else ""
                return RenderWork(run_id or named or path + search) if page.is_slow else None
        return RenderWork(path + search)

    def _is_file(self, path: str) -> bool:
        return (
            path == QUERY or path.startswith(self._files) or _COMPUTED.fullmatch(path) is not None
        )

    def _is_slow_output(self, output: str) -> bool:
        component = _component(output)
        return next(
            (is_slow for begin, is_slow in self._outputs if component.startswith(begin)), True
        )


def query_work(*, is_file: bool) -> RenderWork:
    """Return the work of an SQL query for a render process, with a new unique data key; `is_file`
    if its result is written to a file.
    """
    return RenderWork(f"query {next(_QUERIES)}", is_file=is_file, is_query=True)


def _component(output: str) -> str:
    """Return the id of an output's first component, or its type and the rest of the text if the id
    is a pattern.
    """
    first = output.removeprefix("..")
    several = _TYPE.match(first)
    return first[several.end() :] if several else first
