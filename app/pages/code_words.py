"""Format texts of records in which words between backticks are code."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component


def code_words(text: str) -> list[Component]:
    """Split a text into spans, with code elements for the words between backticks; empty for ""."""
    return [
        html.Code(part) if rank % 2 else html.Span(part)
        for rank, part in enumerate(text.split("`"))
        if part
    ]
