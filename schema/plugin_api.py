"""Version of the plugin API, and the entry point groups by which packages register plugins."""

from __future__ import annotations

API_VERSION = 1
LOADERS, VIEWS = "tilescope.loaders", "tilescope.views"
"""Entry point groups of loader plugins and of view plugins."""
