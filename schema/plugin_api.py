"""The version of what plugins are written against, and where packages name theirs."""

from __future__ import annotations

API_VERSION = 1
LOADERS, VIEWS = "tilescope.loaders", "tilescope.views"
"""Groups of entry points."""
