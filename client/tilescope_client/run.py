"""A run, which notebooks show as a link to its page."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

_SHOWN = ("source", "hwid", "M", "K", "N", "gmacs_mean", "peak_memory", "taken_at")
"""Columns that a notebook shows after the link."""


class Run(dict[str, Any]):
    """Columns of a run by name; `link` is the address of its page."""

    def __init__(self, columns: Mapping[str, Any], link: str) -> None:
        super().__init__(columns)
        self.link = link

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: a link to the page, and key columns.

        All texts are escaped, because names come from files.
        """
        name = html.escape(str(self.get("name") or self["run_id"]))
        shown = [f"{key} {self[key]}" for key in _SHOWN if self.get(key) not in (None, "")]
        return f'<a href="{html.escape(self.link)}">{name}</a> {html.escape(", ".join(shown))}'
