"""Record for the views of another package."""

from __future__ import annotations

from dataclasses import dataclass

from app.views.view import View


@dataclass(frozen=True)
class ViewPlugin:
    """Views of runs, written for a version of the plugin API.

    `sources` limits the views to runs of these sources; empty for all runs.
    """

    api_version: int
    views: tuple[View, ...]
    sources: tuple[str, ...] = ()
