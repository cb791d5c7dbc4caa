"""`/perfetto/<run_id>`: a page that opens Perfetto and sends it a run's trace within the browser.

It is the only page that keeps a reference to the windows that it opens, which the handshake with
Perfetto needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from flask import Flask, Response, render_template_string, request

from app.context import AppContext
from app.pages.page_file import resolve_run
from app.pages.shell import read_theme
from app.request.errors import RequestError
from components.numbers import tame
from services.run.perfetto.formats import FORMATS

_PAGE = """<!DOCTYPE html>
<html lang="en" data-bs-theme="{{ theme }}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ name }} in Perfetto · Tilescope</title>
<link rel="icon" type="image/svg+xml" href="{{ favicon }}"><link rel="stylesheet" href="{{ styles }}">
</head>
<body>
<main class="ts-panel ts-empty" id="perfetto" data-ui="{{ ui }}" data-trace="{{ trace }}" data-title="{{ name }}"
 data-run="{{ run }}">
<h1>{{ name }}</h1>
<p>Perfetto at {{ host }} receives the trace from this page, in this browser. The trace is not sent to a server.</p>
<p><button id="perfetto-open" class="ts-button" type="button">Open in Perfetto</button>
<a class="ts-button" href="{{ trace }}" download>Download</a>
<a class="ts-button" href="{{ run }}">Back to the run</a></p>
<p id="perfetto-status" role="status">Fetching the trace.</p>
</main>
<script src="{{ script }}"></script>
</body>
</html>"""


def register(server: Flask, context: AppContext, addresses: Mapping[str, str]) -> None:
    """Add the route of the page; `addresses` maps names of scripts and styles to their addresses.

    The response is 404 if there is no such run or setting `perfetto_url` is empty.
    """

    @server.get("/perfetto/<run_id>")
    def perfetto(run_id: str) -> Response:
        ui = context.settings.perfetto_url
        if not ui:
            raise RequestError("This server opens no runs in Perfetto (perfetto_url).", 404)
        run = resolve_run(context, run_id)
        page = render_template_string(
            _PAGE,
            theme=read_theme(request),
            name=tame(str(context.repository.find_run(run).run["name"])),
            ui=ui,
            host=urlsplit(ui).netloc,
            trace=f"/export/{quote(run)}/perfetto.{FORMATS['json'].suffix}",
            run=f"/run/{quote(run)}",
            script=addresses["perfetto.js"],
            styles=addresses["tilescope.css"],
            favicon=addresses["favicon.svg"],
        )
        # The policy of all other pages, `same-origin`, would cut the reference to Perfetto's
        # window.
        return Response(page, headers={"Cross-Origin-Opener-Policy": "same-origin-allow-popups"})
