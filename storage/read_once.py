"""Rows of the catalogue that a request reads once, however many parts of a page need them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, cast

_Row = TypeVar("_Row")
_ROWS: ContextVar[dict[Hashable, Any] | None] = ContextVar("rows", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """Context in which `read_once` keeps what it reads, until a transaction of the same context
    changes the catalogue; a context inside another shares its rows.
    """
    if _ROWS.get() is not None:
        yield
        return
    token = _ROWS.set({})
    try:
        yield
    finally:
        _ROWS.reset(token)


def read_once(key: Hashable, read: Callable[[], _Row]) -> _Row:
    """Return the result of `read`, or inside of `reading_once` that of the first call with `key`.

    Errors are not kept.
    """
    rows = _ROWS.get()
    if rows is None:
        return read()
    if key not in rows:
        rows[key] = read()
    return cast("_Row", rows[key])


def read_again() -> None:
    """Drop all rows that were kept in this context, because some of them have changed."""
    rows = _ROWS.get()
    if rows is not None:
        rows.clear()
