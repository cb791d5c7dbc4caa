"""Which requests may take long: they are answered by render processes, and wait on threads of their own.

The records of pages say which of their requests those are. What else is not named here is quick: it reads rows of the
catalogue, or files.
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
HEALTH = "/healthz"
MOST_WAITING = 128
"""Requests of a server process that wait for a render process, or for its answer; each has a thread."""
LOOK_BYTES = 512
"""What is looked at of a body before it is parsed."""
IS_SLOW = "tilescope.slow"
"""Whether a request waits on a thread of those that may take long, in its environment; missing without such threads."""
PAGE = "_pages_content.children"
_PATH, _SEARCH = "_pages_location.pathname", "_pages_location.search"
_COMPUTED = re.compile(r"/api/v1/(?:runs/[^/]+/(?:frames/.+|advice|pace)|admin|check|status)")
"""Operations of the API that may take long."""
QUERY = "/api/v1/query"
"""Asks in SQL: a process of its own answers, and the render process that reads the tables waits for it."""
_QUERIES = itertools.count()
_TELLING = re.compile(r"/api/v1/alerts/(?s:.+)")
"""Operations of the API that ask other servers, which the server itself does."""
_SENDING = ("POST", "PUT", "PATCH")
_TYPE = re.compile(r'\{(?:"\w+":(?:"[^"]*"|\["\w+"\]),)*?"type":"')
"""Begins an output whose id stands for several components, up to their type."""
_OUTPUT = re.compile(rb'\A\s*\{\s*"output"\s*:\s*"((?:[^"\\]|\\.){1,300})')


@dataclass(frozen=True)
class RenderWork:
    """What a request makes a render process do: `subject` is the run or runs that it is about.

    One that `is_query` waits for the process of a query.
    """

    subject: str
    is_file: bool = False
    is_query: bool = False


class Lanes:
    """The lanes of a server with these pages."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._files = tuple(file.prefix for page in pages for file in page.files)
        self._queries = (QUERY, *(file.prefix for page in pages for file in page.files if file.is_query))
        self._in_server = tuple(output for page in pages for output in page.in_server)
        self._asks = tuple(output for page in pages for output in page.asks)
        exceptions = [(output, not page.is_slow) for page in pages for output in page.exceptions]
        # the longer ones first: of what begins an output, the one that says most of it holds
        named = [*exceptions, *((f"{page.name}-", page.is_slow) for page in pages)]
        self._outputs = sorted(named, key=lambda one: -len(one[0]))

    def is_slow(self, method: str, path: str, body: bytes) -> bool:
        """Return whether a request is to wait on the threads of those that may take long; a look, no more."""
        if path == CALLBACKS:
            begin = _OUTPUT.match(body)
            return begin is None or self._is_slow_output(begin[1].decode("utf-8", "replace").replace('\\"', '"'))
        return self._is_file(path) or (method in _SENDING and self._waits_for_others(path))

    def _waits_for_others(self, path: str) -> bool:
        return (
            takes_files(path)
            or path == TOOLS_PATH
            or path.startswith(PARTS_PATH)
            or _TELLING.fullmatch(path) is not None
        )

    def work_of_path(self, path: str, parts: Mapping[str, Any]) -> RenderWork | None:
        """Return the work of a request that is no callback, None where it is quick; `parts` are those of its route."""
        if path in self._queries:
            return query_work(is_file=True)
        return RenderWork(str(parts.get("run_id", path)), is_file=True) if self._is_file(path) else None

    def stays_in_server(self, output: str) -> bool:
        """Return whether a callback that may take long is answered by the server itself."""
        return _component(output).startswith(self._in_server)

    def work_of_callback(self, body: Mapping[str, Any]) -> RenderWork | None:
        """Return the work of a callback, None where the server answers it itself."""
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
        named = (str(value) for name, value in values.items() if name.endswith("-id.data"))
        return RenderWork(next(named, output))

    def _work_of_page(self, path: str, search: str) -> RenderWork | None:
        for page in self._pages:
            run_id = page.match_path(path)
            if run_id is not None:
                return RenderWork(run_id or path + search) if page.is_slow else None
        return RenderWork(path + search)

    def _is_file(self, path: str) -> bool:
        return path == QUERY or path.startswith(self._files) or _COMPUTED.fullmatch(path) is not None

    def _is_slow_output(self, output: str) -> bool:
        component = _component(output)
        return next((is_slow for begin, is_slow in self._outputs if component.startswith(begin)), True)


def query_work(*, is_file: bool) -> RenderWork:
    """Make the work of a query in SQL, with a subject of its own: two queries are never about the same run."""
    return RenderWork(f"query {next(_QUERIES)}", is_file=is_file, is_query=True)


def _component(output: str) -> str:
    """Return what an output begins with: the id of its first component, or the type of an id of several."""
    first = output.removeprefix("..")
    several = _TYPE.match(first)
    return first[several.end() :] if several else first
