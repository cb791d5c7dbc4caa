"""The HTML document of every page: which scripts and styles it loads, and in which order."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cached_property

from dash import Dash
from flask import Response

from app.config.assets import ASSETS, PLOTLY
from app.server.static import StaticFile, cache_suites, early_script, serve_assets

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
        <div class="ts-early" aria-hidden="true"><p>Loading…</p></div>
        {{%app_entry%}}
        <footer><script src="{scripts}"></script>
{{%scripts%}}{{%renderer%}}</footer>
    </body>
</html>"""
_GRAPH = "/_dash-component-suites/dash/dcc/async-graph.js"
_UNUSED = re.compile(r'<script src="[^"]*/(?:deps/polyfill@|dash_table/)[^"]*"></script>\n?')
"""Script elements that are removed.

They are polyfills for browsers that could not run plotly anyway, and Dash's own data table.
"""


class PageApp(Dash):
    """Dash application with the project's own HTML document, early script and content policy.

    `addresses` maps names of the project's scripts, styles and pictures to their addresses.
    """

    addresses: dict[str, str]

    def csp_hashes(self, hash_algorithm: str = "sha256") -> Sequence[str]:
        """Return the hashes of all inline scripts as sources of a content policy,
        `'ALGORITHM-BASE64'` each, that of the early script first.
        """
        digest = hashlib.new(hash_algorithm, early_script(ASSETS).encode()).digest()
        return [
            f"'{hash_algorithm}-{base64.b64encode(digest).decode()}'",
            *super().csp_hashes(hash_algorithm),
        ]

    def index(self, *_args: object, **_parts: object) -> Response:
        """Return the HTML document, the same for every address and user: a browser that has it gets
        304.

        Dash writes a random id into each document, to which results of background callbacks are
        bound. There are no such callbacks, so that all documents may have the same id.
        """
        response = self._document.respond(lasting=False)
        response.cache_control.private = True
        return response

    @cached_property
    def _document(self) -> StaticFile:
        document: str = super().index()  # type: ignore[no-untyped-call]
        return StaticFile(document.encode(), "index.html")

    def interpolate_index(self, scripts: str = "", **parts: str) -> str:  # type: ignore[override] # Dash names them all
        """Fill in the HTML document and return it, without scripts that no page uses."""
        page: str = super().interpolate_index(scripts=_UNUSED.sub("", scripts), **parts)  # type: ignore[no-untyped-call]
        return page


def serve_files(app: PageApp) -> None:
    """Serve the files that pages load, and fill their addresses into the HTML document."""
    cache_suites(app)
    addresses = app.addresses = serve_assets(app, ASSETS)
    app.index_string = _INDEX.format(
        plotly=addresses[PLOTLY.name],
        early=early_script(ASSETS),
        favicon=addresses["favicon.svg"],
        graph=app.get_relative_path(_GRAPH),  # type: ignore[no-untyped-call]
        styles=addresses["tilescope.css"],
        scripts=addresses["tilescope.js"],
    )
