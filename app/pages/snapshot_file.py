"""Write the HTML file of a snapshot: pages with their facts, plots and tables."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import Markup
from plotly.io.json import to_json_plotly

from app.config.assets import (
    GRAPH_CSS,
    GRAPH_SCRIPTS,
    PLOT_SCRIPTS,
    PLOTLY,
    TIMELINE_CSS,
    TIMELINE_SCRIPTS,
)
from app.views.page_data import Data, State
from app.views.text_tables import Table
from app.views.view import Plot, draw_plot
from app.views.view_page import ViewPage
from components.figure import Figure
from components.graph import graph_config, has_content
from components.numbers import shorten, tame
from components.theme import css
from services.run.data import RunData

THEME = "light"
_TEMPLATES = Path(__file__).parent
_PLOT = Markup(
    '<div style="height:{}"><div id="{}" class="plot" style="height:100%"></div>'
    '<script type="application/json">{}</script></div>'
)
_ORIGIN = ("source", "hwid", "file", "sha256", "created_at")


@dataclass(frozen=True)
class ViewPanel:
    """A panel in the file: id, title, caption, note, and the plot as HTML."""

    id: str
    title: str
    answer: str
    line: str
    plot: Markup


def write_parts(parts: Sequence[Mapping[str, object]], title: str) -> str:
    """Return the text of the HTML file made from its parts, a page each; each part has the values
    that the template reads.
    """
    assets = {"css": css(), "plotly": _packed_plotly()} | timeline_assets()
    if any(part.get("graphs") for part in parts):
        assets |= {
            "graph_css": GRAPH_CSS.read_text(encoding="utf-8"),
            "graph_scripts": _join_scripts(GRAPH_SCRIPTS),
        }
    # Styles and scripts are the project's own files, so they must not be escaped.
    return template("snapshot.html").render(
        runs=parts,
        title=title,
        **{name: Markup(text) for name, text in assets.items()},  # noqa: S704
    )


def timeline_assets() -> dict[str, str]:
    """Return the styles and scripts of plots, those of timelines included, by their names in a
    template.
    """
    return {
        "timeline_css": TIMELINE_CSS.read_text(encoding="utf-8"),
        "timeline_scripts": _join_scripts((*TIMELINE_SCRIPTS, *PLOT_SCRIPTS)),
    }


@lru_cache(maxsize=1)
def _packed_plotly() -> str:
    """Return plotly.js, compressed by gzip and encoded as base64: uncompressed it would dominate
    the size of most files.
    """
    # Without mtime=0 the time of compression would make equal files differ.
    return base64.b64encode(gzip.compress(PLOTLY.read_bytes(), mtime=0)).decode()


def _join_scripts(scripts: Sequence[Path]) -> str:
    return "\n".join(script.read_text(encoding="utf-8") for script in scripts)


@dataclass(frozen=True)
class DrawnGraph:
    """A graph that the file draws as the page does.

    `kind` is the kind of graph (see `components.program.graph_stage`), `columns` are its data as
    JSON, and `state` is the selection, matches and folding as JSON.
    """

    kind: str
    title: str
    columns: str
    state: str

    @property
    def script(self) -> Markup:
        """The columns of the graph as JSON, escaped for a script element."""
        return _script_json(self.columns)


def page_part(
    screen: ViewPage[Data, State], data: Data, state: State, **given: object
) -> dict[str, object]:
    """Build the part of a page for the template: its drawn views and tables, and the values
    `given`; other values are empty.
    """
    blank: dict[str, object] = {
        "method": "",
        "overrides": {},
        "selection": [],
        "selected": "",
        "metrics": [],
    }
    blank |= {"health": "", "findings": [], "source": "", "graphs": ()}
    return (
        blank
        | {"views": view_panels(screen, data, state), "tables": view_tables(screen, data, state)}
        | given
    )


def write_run_page(
    screen: ViewPage[Data, State],
    data: Data,
    state: State,
    run: RunData,
    title: str,
    **given: object,
) -> str:
    """Return the text of the HTML file of a page about a run; `title` precedes the run's name."""
    row = run.run.iloc[0]
    name = tame(str(row["name"]))
    drawn = page_part(
        screen, data, state, id=run.run_id, name=f"{title} {name}", facts=origin_facts(row), **given
    )
    return write_parts([drawn], f"{title} {shorten(name)}")


def origin_facts(run: pd.Series) -> list[tuple[str, str]]:
    """Return (label, text) of the facts about a run's origin: source, hwid, file, sha256,
    created_at, as far as known.
    """
    return [
        (name, tame(str(run[name]))) for name in _ORIGIN if pd.notna(run[name]) and run[name] != ""
    ]


@lru_cache(maxsize=4)
def template(name: str) -> Template:
    """Load a template of this folder; it escapes all values that are not Markup."""
    # Names, notes and findings come from users and their files, so they are escaped.
    return Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True).get_template(name)


def view_tables(screen: ViewPage[Data, State], data: Data, state: State) -> list[Table]:
    """Return the tables of all views of a page that its data can show, in the order of the views."""
    # The template tells by the id which tables belong to a view, and opens short tables.
    return [
        replace(table, view=view.id)
        for view in screen.available_views(data)
        for table in view.tables(data, state)
    ]


def view_panels(
    screen: ViewPage[Data, State], data: Data, state: State, rank: int = 0
) -> list[ViewPanel]:
    """Draw the plots of a page that its data can show, with captions; `rank` distinguishes the ids
    of several parts in a file.
    """
    return [view_panel(view, data, state, rank) for view in screen.available_plots(data)]


def view_panel(
    view: Plot[Data, State], data: Data, state: State, rank: int = 0, theme: str = THEME
) -> ViewPanel:
    """Draw a plot with its caption; `rank` distinguishes the ids of several parts in a file."""
    panel = draw_plot(view, data, state, theme)
    plot = _plot(panel.figure, f"{view.id}-{rank}") if has_content(panel.figure) else Markup("")
    if view.strip:
        strip = draw_plot(view.strip, data, state, theme).figure
        plot = _plot(strip, f"{view.strip.id}-{rank}") + plot
    return ViewPanel(view.id, view.title, panel.caption, panel.line, plot)


def _plot(figure: Figure, div_id: str) -> Markup:
    """Return the HTML of a plot: its element and its data, as the template's script expects them."""
    drawn = figure.to_plotly_json() | {"config": graph_config() | {"responsive": True}}
    height = f"{figure.height}px" if figure.height else "100%"
    return _PLOT.format(height, div_id, _script_json(to_json_plotly(drawn)))


def _script_json(text: str) -> Markup:
    """Escape JSON for a script element (each `<`), so that no text of a capture can close the
    element.
    """
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704
