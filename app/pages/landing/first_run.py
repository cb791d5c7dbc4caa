"""The landing page of an empty store: how to begin, by samples, own files or a tutorial."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from app.config.assets import DOCUMENTATION, SAMPLES
from app.pages.shell import drop_zone, supported_files
from app.request.user import may
from schema.command import COMMAND
from schema.roles import Role

LOAD, LOADED = "landing-samples", "landing-samples-result"
"""Ids of the button that loads the samples, and of the message about it."""
LOAD_LABEL, LOADING_LABEL = "Load the samples", "Loading the samples…"
TUTORIALS = (
    ("array", "Kernels on an array: what sets the pace?"),
    ("design", "From a stall to the line of the design"),
    ("memory", "Memory of a compiler: what failed, and what would fit?"),
    ("profile", "A profile of a training: what fills a step?"),
    ("team", "A team's week: what regressed, and who is notified?"),
)
"""Name and title of each tutorial."""


def first_run() -> list[Component]:
    """Lay out how to ingest the first run, and the tutorials; for users who may not ingest, that
    editors do it.
    """
    begin = _own_files() if may(Role.EDITOR) else [_ask_an_editor()]
    return [
        html.Section(
            [html.H1("No runs yet", className="ts-page-title"), *begin, *_tutorials()],
            className="ts-panel ts-empty ts-landing-empty",
        ),
        html.Section(
            [
                html.H2("Files of these tools become runs", className="ts-panel-title"),
                supported_files(),
            ],
            className="ts-panel ts-landing-sources",
        ),
    ]


def _ask_an_editor() -> Component:
    return html.P("Users with the role editor can ingest runs.")


def _own_files() -> list[Component]:
    return [
        *_samples(),
        drop_zone("landing-drop"),
        html.P("or ingest the output folder of your tools, on the machine of this server:"),
        html.Pre(f"{COMMAND} ingest outputs/"),
    ]


def _samples() -> list[Component]:
    """Lay out the button that loads the samples; empty if this installation has none."""
    if not SAMPLES.is_dir():
        return []
    return [
        html.P("See what the pages show, with a run or more of every tool:"),
        html.P(html.Button(LOAD_LABEL, id=LOAD, className="ts-button")),
        html.P(id=LOADED, className="ts-trouble", role="alert"),
    ]


def _tutorials() -> list[Component]:
    links = [
        html.Li(html.A(title, href=f"/docs/tutorials/{name}.html")) for name, title in TUTORIALS
    ]
    is_built = (DOCUMENTATION / "index.html").is_file()
    note = "This server has no documentation yet: make docs builds it in a checkout."
    return [
        html.H2("Tutorials"),
        html.Ul(links),
        *([] if is_built else [html.P(note, className="ts-muted")]),
    ]
