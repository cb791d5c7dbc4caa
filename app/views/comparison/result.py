"""Views of a comparison's result: verdict, attribution of the change, setup, numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.comparison.cause import Cause
from analysis.comparison.rows import ResultRow
from app.views.comparison.state import CompareState
from app.views.comparison.view import ComparePlot, CompareWords
from app.views.option import Option
from app.views.text_tables import Table, plain_table
from app.views.view import Panel, Part, Width, custom, whole
from components.comparison import attribution as waterfall
from components.comparison.metrics_table import metrics_table, rows_frame
from components.comparison.setup_table import setting_label, setting_text, setup_table
from components.comparison.words import amount_words, cause_words, headline
from components.numbers import count_text, tame
from components.verdicts import tone, verdict_words
from schema.comparison import EXTENT
from services.comparison.data import CompareData
from services.run.capabilities import Capability

ONLY = Option("setup", "settings shown", {"differences": "only differences", "all": "all settings"})
_LEVELS = ("run", "device", "attempt")
"""Levels whose rows the table of numbers shows; tiles and kernels have views of their own."""
_MAX_ROWS = 40
_MAX_REASONS = 6
_NO_CAUSE = "The blocks alive at the peak are the same: the layout made the change."
_HEALTH = ("errors", "warnings")
"""Settings that are always shown: numbers of broken captures say little about the code."""


def verdict_part(data: CompareData, _state: CompareState) -> Part:
    """Lay out the verdict of the comparison and the reasons for it."""
    answer = data.result
    words = html.P(
        [
            html.Span(
                verdict_words(answer.verdict),
                className=f"ts-badge ts-verdict-badge {tone(answer.verdict)}",
            ),
            " ",
            headline(answer.rows, answer.attribution, answer.verdict),
        ],
        className="ts-headline",
    )
    # A single reason repeats the headline, and an unchanged number needs no reason.
    listed = answer.reasons if len(answer.reasons) > 1 and answer.verdict != "unchanged" else []
    reasons = [html.Li(tame(reason)) for reason in listed[:_MAX_REASONS]]
    left = len(listed) - len(reasons)
    more: list[Component] = [html.Li(f"and {count_text(left, 'more reason')}")] if left > 0 else []
    return Part(html.Div([words, html.Ul([*reasons, *more], className="ts-reasons")]), "")


def explain_change(data: CompareData) -> tuple[ResultRow | None, list[Cause]]:
    """Return the row to explain, and the causes of its change.

    A metric that decides the verdict has priority over the extent of an attempt. The row is None if
    there are no causes, or if the extents of several attempts changed.
    """
    causes = data.result.attribution
    if not causes:
        return None, []
    metric = next((cause.metric for cause in causes if cause.metric != EXTENT.name), EXTENT.name)
    own = [cause for cause in causes if cause.metric == metric]
    if metric != EXTENT.name:
        return data.row(metric), own
    changed = [row for row in data.result.rows if row.metric.name == metric and row.delta]
    return (changed[0] if len(changed) == 1 else None), own


def attribution_panel(data: CompareData, _state: CompareState, theme: str) -> Panel:
    """Draw the parts that the change consists of."""
    row, causes = explain_change(data)
    figure = waterfall.attribution(row, causes, theme)
    if not data.result.attribution:
        moved = any(
            row.gates and row.judged.verdict in ("improved", "regressed")
            for row in data.result.rows
        )
        return Panel(figure, _NO_CAUSE if moved else "There is no change to explain.")
    top = "; ".join(
        f"{cause_words(cause)} {amount_words(cause)}" for cause in data.result.attribution[:3]
    )
    return Panel(figure, f"Largest first: {top}.")


def cause_clicked(state: CompareState, data: CompareData, click: Mapping[str, Any]) -> CompareState:
    """Select the tile, kernel or block that a cause names."""
    rank = whole(next(iter(custom(click)), None))
    _, causes = explain_change(data)
    return (
        state
        if rank is None or not 0 <= rank < len(causes)
        else cause_selected(state, data, causes[rank])
    )


def cause_selected(state: CompareState, data: CompareData, cause: Cause) -> CompareState:
    """Return the state in which the place of a cause is selected."""
    # The unit identifies the kind of cause: kernels in ns, blocks and groups of buffers in bytes,
    # tiles in any other unit.
    if cause.unit == "ns":
        return state.selecting(kernel=cause.where)
    if cause.unit == "bytes":
        if not data.can(Capability.ADDRESSES):
            return state.selecting(kernel=cause.where)
        named = (data.blocks[["name_base", "name_new"]] == cause.where).any(axis=1).to_numpy()
        positions = np.flatnonzero(named)
        return block_selected(state, data, int(positions[0])) if len(positions) else state
    tiles = data.caused_tiles(cause.where)
    return state.selecting(track=tiles[0]) if tiles else state.selecting(track="")


def block_selected(state: CompareState, data: CompareData, row: int) -> CompareState:
    """Return the state in which a changed block and its attempt are selected."""
    return state.selecting(block=row, attempt=str(data.blocks["attempt"].iloc[row]))


def attribution_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a table of the causes."""
    causes = data.result.attribution
    frame = pd.DataFrame(
        {
            "number": [cause.metric for cause in causes],
            "what": [cause_words(cause) for cause in causes],
            "part of the change": [amount_words(cause) for cause in causes],
        }
    )
    return [plain_table("attribution", frame)] if causes else []


def setup_part(data: CompareData, state: CompareState) -> Part:
    """Lay out the settings of both sides."""
    differing = data.result.setup
    health = [
        setting
        for setting in data.settings
        if setting["key"] in _HEALTH and setting not in differing
    ]
    shown = data.settings if ONLY.of(state) == "all" else [*differing, *health]
    caption = (
        f"{count_text(len(differing), 'setting')} differ."
        if len(differing) != 1
        else "1 setting differs."
    )
    if not differing:
        caption = "All settings are the same."
    return Part(html.Div([setup_table(shown)] if shown else []), caption)


def setup_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a table of the differing settings."""
    return [plain_table("setup", settings_frame(data.result.setup))]


def settings_frame(settings: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Format settings as text for a table: setting, base, new."""
    columns = {
        side: [setting_text(str(setting["key"]), setting[side]) for setting in settings]
        for side in ("base", "new")
    }
    return pd.DataFrame(
        {"setting": [setting_label(str(setting["key"])) for setting in settings], **columns}
    )


def metrics_part(data: CompareData, _state: CompareState) -> Part:
    """Lay out the numbers of runs, devices and attempts."""
    rows = [row for row in data.result.rows if row.level in _LEVELS]
    changed = [row for row in rows if row.judged.verdict in ("improved", "regressed", "changed")]
    shown = (
        rows
        if len(rows) <= _MAX_ROWS
        else [row for row in rows if row.level == "run" or row in changed]
    )
    body: list[Component] = [html.Div(metrics_table(shown[:_MAX_ROWS]), className="ts-scroll")]
    left = len(rows) - len(shown[:_MAX_ROWS])
    if left:
        body.append(
            html.P(f"{count_text(left, 'more row')} in the exports.", className="ts-panel-hint")
        )
    caption = (
        f"{count_text(len(changed), 'number')} of {len(rows)} changed."
        if changed
        else "No number changed."
    )
    return Part(html.Div(body), caption)


def metrics_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a table of all rows."""
    return [plain_table("numbers", rows_frame(data.result.rows))]


VERDICT = CompareWords(
    id="verdict",
    title="Verdict",
    help=(
        "Verdict of the metrics that decide: the first of regressed, incomparable, undecided, improved, "
        "unchanged that any of them has, with the reason of each metric that has it."
    ),
    width=Width.FULL,
    make=verdict_part,
)
ATTRIBUTION = ComparePlot(
    id="attribution",
    title="Parts of the change",
    help="The parts sum to the change. Of captures: time of the core that ends last; of memory: blocks alive at the "
    "peak; of profiles: kernels of a step. Click selects the place.",
    width=Width.WIDE,
    draw=attribution_panel,
    on_click=cause_clicked,
    tables=attribution_tables,
)
SETUP = CompareWords(
    id="setup",
    title="Setup",
    help=(
        "Settings of both sides, and how many errors and warnings their captures "
        "have. A changed setting may have caused the change."
    ),
    width=Width.NARROW,
    choices=(ONLY,),
    make=setup_part,
    tables=setup_tables,
)
METRICS = CompareWords(
    id="metrics",
    title="Numbers",
    help="Each number of both sides with its change, the 95 % interval of the change (the band is the threshold) and "
    "the verdict. A verdict other than unchanged needs an interval without 0 and a change above the threshold.",
    width=Width.FULL,
    make=metrics_part,
    tables=metrics_tables,
)
