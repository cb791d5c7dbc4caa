"""Head of a run's page: first sentence, numbers, selection, findings, links and exports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import dash_bootstrap_components as dbc
import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.aie.kernel_kinds import counted_kernels
from app.pages.chips import selection_chips
from app.pages.run.peak import HIDDEN, peak_properties
from app.views.drawing import Piece, Properties
from app.views.jumps import caption_parts
from app.views.memory.shown import shown_map
from app.views.registry import RUN
from app.views.run_words import main_sentences, selection_words, strip_metrics, strip_scopes
from app.views.selected import selected_kernels
from app.views.state import RunState
from components.aie.captions import health_caption
from components.caption import joined_captions
from components.headline import headline_help, headline_text
from components.health import health
from components.runs.list_address import list_address
from components.summary import metric_strip, selection_summary
from schema.frames import FRAMES
from schema.headlines import headline_of
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.export import WRITERS
from services.run.memory import MemoryData
from services.run.perfetto.formats import FORMATS

_ALIKE = ("source", "hwid", "M", "K", "N")
"""Columns that the runs offered in the list have in common with this run."""


def compare_items(
    run: Mapping[str, object], run_id: str, state: RunState
) -> list[dbc.DropdownMenuItem]:
    """Lay out the items of the menu: compare with the previous run, the baseline, the run with
    stored settings (if the view changes settings), any other run.

    The settings of the view apply to this run.
    """
    settings = [(f"new.{key}", value) for key, value in state.overrides.items()]
    new = [("new", run_id), *settings]
    items = [
        _item("with the previous run of its kind", [*new, ("against", "previous")]),
        _item("with its baseline", [*new, ("against", "baseline")]),
    ]
    if settings:
        items.append(_item("with itself, without these settings", [("base", run_id), *new]))
    alike = [
        (key, str(run[key]))
        for key in _ALIKE
        # The texts of missing values: None, NaN and the null of pandas.
        if str(run.get(key)) not in ("", "None", "nan", "<NA>")
    ]
    other = dbc.DropdownMenuItem(
        "with another run: select both in the list", href=list_address(alike)
    )
    return [*items, other]


def _item(label: str, query: list[tuple[str, str]]) -> dbc.DropdownMenuItem:
    return dbc.DropdownMenuItem(label, href=f"/compare?{urlencode(query)}")


# Bounded, because findings contain names from files, and patterns take linear time.
_ATTEMPT = re.compile(r"attempt (\d{1,9})\b")


def _strip(data: RunData, state: RunState, _theme: str) -> Properties:
    names = strip_metrics(data)
    if not names:
        return {"run-strip": {"children": []}}
    strip = metric_strip(data.headline, names, strip_scopes(data, state.method))
    return {"run-strip": {"children": strip}}


def _headline(data: RunData, _state: RunState, _theme: str) -> Properties:
    headline = headline_of(str(data.run.iloc[0]["source"]), data.headline)
    if headline is None:
        return {"run-headline": {"children": [], "hidden": True}}
    marked: dict[str, Any] = {"data-headline": headline.kind}
    number = html.Span(headline_text(headline), title=headline_help(headline), **marked)
    return {"run-headline": {"children": [number], "hidden": False}}


def _sentence(data: RunData, state: RunState, _theme: str) -> Properties:
    sentences = main_sentences(data, state)
    first = sentences[0] if sentences else ""
    rest = joined_captions(*sentences[1:])
    return {
        "run-sentence": {"children": caption_parts("head", first), "hidden": not first},
        "run-sentence-rest": {"children": caption_parts("head-rest", rest), "hidden": not rest},
    }


def _selection(data: RunData, state: RunState, _theme: str) -> Properties:
    return {"run-selection": {"children": _selection_bar(data, state)}}


def _health(data: RunData, state: RunState, _theme: str) -> Properties:
    findings = health(data.diagnostics, lambda place: _link(place, data, state))
    return {
        "health": {"hidden": not len(data.diagnostics)},
        "run-health": {"children": findings},
        "run-health-answer": {"children": health_caption(data.diagnostics)},
    }


def _snapshot(data: RunData, state: RunState, _theme: str) -> Properties:
    return {"run-snapshot": {"href": _snapshot_href(data.run_id, state)}}


def _exports(data: RunData, state: RunState, _theme: str) -> Properties:
    return {"run-export": {"children": _export_items(data, state)}}


def _comparisons(data: RunData, state: RunState, _theme: str) -> Properties:
    return {
        "run-compare": {"children": compare_items(data.run.iloc[0].to_dict(), data.run_id, state)}
    }


_NO_SENTENCES: Properties = {
    name: {"children": [], "hidden": True} for name in ("run-sentence", "run-sentence-rest")
}
HEAD = (
    Piece("headline", _headline),
    Piece("sentence", _sentence, spare=_NO_SENTENCES),
    Piece("peak-parts", peak_properties, spare=HIDDEN),
    Piece("strip", _strip, spare={"run-strip": {"children": []}}),
    Piece("selection", _selection, spare={"run-selection": {"children": []}}),
    Piece("health", _health),
    Piece("snapshot", _snapshot),
    Piece("exports", _exports),
    Piece("comparisons", _comparisons),
)
"""Pieces of the head."""


def _selection_bar(data: RunData, state: RunState) -> list[Component]:
    """Lay out the selected parts with buttons that clear them, and if the run has kernels n, sum,
    median and p95 of the selected kernels.
    """
    chips = selection_chips(RUN, selection_words(data, state))
    named: list[Component] = chips or [html.Span(_everything(data), className="ts-muted")]
    return [
        html.Span("selection", className="ts-muted"),
        *named,
        html.Span(className="ts-grow"),
        *(
            [selection_summary(_counted_kernels(data, state), data.clock_hz, data.unit)]
            if len(data.kernels)
            else []
        ),
    ]


def _everything(data: RunData) -> str:
    """Return the label shown if the selection is empty, which names the parts that can be selected."""
    if data.can(Capability.NAMED_KERNELS):
        return "all devices, kernels and time"
    if data.can(Capability.RESULTS):
        return "all numbers"
    return (
        "all steps and addresses"
        if data.can(Capability.MEMORY)
        else "all tiles, iterations and time"
    )


def _counted_kernels(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the selected rows of frame `kernels` that the numbers of header and durations cover:
    all, or of a capture those counted in its rates.
    """
    chosen = selected_kernels(data, state.selection)
    return counted_kernels(chosen) if data.can(Capability.ITERATIONS) else chosen


def _link(place: str, data: RunData, state: RunState) -> str | None:
    """Return the address (a path) that shows the place of a finding: a tile, an attempt or a memory
    level; None if the place is something else.
    """
    if place in set(data.tracks["track"].astype("str")):
        return f"/run/{data.run_id}?{state.selecting(track=place).query()}#timeline"
    attempt = _find_attempt(place, data.memory)
    return (
        None
        if attempt is None
        else f"/run/{data.run_id}?{state.remembering(attempt=attempt).query()}#map"
    )


def _find_attempt(place: str, memory: MemoryData) -> int | None:
    """Return the number of the attempt that a place names by `attempt N` or by the name of its
    level, None if there is no such attempt.
    """
    match = _ATTEMPT.search(place)
    if match:
        return int(match.group(1)) if memory.has(int(match.group(1))) else None
    levels = memory.attempts["level"].astype("str")
    named = memory.attempts.loc[levels == place, "attempt"]
    return int(named.iloc[0]) if len(named) else None


def _snapshot_href(run_id: str, state: RunState) -> str:
    query = state.query()
    return f"/snapshot?run={quote(run_id)}" + (f"&{query}" if query else "")


def _export_items(data: RunData, state: RunState) -> list[Component]:
    """Lay out the formats of each frame of the run, the run as a trace, and the displayed attempt,
    if there is any, for MiniMalloc.
    """
    options = urlencode(state.options())
    run_id = quote(data.run_id)
    items: list[Component] = []
    for frame in FRAMES:
        if frame in data.frames:
            links = [
                html.A(fmt.upper(), href=f"/export/{run_id}/{frame}.{fmt}?{options}", download="")
                for fmt in WRITERS
            ]
            items.append(html.Div([html.Span(frame), *links], className="ts-export"))
    traces = [
        html.A(name.upper(), href=f"/export/{run_id}/perfetto.{trace_format.suffix}", download="")
        for name, trace_format in FORMATS.items()
    ]
    items.append(html.Div([html.Span("Perfetto, all of the run"), *traces], className="ts-export"))
    shown = shown_map(data, state)
    if shown is not None:
        links = [
            html.A(
                kind,
                href=f"/minimalloc/{run_id}/{shown.number}-{kind}.csv?{state.query()}",
                download="",
            )
            for kind in ("problem", "solution")
        ]
        items.append(
            html.Div([html.Span(f"MiniMalloc, {shown.label}"), *links], className="ts-export")
        )
    return items


def table_links(run_id: str, state: RunState) -> list[Component]:
    """Lay out the links that download the displayed table, a link for each format."""
    return [
        html.A(fmt.upper(), href=f"/table/{quote(run_id)}.{fmt}?{state.query()}", download="")
        for fmt in WRITERS
    ]
