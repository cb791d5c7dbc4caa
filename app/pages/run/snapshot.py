"""Write runs as a single HTML file that works offline."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from app.pages.snapshot_file import DrawnGraph, view_panels, view_tables, write_parts
from app.views.design.graph import GRAPH_OF_CAPTURE, graph_state
from app.views.memory.shown import shown_map
from app.views.registry import RUN, parse
from app.views.run_words import first_sentence, selection_words, strip_metrics, strip_scopes
from app.views.selected import selected_kernels
from app.views.state import RunState
from app.views.tables import table_frame, table_names
from app.views.text_tables import Table, frame_table
from components.aie.captions import health_caption
from components.comparison.verdict_strip import named_verdict, strip_text
from components.counts import with_unit
from components.headline import headline_help, headline_text
from components.health import worst_first
from components.html_text import html_text
from components.markdown import markdown
from components.numbers import DASH, count_text, in_unit, rate_text, tame
from components.program.graph_stage import DESIGN
from components.runs.run_facts import origin_facts, shape_facts
from components.tables import records
from components.verdicts import tone
from schema.headlines import headline_of
from schema.metrics import METRICS
from schema.plurals import plural
from services.run.data import RunData
from services.run.data_cache import RunDataCache
from services.run.design_graph import design_graph_text
from services.run.group_failures import FailureCache
from services.status.run_standing import run_standings
from storage.annotations import Annotations
from storage.repository import Repository

_FACTS = (
    *("taken_at", "commit", "branch"),
    *("source", "hwid", "M", "K", "N", "m", "k", "n", "rows", "cols", "warmup", "iterations"),
    *(
        "clock_hz",
        "mac_dtype",
        "peak_macs_per_cycle",
        "boundary_factor",
        "file",
        "sha256",
        "created_at",
    ),
)


def snapshot_html(
    repository: Repository, run_ids: Sequence[str], query: str, failures: FailureCache | None = None
) -> str:
    """Return the text of an HTML file of runs with a view state; the file makes no network
    requests.

    `failures` are the cached results for failed layer groups. Raises RunNotFound, and ValueError if
    the state overrides a setting with an invalid value.
    """
    state = parse(query)
    cache = RunDataCache(repository, failures)
    runs = [
        _run(cache, run_id, state, rank)
        | _texts_of_people(repository, run_id)
        | {"strip": _strip(repository, run_id)}
        for rank, run_id in enumerate(run_ids)
    ]
    return write_parts(runs, str(runs[0]["name"]) if len(runs) == 1 else plural(len(runs), "run"))


def _run(cache: RunDataCache, run_id: str, state: RunState, rank: int) -> dict[str, object]:
    data = cache.with_saved(run_id, state.method, state.overrides)
    row = data.run.iloc[0]
    return {
        "id": run_id,
        "name": tame(str(row["name"])),
        "facts": [
            ("captured", " · ".join([*origin_facts(row.to_dict()), *shape_facts(row.to_dict())])),
            *_facts(row),
        ],
        "method": state.method,
        "overrides": state.overrides,
        "selection": list(selection_words(data, state).values()),
        "selected": _selection_text(data, state),
        "headline": _headline(data),
        "sentence": str(first_sentence(data, state)),
        "metrics": [
            (_label(data, state, m), _metric(data, m), METRICS[m].formula)
            for m in strip_metrics(data)
        ],
        "health": health_caption(data.diagnostics),
        "findings": records(worst_first(data.diagnostics)),
        "views": view_panels(RUN, data, state, rank),
        "tables": [*view_tables(RUN, data, state), *_tables(data, state)],
        "source": _listing(data, state),
        # The scripts of a file draw one graph of a kind, so only the first run gets its graph.
        "graphs": _graphs(data, state) if rank == 0 else [],
    }


def _graphs(data: RunData, state: RunState) -> list[DrawnGraph]:
    """Return the graph of the run's design, if it has one with edges."""
    if data.design is None or not data.design.graph.nodes:
        return []
    columns = design_graph_text(data.design)
    return [DrawnGraph(DESIGN, GRAPH_OF_CAPTURE.title, columns, graph_state(data, state))]


def _facts(row: pd.Series) -> list[tuple[str, str]]:
    return [
        (name, _text(name, row[name])) for name in _FACTS if pd.notna(row[name]) and row[name] != ""
    ]


def _strip(repository: Repository, run_id: str) -> dict[str, str] | None:
    """Write the verdict strip as text, since the file has no page to link to; `None` if the run has
    no strip.
    """
    standings = run_standings(repository, run_id)
    if not standings:
        return None
    return {
        "verdict": named_verdict(standings),
        "base": standings[0].rule,
        "tone": tone(standings[0].row.verdict),
        "text": strip_text(standings),
    }


def _headline(data: RunData) -> dict[str, str] | None:
    """Return kind, text and explanation of the run's headline; None if the run has none."""
    headline = headline_of(str(data.run.iloc[0]["source"]), data.headline)
    if headline is None:
        return None
    return {
        "kind": headline.kind,
        "text": headline_text(headline),
        "help": headline_help(headline),
    }


def _texts_of_people(repository: Repository, run_id: str) -> dict[str, object]:
    """Return notes (HTML of their Markdown) and tags (list) of a run, under these names, without
    control characters; "" and empty if there are none.
    """
    added = Annotations(repository.catalogue).one(repository.find_run(run_id))
    notes = Markup(html_text(markdown(added.notes)))  # noqa: S704 - `html_text` escapes all texts
    return {"notes": notes, "tags": [tame(tag) for tag in added.tags or ()]}


def _selection_text(data: RunData, state: RunState) -> str:
    """Describe the size of the selection: the number of kernels, or the shown attempt if the run
    has no kernels; "" without both.
    """
    if len(data.kernels):
        return count_text(int(selected_kernels(data, state.selection)["kept"].sum()), "kernel")
    shown = shown_map(data, state)
    return f"{shown.label} is shown" if shown is not None else ""


def _tables(data: RunData, state: RunState) -> list[Table]:
    return [frame_table(name, table_frame(data, state, name)) for name in table_names(data)]


def _listing(data: RunData, state: RunState) -> str:
    """Return the source texts of the views, such as the source of the selected program, joined by
    line ends; "" if there are none.
    """
    return "\n".join(
        text for view in RUN.available_views(data) if (text := view.listing(data, state))
    )


def _label(data: RunData, state: RunState, name: str) -> str:
    scope = strip_scopes(data, state.method).get(name)
    return f"{METRICS[name].label} ({scope})" if scope else METRICS[name].label


def _metric(data: RunData, name: str) -> str:
    shown = in_unit(data.headline[name], METRICS[name].unit)
    metric = METRICS[name]
    text = with_unit(shown, metric.unit)
    return text if text == DASH else f"{text} {metric.share_of}".rstrip()


def _text(name: str, value: object) -> str:
    if isinstance(value, float):
        return rate_text(value, "Hz") if name == "clock_hz" else f"{value:g}"
    return tame(str(value))
