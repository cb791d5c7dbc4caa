"""Address of the list of runs: the only place that knows its path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

LIST_PATH = "/runs"
"""Path of the list of runs."""


def list_address(query: str | Mapping[str, str] | Iterable[tuple[str, str]] = "") -> str:
    """Return the address of the list of runs under a query: a query string without `?`, or the
    names and values of its filters.
    """
    text = query if isinstance(query, str) else urlencode([*_pairs(query)])
    return f"{LIST_PATH}?{text}" if text else LIST_PATH


def _pairs(query: Mapping[str, str] | Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return query.items() if isinstance(query, Mapping) else query
