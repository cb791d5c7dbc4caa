"""What heads a run's page: numbers, selection, findings, ways out."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode

import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.kernel_kinds import MAIN
from app.run_data import RunData
from app.run_views import selected_kernels
from app.state import RunState
from components.answers import health_answer
from components.health import health
from components.summary import metric_strip, selection_summary, selection_words

FORMATS = ("csv", "parquet", "json")
_EXPORTED = ("iterations", "kernels", "activity", "diagnostics", "events", "tracks", "run")


@dataclass(frozen=True)
class Head:
    """The parts of a run's page that are words and numbers."""

    strip: Component
    selection: list[Component]
    health: Component
    health_answer: str
    snapshot_href: str
    exports: list[Component]


def head(data: RunData, state: RunState) -> Head:
    """Lay the parts out for a view state."""
    return Head(
        strip=metric_strip(data.headline),
        selection=_selection_bar(data, state),
        health=health(data.diagnostics, lambda place: _link(place, data, state)),
        health_answer=health_answer(data.diagnostics),
        snapshot_href=_snapshot_href(data.run_id, state),
        exports=_export_items(data.run_id, state),
    )


def _selection_bar(data: RunData, state: RunState) -> list[Component]:
    """Name what is selected, each with a way to clear it, and its n, sum, median and p95."""
    words = selection_words(state.selection, data.unit)
    chips: list[Component] = [
        html.Button([text, " ×"], id={"type": "run-clear", "part": part}, className="ts-chip", title="Clear (Esc: all)")
        for part, text in words.items()
    ]
    if len(chips) > 1:
        chips.append(html.Button("clear", id={"type": "run-clear", "part": "all"}, className="ts-chip"))
    named: list[Component] = chips or [html.Span("all tiles, iterations and time", className="ts-muted")]
    return [
        html.Span("selection", className="ts-muted"),
        *named,
        html.Span(className="ts-grow"),
        selection_summary(_counted(data, state), data.clock_hz, data.unit),
    ]


def _counted(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the selected kernels; the main ones, as in every headline, unless a kind is selected."""
    chosen = selected_kernels(data, state.selection)
    main = chosen["name"] == MAIN
    return chosen if state.selection.kind is not None or not main.any() else chosen[main]


def _link(place: str, data: RunData, state: RunState) -> str | None:
    """Return the address that shows a finding's place: the first tile that it names."""
    track = place.split(", ", maxsplit=1)[0].split(" and ", maxsplit=1)[0]
    if track not in set(data.tracks["track"].astype("str")):
        return None
    return f"/run/{data.run_id}?{state.selecting(track=track).query()}#timeline"


def _snapshot_href(run_id: str, state: RunState) -> str:
    query = state.query()
    return f"/snapshot?run={quote(run_id)}" + (f"&{query}" if query else "")


def _export_items(run_id: str, state: RunState) -> list[Component]:
    """Return a line of formats per frame."""
    options = urlencode(state.options())
    items: list[Component] = []
    for frame in _EXPORTED:
        links = [
            html.A(fmt.upper(), href=f"/export/{quote(run_id)}/{frame}.{fmt}?{options}", download="") for fmt in FORMATS
        ]
        items.append(html.Div([html.Span(frame), *links], className="ts-export"))
    return items


def table_links(run_id: str, state: RunState) -> list[Component]:
    """Return the formats in which the shown table is exported."""
    return [html.A(fmt.upper(), href=f"/table/{quote(run_id)}.{fmt}?{state.query()}", download="") for fmt in FORMATS]
