"""Paths of the files for browsers, of the samples and of the documentation site."""

from __future__ import annotations

from pathlib import Path

ASSETS = Path(__file__).parents[2] / "assets"
PLOTLY = ASSETS / "vendor" / "plotly-cartesian.min.js"
"""Subset of plotly.js for the project's figures; docs/serving.md describes its update."""
GRAPH_SCRIPTS = tuple(sorted(ASSETS.glob("graph_*.js")))
"""Scripts that draw graphs, on pages and in saved files."""
TIMELINE_SCRIPTS = tuple(
    ASSETS / f"timeline_{name}.js"
    for name in (
        *("axis", "bars", "bytes", "counters", "hand", "hatch"),
        *("layer", "layers", "paint", "pointer", "saving", "window", "words"),
    )
)
"""Scripts that draw the bars of timelines, on pages and in saved files; pages have `timeline_page.js`,
and tiles of the server (`timeline_tiles.js`, `timeline_fading.js`) on top.
"""
PLOT_SCRIPTS = (ASSETS / "axis_ticks.js", ASSETS / "plot_texts.js")
"""Scripts that give labels and texts of a plot room, on pages and in saved files."""
TIMELINE_CSS = ASSETS / "timeline.css"
GRAPH_CSS = ASSETS / "graph.css"
SAMPLES = ASSETS.parent / "samples"
"""Folder of the samples; an installation may lack it."""
DOCUMENTATION = ASSETS.parent / "build" / "docs"
"""Folder of the documentation site, which exists after `make docs`."""


def has_documentation() -> bool:
    """Whether this server has the documentation site, at `/docs/`."""
    return (DOCUMENTATION / "index.html").is_file()
