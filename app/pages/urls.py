"""Addresses of the application, made in one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode


def query_string(query: Mapping[str, str | Sequence[str]]) -> str:
    """Return the query string of what Dash hands to a layout function: values, or lists of repeated ones."""
    return urlencode(query, doseq=True, errors="replace")
