"""Files that people save from a page: route, media type and writer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from app.context import AppContext
from app.request.errors import request_errors
from storage.errors import RunNotFound


@dataclass(frozen=True)
class PreparedFile:
    """A file that is ready to be written.

    `write` writes it to a stream and returns the file's name. A file with an `etag` is requested by
    the page itself, which sends the tag again to revalidate its copy; the file is sent compressed.
    """

    mimetype: str
    write: Callable[[BinaryIO], str]
    etag: str = ""


@dataclass(frozen=True)
class PageFile:
    """A route at which a page serves a file.

    `prepare` is called with the context and the parts of `rule` by name; it raises RequestError for
    an invalid request. The query is in Flask's `request`. If `is_query` is true, the file waits for
    the process of an SQL query.
    """

    rule: str
    prepare: Callable[..., PreparedFile]
    is_query: bool = False

    @property
    def prefix(self) -> str:
        """Beginning of the paths of the route, up to its first variable part."""
        return self.rule.partition("<")[0]


def resolve_run(context: AppContext, run_id: str) -> str:
    """Return the full id of a run from its beginning; raises RequestError (404) if no run, or
    several, begin so.
    """
    with request_errors(404, RunNotFound, end=""):
        return context.repository.resolve(run_id)
