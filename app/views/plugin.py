"""The views that another package brings."""

from __future__ import annotations

from dataclasses import dataclass

from app.views.view import View


@dataclass(frozen=True)
class ViewPlugin:
    """Views of runs, written against a version of the API; `sources` limits them to runs of these."""

    api_version: int
    views: tuple[View, ...]
    sources: tuple[str, ...] = ()
