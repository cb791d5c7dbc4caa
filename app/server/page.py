"""The HTML of every page: which scripts and styles it loads, and in which order."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence

from dash import Dash

from app.assets import ASSETS, PLOTLY
from app.server.static import early_script, keep_suites, serve_assets

_INDEX = """<!DOCTYPE html>
<html lang="en">
    <head>
        {{%metas%}}
        <title>{{%title%}}</title>
        {{%config%}}
        <script data-plotly="{plotly}">{early}</script>
        <link rel="icon" type="image/svg+xml" href="{favicon}">
        <link rel="preload" as="script" href="{graph}">
        <link rel="stylesheet" href="{styles}">
        {{%css%}}
    </head>
    <body>
        {{%app_entry%}}
        <footer><script src="{scripts}"></script>
{{%scripts%}}{{%renderer%}}</footer>
    </body>
</html>"""
_GRAPH = "/_dash-component-suites/dash/dcc/async-graph.js"
_UNUSED = re.compile(r'<script src="[^"]*/(?:deps/polyfill@|dash_table/)[^"]*"></script>\n?')
"""Polyfills for browsers that could not run plotly anyway, and tables of Dash's own."""


class PageApp(Dash):  # type: ignore[misc]
    """Dash with an index of our own: our files are bundled and named by content, what no page uses is left out."""

    def __init__(self, name: str, **options: object) -> None:
        super().__init__(name, assets_folder=str(ASSETS), include_assets_files=False, **options)
        keep_suites(self)
        self._early = early_script(ASSETS)
        self.index_string = self._index(serve_assets(self, ASSETS))

    def csp_hashes(self, hash_algorithm: str = "sha256") -> Sequence[str]:
        """Return the hashes of all inline scripts, the early one too."""
        digest = hashlib.new(hash_algorithm, self._early.encode()).digest()
        return [f"'{hash_algorithm}-{base64.b64encode(digest).decode()}'", *super().csp_hashes(hash_algorithm)]

    def interpolate_index(self, scripts: str = "", **parts: str) -> str:
        """Return the page without the scripts that nothing uses."""
        page: str = super().interpolate_index(scripts=_UNUSED.sub("", scripts), **parts)
        return page

    def _index(self, addresses: dict[str, str]) -> str:
        return _INDEX.format(
            plotly=addresses[PLOTLY.name],
            early=self._early,
            favicon=addresses["favicon.svg"],
            graph=self.get_relative_path(_GRAPH),
            styles=addresses["tilescope.css"],
            scripts=addresses["tilescope.js"],
        )
