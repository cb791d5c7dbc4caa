"""The project's own files for browsers, and its documentation."""

from __future__ import annotations

from pathlib import Path

ASSETS = Path(__file__).parents[2] / "assets"
PLOTLY = ASSETS / "vendor" / "plotly-cartesian.min.js"
"""The part of plotly.js that draws what the project draws; docs/serving.md says how it is updated."""
GRAPH_SCRIPTS = tuple(sorted(ASSETS.glob("graph_*.js")))
"""What draws graphs, on the page and in files that are saved."""
GRAPH_CSS = ASSETS / "graph.css"
DOCUMENTATION = ASSETS.parent / "build" / "docs"
"""The documentation as a site, where `make docs` has built it."""
