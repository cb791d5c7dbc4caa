"""Files that people save from a page: the route of one, and what is written to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from app.context import AppContext
from app.request.errors import RequestError
from storage.errors import RunNotFound


@dataclass(frozen=True)
class PreparedFile:
    """A file that can be written: its media type, and what writes it to a stream and returns the file's name.

    One with an `etag` is read by the page itself, which asks again with what it has; it is sent compressed.
    """

    mimetype: str
    write: Callable[[BinaryIO], str]
    etag: str = ""


@dataclass(frozen=True)
class PageFile:
    """A route at which a page gives a file.

    `prepare` is called with the context and the parts of `rule` by name; it raises RequestError for what cannot be
    asked. Flask's `request` has the query. One that `is_query` waits for the process of a query in SQL.
    """

    rule: str
    prepare: Callable[..., PreparedFile]
    is_query: bool = False

    @property
    def prefix(self) -> str:
        """Return what the paths of the route begin with."""
        return self.rule.partition("<")[0]


def resolve_run(context: AppContext, run_id: str) -> str:
    """Return the whole id of a run; raises RequestError (404)."""
    try:
        return context.repository.resolve(run_id)
    except RunNotFound as error:
        raise RequestError(str(error), 404) from error
