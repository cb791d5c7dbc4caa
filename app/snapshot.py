"""Runs as one HTML file that works offline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd
import plotly.io as pio
from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from analysis.metrics import METRICS
from app.run_data import RunData, RunDataCache
from app.run_views import PANELS, drawn, selected_kernels, table_frame
from app.state import TABLES, RunState, parse
from components.answers import health_answer
from components.graph import graph_config
from components.health import worst_first
from components.numbers import in_unit, integer
from components.summary import STRIP, selection_words
from components.tables import column_label
from components.theme import css
from data_loaders.frames import FRAMES, Column
from storage.repository import Repository

THEME = "light"
_TEMPLATES = Path(__file__).parent / "templates"
_MOST_ROWS = 500
"""Rows of a table that a snapshot holds; it says how many there are."""
_FACTS = (
    *("source", "hwid", "M", "K", "N", "m", "k", "n", "rows", "cols", "warmup", "iterations"),
    *("clock_hz", "mac_dtype", "peak_macs_per_cycle", "boundary_factor", "file", "sha256", "created_at"),
)


@dataclass(frozen=True)
class _View:
    """A panel in the file: id, title, words, and the plot as HTML."""

    id: str
    title: str
    answer: str
    line: str
    plot: Markup


@dataclass(frozen=True)
class _Table:
    """A table in the file: its name, how much of it is there, labels and cells as text."""

    name: str
    line: str
    labels: list[tuple[str, str]]
    rows: list[list[str]]


def snapshot_html(repository: Repository, run_ids: Sequence[str], query: str) -> str:
    """Return a file that shows the runs as a view state has them, and asks no network for anything.

    Raises RunNotFound, and ValueError where the state overrides a setting badly.
    """
    state = parse(query)
    cache = RunDataCache(repository)
    runs = [_run(cache, run_id, state, rank) for rank, run_id in enumerate(run_ids)]
    title = str(runs[0]["name"]) if len(runs) == 1 else f"{len(runs)} runs"
    return _template().render(runs=runs, title=title, css=Markup(css()), plotly=Markup(get_plotlyjs()))  # noqa: S704


@lru_cache(maxsize=1)
def _template() -> Template:
    return Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True).get_template("snapshot.html")


def _run(cache: RunDataCache, run_id: str, state: RunState, rank: int) -> dict[str, object]:
    data = cache.get(run_id, state.method, state.overrides)
    row = data.run.iloc[0]
    return {
        "id": run_id,
        "name": str(row["name"]),
        "facts": [(name, _text(row[name])) for name in _FACTS if pd.notna(row[name])],
        "method": state.method,
        "overrides": state.overrides,
        "selection": list(selection_words(state.selection, data.unit).values()),
        "selected": integer(int(selected_kernels(data, state.selection)["kept"].sum())),
        "metrics": [(METRICS[m].label, _metric(data, m), METRICS[m].formula) for m in STRIP],
        "health": health_answer(data.diagnostics),
        "findings": worst_first(data.diagnostics).to_dict("records"),
        "views": _views(data, state, rank),
        "tables": [_table(name, table_frame(data, state, name)) for name in TABLES],
    }


def _metric(data: RunData, name: str) -> str:
    shown = in_unit(data.headline[name], METRICS[name].unit)
    return f"{shown} {METRICS[name].unit}" if METRICS[name].unit in ("GMAC/s", "cycles") else shown


def _views(data: RunData, state: RunState, rank: int) -> list[_View]:
    views = []
    for spec in PANELS.values():
        panel = drawn(spec, data, state, THEME)
        plot = pio.to_html(
            panel.figure,
            config=graph_config(),
            include_plotlyjs=False,
            full_html=False,
            div_id=f"{spec.id}-{rank}",
        )
        # Plotly writes JSON in which `<` and `>` are escaped: names of a trace cannot end its script.
        views.append(_View(spec.id, spec.title, panel.answer, panel.line, Markup(plot)))  # noqa: S704
    return views


def _table(name: str, frame: pd.DataFrame) -> _Table:
    columns = FRAMES[name].columns
    shown = frame.head(_MOST_ROWS)
    rows = [
        [_cell(value, column) for value, column in zip(row, columns, strict=True)]
        for row in shown[[c.name for c in columns]].itertuples(index=False)
    ]
    more = f"the first {integer(len(shown))} of " if len(shown) < len(frame) else ""
    return _Table(name, f"{more}{integer(len(frame))} rows", [(column_label(c), c.meaning) for c in columns], rows)


def _cell(value: object, column: Column) -> str:
    if pd.isna(value):
        return ""
    if column.dtype in ("int64", "Int64", "float64"):
        return in_unit(float(str(value)), column.unit)
    return ("yes" if value else "no") if column.dtype == "bool" else str(value)


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
