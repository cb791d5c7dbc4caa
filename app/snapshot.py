"""Runs as one HTML file that works offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd
import plotly.io as pio
from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import Markup

from app.assets import PLOTLY
from app.pages.run.head import scopes_of, strip_of, words_of
from app.views.memory.shown import shown_map
from app.views.registry import RUN, parse
from app.views.screen import Screen
from app.views.selected import selected_kernels
from app.views.state import RunState
from app.views.subject import Data, State
from app.views.tables import table_frame, tables_of
from app.views.text_tables import Table, frame_table
from app.views.view import drawn
from components.aie.answers import health_answer
from components.figure import Figure
from components.graph import graph_config, has_content
from components.health import worst_first
from components.numbers import in_unit, integer, rate_text, shorten, tame
from components.tables import records
from components.theme import css
from schema.metrics import METRICS
from services.runs import RunData, RunDataCache
from storage.annotations import Annotations
from storage.repository import Repository

THEME = "light"
_TEMPLATES = Path(__file__).parent / "templates"
_FACTS = (
    *("source", "hwid", "M", "K", "N", "m", "k", "n", "rows", "cols", "warmup", "iterations"),
    *("clock_hz", "mac_dtype", "peak_macs_per_cycle", "boundary_factor", "file", "sha256", "created_at"),
)

_ORIGIN = ("source", "hwid", "file", "sha256", "created_at")


@dataclass(frozen=True)
class _View:
    """A panel in the file: id, title, words, and the plot as HTML."""

    id: str
    title: str
    answer: str
    line: str
    plot: Markup


def snapshot_html(repository: Repository, run_ids: Sequence[str], query: str) -> str:
    """Return a file that shows the runs as a view state has them, and asks no network for anything.

    Raises RunNotFound, and ValueError where the state overrides a setting badly.
    """
    state = parse(query)
    cache = RunDataCache(repository)
    runs = [_run(cache, run_id, state, rank) | _added(repository, run_id) for rank, run_id in enumerate(run_ids)]
    return written(runs, str(runs[0]["name"]) if len(runs) == 1 else f"{len(runs)} runs")


def written(parts: Sequence[Mapping[str, object]], title: str) -> str:
    """Return the file of parts, each with what the template reads of it."""
    plotly = Markup(PLOTLY.read_text(encoding="utf-8"))  # noqa: S704
    return _template().render(runs=parts, title=title, css=Markup(css()), plotly=plotly)  # noqa: S704


def part(screen: Screen[Data, State], data: Data, state: State, **given: object) -> dict[str, object]:
    """Return the part of a page: what the template reads of it, empty where `given` does not say it."""
    blank: dict[str, object] = {"method": "", "overrides": {}, "selection": [], "selected": "", "metrics": []}
    blank |= {"health": "", "findings": [], "source": ""}
    return blank | {"views": drawn_views(screen, data, state), "tables": view_tables(screen, data, state)} | given


def written_page(
    screen: Screen[Data, State], data: Data, state: State, run: RunData, title: str, **given: object
) -> str:
    """Return the file of a page about a run that shows more than its numbers; `title` stands before the run's name."""
    row = run.run.iloc[0]
    name = tame(str(row["name"]))
    drawn = part(screen, data, state, id=run.run_id, name=f"{title} {name}", facts=facts_of(row), **given)
    return written([drawn], f"{title} {shorten(name)}")


def facts_of(run: pd.Series) -> list[tuple[str, str]]:
    """Return where a run is from."""
    return [(name, tame(str(run[name]))) for name in _ORIGIN if pd.notna(run[name]) and run[name] != ""]


@lru_cache(maxsize=1)
def _template() -> Template:
    return Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True).get_template("snapshot.html")


def _run(cache: RunDataCache, run_id: str, state: RunState, rank: int) -> dict[str, object]:
    data = cache.with_kept(run_id, state.method, state.overrides)
    row = data.run.iloc[0]
    return {
        "id": run_id,
        "name": tame(str(row["name"])),
        "facts": [(name, _text(name, row[name])) for name in _FACTS if pd.notna(row[name]) and row[name] != ""],
        "method": state.method,
        "overrides": state.overrides,
        "selection": list(words_of(data, state).values()),
        "selected": _selected(data, state),
        "metrics": [(_label(data, m), _metric(data, m), METRICS[m].formula) for m in strip_of(data)],
        "health": health_answer(data.diagnostics),
        "findings": records(worst_first(data.diagnostics)),
        "views": drawn_views(RUN, data, state, rank),
        "tables": [*view_tables(RUN, data, state), *_tables(data, state)],
        "source": _listing(data, state),
    }


def _added(repository: Repository, run_id: str) -> dict[str, object]:
    """Return what people added to a run, as text."""
    added = Annotations(repository.catalogue).one(repository.stored(run_id))
    notes = "\n".join(map(tame, added.notes.splitlines()))
    return {"notes": notes, "tags": [tame(tag) for tag in added.tags or ()]}


def _selected(data: RunData, state: RunState) -> str:
    """Return how much the selection covers, in words."""
    if len(data.kernels):
        return f"{integer(int(selected_kernels(data, state.selection)['kept'].sum()))} kernels"
    shown = shown_map(data, state)
    return f"{shown.label} is shown" if shown is not None else ""


def _tables(data: RunData, state: RunState) -> list[Table]:
    return [frame_table(name, table_frame(data, state, name)) for name in tables_of(data)]


def view_tables(screen: Screen[Data, State], data: Data, state: State) -> list[Table]:
    """Return what the views of a page have in text."""
    return [table for view in screen.views_of(data) for table in view.tables(data, state)]


def _listing(data: RunData, state: RunState) -> str:
    """Return the text that views have beside tables: the source of the chosen program."""
    return "\n".join(text for view in RUN.views_of(data) if (text := view.listing(data, state)))


def _label(data: RunData, name: str) -> str:
    scope = scopes_of(data).get(name)
    return f"{METRICS[name].label} ({scope})" if scope else METRICS[name].label


def _metric(data: RunData, name: str) -> str:
    shown = in_unit(data.headline[name], METRICS[name].unit)
    return f"{shown} {METRICS[name].unit}" if METRICS[name].unit in ("GMAC/s", "cycles") else shown


def drawn_views(screen: Screen[Data, State], data: Data, state: State, rank: int = 0) -> list[_View]:
    """Return the plots of a page; `rank` tells the parts of a file apart."""
    views = []
    for view in screen.plots_of(data):
        panel = drawn(view, data, state, THEME)
        plot = _plot(panel.figure, f"{view.id}-{rank}") if has_content(panel.figure) else Markup("")
        if view.strip:
            plot = _plot(drawn(view.strip, data, state, THEME).figure, f"{view.strip.id}-{rank}") + plot
        views.append(_View(view.id, view.title, panel.answer, panel.line, plot))
    return views


def _plot(figure: Figure, div_id: str) -> Markup:
    plot = pio.to_html(
        figure.to_plotly_json(),
        config=graph_config(),
        include_plotlyjs=False,
        full_html=False,
        div_id=div_id,
        validate=False,
    )
    # Plotly writes JSON in which `<` and `>` are escaped: names of a trace cannot end its script.
    return Markup(plot)  # noqa: S704


def _text(name: str, value: object) -> str:
    if isinstance(value, float):
        return rate_text(value, "Hz") if name == "clock_hz" else f"{value:g}"
    return tame(str(value))
