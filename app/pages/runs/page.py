"""The runs page: facets, the grid of runs, the scatter of GMAC/s over size."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import dash_bootstrap_components as dbc
import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from analysis.run_groups import KEYS, run_groups
from app.context import AppContext
from app.pages import history
from app.pages.runs.filter import facet_counts, gemm_size, matching
from app.pages.runs.state import FACETS, RunsState, parse
from app.pages.shell import dialog, drop_zone
from components.aria import aria
from components.graph import empty_figure, graph
from components.numbers import THIN, counted, gmacs, integer, tame
from components.runs.facets import facet
from components.runs.groups_grid import groups_grid, groups_line
from components.runs.runs_grid import COLUMN_NAMES, column_defs, runs_grid, visible_columns
from components.runs.runs_scatter import drawable

VIEW = "runs-view"
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"))


def layout(context: AppContext, query: Mapping[str, str | Sequence[str]]) -> html.Div:
    """Lay out the page as the query asks for, with its numbers; the plot follows when the theme is known."""
    state = parse(history.query_string(query))
    runs = context.repository.runs()
    return html.Div(
        [
            *history.stores(VIEW, state.query()),
            dcc.Store(id="runs-q", data=state.q),
            dcc.Store(id="runs-sort", data=state.sort),
            dcc.Store(id="runs-box", data=_box(state)),
            dcc.Store(id="runs-chosen-columns", data=list(state.columns)),
            dcc.Store(id="runs-changed"),
            html.H1("Runs", className="visually-hidden"),
            dcc.Store(id="runs-empty", data=runs.empty),
            html.Div(body(runs, state), id="runs-body", className="ts-runs"),
            _delete_dialog(),
        ]
    )


def body(runs: pd.DataFrame, state: RunsState) -> list[Component]:
    """Lay out facets, grid and scatter; how to get the first run in where there is none."""
    return _catalogue(runs, state) if len(runs) else [_first_run()]


def summary(runs: pd.DataFrame, shown: pd.DataFrame) -> str:
    """Say in a line what is listed: runs, hwids, the best rate of a run that stays below its peak."""
    total = f" of {integer(len(runs))}" if len(shown) < len(runs) else ""
    hwids = len(set(shown["hwid"].dropna()) - {""})
    parts = [f"{integer(len(shown))}{total} run{'s' if len(runs) != 1 else ''}", counted(hwids, "hwid")]
    best = shown.loc[~(shown["utilization"] > 1), "gmacs_best"].max()
    return " · ".join(parts if pd.isna(best) else [*parts, f"best {gmacs(best)} GMAC/s"])


def listed_groups(shown: pd.DataFrame, state: RunsState) -> pd.DataFrame:
    """Return the groups of the runs listed, with `href`, the address of each group's runs."""
    groups = run_groups(shown)
    return groups.assign(href=[_group_href(group, state) for group in groups.to_dict("records")])


def _group_href(group: Mapping[Hashable, object], state: RunsState) -> str:
    own = {key: (str(group[key]),) for key in KEYS}
    return f"/?{replace(state, **own, grouped=False).query()}"  # type: ignore[arg-type]


def shown_line(runs: pd.DataFrame, shown: pd.DataFrame, state: RunsState) -> str:
    """Say in a line what is listed, runs or groups of them."""
    return groups_line(run_groups(shown), len(shown)) if state.grouped else summary(runs, shown)


def chips(state: RunsState) -> list[Component]:
    """Return what is filtered by, in words, each with a button that clears it."""
    said = [(facet, tame(f"{facet} {' or '.join(v or 'not known' for v in state.chosen(facet))}")) for facet in FACETS]
    named = [(name, text) for name, text in said if state.chosen(name)]
    named += [("q", f"“{tame(state.q)}”")] if state.q else []
    named += [("box", _box_words(state))] if state.size or state.rate else []
    return [
        html.Button(
            [text, html.Span("×", **aria(hidden="true"))],
            id={"type": "runs-chip", "name": name},
            className="ts-chip",
            title="Clear this filter",
        )
        for name, text in named
    ]


def _box(state: RunsState) -> dict[str, object]:
    return {"size": state.size, "rate": state.rate}


def _box_words(state: RunsState) -> str:
    spans = (("M×K×N", state.size), ("GMAC/s", state.rate))
    return ", ".join(f"{label} {_span(*span)}" for label, span in spans if span)


def _span(low: float, high: float) -> str:
    return f"{_short(low)} – {_short(high)}"


def _short(value: float) -> str:
    """Return three digits and the SI prefix: 33.6 M."""
    scale, prefix = next(((s, p) for s, p in _PREFIXES if abs(value) >= s), (1.0, ""))
    return f"{gmacs(value / scale)}{prefix and THIN + prefix}"


def _catalogue(runs: pd.DataFrame, state: RunsState) -> list[Component]:
    shown = matching(runs, state)
    return [_facets(runs, state), html.Section(_listing(runs, shown, state), className="ts-runs-main")]


def _facets(runs: pd.DataFrame, state: RunsState) -> html.Aside:
    counts = facet_counts(runs, state)
    used = [name for name in FACETS if any(value for value, _ in counts[name])]
    facets = [facet("runs", name, name, counts[name], state.chosen(name)) for name in used]
    return html.Aside(facets, className="ts-facets", **aria(label="Filters"))


def _listing(runs: pd.DataFrame, shown: pd.DataFrame, state: RunsState) -> list[Component]:
    return [
        html.Div(
            [
                html.Div(
                    shown_line(runs, shown, state), id="runs-summary", className="ts-summary", **aria(live="polite")
                ),
                html.Div(chips(state), id="runs-chips", className="ts-chips"),
                _view_controls(shown, state),
                _actions(),
            ],
            className="ts-panel-bar",
        ),
        html.Div(
            runs_grid("runs-grid", shown, state.sort, state.columns),
            id="runs-list",
            className="ts-panel ts-runs-grid-panel",
            hidden=state.grouped,
        ),
        html.Div(
            groups_grid("runs-groups-grid", listed_groups(shown, state)),
            id="runs-groups",
            className="ts-panel ts-runs-grid-panel",
            hidden=not state.grouped,
        ),
        html.Div(
            [
                html.H2("GMAC/s over GEMM size", className="ts-panel-title"),
                html.P("drag to filter, click to open", className="ts-panel-hint"),
                graph("runs-scatter", empty_figure("", "light"), ""),
            ],
            id="runs-scatter-panel",
            className="ts-panel ts-runs-scatter-panel",
            hidden=not drawable(shown, gemm_size(shown)),
        ),
    ]


def _view_controls(shown: pd.DataFrame, state: RunsState) -> html.Div:
    """Return what decides how runs are listed: in groups or one by one, and with which columns."""
    boxes = dbc.Checklist(
        id="runs-columns",
        options=[{"label": title, "value": name} for name, title in COLUMN_NAMES.items()],
        value=visible_columns(column_defs(state.sort, shown, state.columns)),
        className="ts-columns",
    )
    default = html.Button("Default columns", id="runs-columns-default", className="ts-button")
    group = dbc.Checklist(
        id="runs-group",
        options=[{"label": "Group by hwid and size", "value": "on"}],
        value=["on"] if state.grouped else [],
        switch=True,
    )
    chooser = html.Details(
        [html.Summary("Columns", className="ts-button"), html.Div([boxes, default], className="ts-popup")],
        className="ts-chooser",
        id="runs-chooser",
        hidden=state.grouped,
    )
    return html.Div([group, chooser], className="ts-actions ts-view-controls")


def _actions() -> html.Div:
    """Return what can be done with the selected runs; `assets/runs.js` opens and counts them."""
    return html.Div(
        [
            html.Span("none selected", id="runs-selected", className="ts-muted"),
            html.Button("Open", id="runs-open", className="ts-button", disabled=True),
            html.A("Snapshot", id="runs-snapshot", className="ts-button ts-disabled"),
            html.Button("Delete", id="runs-delete", className="ts-button ts-danger", disabled=True),
        ],
        className="ts-actions",
    )


def _delete_dialog() -> dbc.Modal:
    return dialog(
        "runs-delete-dialog",
        "Delete runs",
        [
            dbc.ModalBody(id="runs-delete-question"),
            dbc.ModalFooter(
                [
                    html.Button("Cancel", id="runs-delete-cancel", className="ts-button"),
                    html.Button("Delete", id="runs-delete-confirm", className="ts-button ts-danger"),
                ]
            ),
        ],
    )


def _first_run() -> html.Section:
    """Say how the first run gets in."""
    return html.Section(
        [
            html.H2("No runs yet"),
            drop_zone("runs-drop"),
            html.P("or ingest the folder that your tools wrote, on the machine that serves this page:"),
            html.Pre("python -m app ingest outputs/"),
            html.P(
                "Supported: AIE hardware traces, TPU-MLIR local-memory logs, Deeploy memory maps, MiniMalloc problems, "
                "tinygrad profiles. The Upload dialog says how to produce each."
            ),
        ],
        className="ts-panel ts-empty",
    )
