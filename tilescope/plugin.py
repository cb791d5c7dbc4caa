"""The API for plugins, which docs/plugins.md describes.

Names are added within a version of the API. Removing a name or changing its meaning increments
`API_VERSION`.
"""

from __future__ import annotations

from typing import Any

from app.views.option import Option
from app.views.text_tables import plain_table
from app.views.view import ContentView, Plot, Width
from app.views.view_plugins import ViewPlugin
from components.graph import figure
from data_loaders.protocol import Bundle, LoadedRun, LoadError
from data_loaders.reading.files import open_content
from schema.diagnostics import Diagnostic
from schema.frames import conform
from schema.plugin_api import API_VERSION
from services.run.capabilities import Capability
from tilescope.deprecated import Panel, Part, find_alias

__all__ = [
    "API_VERSION",
    "Bundle",
    "Capability",
    "ContentView",
    "Diagnostic",
    "LoadError",
    "LoadedRun",
    "Option",
    "Panel",
    "Part",
    "Plot",
    "ViewPlugin",
    "Width",
    "conform",
    "figure",
    "open_content",
    "plain_table",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - of whatever type the name has
    return find_alias(name, {"Choice": Option, "Words": ContentView})
