"""The API for plugins, which docs/plugins.md describes.

Names are added within a version of the API. Removing a name or changing its meaning increments
`API_VERSION`.
"""

from __future__ import annotations

from app.views.option import Option as Choice
from app.views.plugin import ViewPlugin
from app.views.text_tables import plain_table
from app.views.view import ContentView as Words
from app.views.view import Panel, Part, Plot, Width
from components.graph import figure
from data_loaders.protocol import Bundle, LoadedRun, LoadError
from data_loaders.reading.files import open_content
from schema.diagnostics import Diagnostic
from schema.frames import conform
from schema.plugin_api import API_VERSION
from services.run.capabilities import Capability

__all__ = [
    "API_VERSION",
    "Bundle",
    "Capability",
    "Choice",
    "Diagnostic",
    "LoadError",
    "LoadedRun",
    "Panel",
    "Part",
    "Plot",
    "ViewPlugin",
    "Width",
    "Words",
    "conform",
    "figure",
    "open_content",
    "plain_table",
]
