"""Views of a comparison's result: verdict, attribution of the change, setup, numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.comparison.cause import Cause
from analysis.comparison.explained import causes_of, explained_row
from analysis.comparison.outcome import change_size
from analysis.comparison.rows import ResultRow, reading_order
from app.views.comparison.state import CompareState
from app.views.comparison.view import ComparePlot, CompareWords
from app.views.option import Option
from app.views.text_tables import Table, plain_table, rows_tables
from app.views.view import Panel, Part, Width, custom, whole
from components.comparison import attribution as waterfall
from components.comparison.metrics_table import metrics_table, rows_frame
from components.comparison.setup_table import setting_label, setting_text, setup_table
from components.comparison.words import (
    about,
    amount_words,
    cause_words,
    change_words,
    first_words,
)
from components.hints import left_out_hint
from components.numbers import count_text, integer, tame
from components.verdicts import tone, verdict_words
from services.comparison.data import CompareData
from services.run.capabilities import Capability

ONLY = Option("setup", "settings shown", {"differences": "only differences", "all": "all settings"})
_LEVELS = ("run", "device", "attempt", "result")
"""Levels whose rows the table of numbers shows; tiles and kernels have views of their own."""
_MAX_ROWS = 40
_MAX_REASONS = 6
_CHANGED = ("improved", "regressed", "changed")
_NO_CHANGE = "There is no change to explain."
_NO_CAUSE = "The parts of the change are not known."
_HEALTH = ("errors", "warnings")
"""Settings that are always shown: numbers of broken captures say little about the code."""


def verdict_part(data: CompareData, _state: CompareState) -> Part:
    """Lay out the verdict of the comparison in a sentence, and at most _MAX_REASONS (6) reasons if
    there are several.
    """
    answer = data.result
    words = html.P(
        [
            html.Span(
                verdict_words(answer.verdict),
                className=f"ts-badge ts-verdict-badge {tone(answer.verdict)}",
            ),
            " ",
            first_words(answer.parts, answer.rows, answer.attribution, answer.verdict),
        ],
        className="ts-headline",
    )
    # A single reason repeats the headline, and an unchanged number needs no reason.
    has_more = len(answer.reasons) > 1 and answer.verdict != "unchanged"
    listed = answer.reasons if has_more else answer.incomplete
    reasons = [html.Li(tame(reason)) for reason in listed[:_MAX_REASONS]]
    left = len(listed) - len(reasons)
    more: list[Component] = [html.Li(f"and {count_text(left, 'more reason')}")] if left > 0 else []
    return Part(html.Div([words, html.Ul([*reasons, *more], className="ts-reasons")]), "")


def explain_change(data: CompareData) -> tuple[ResultRow | None, list[Cause]]:
    """Return (the row to explain, the causes of its change).

    It is the row that decides the verdict, or another gating row if only its causes are known. The
    row is None if there are no causes.
    """
    result = data.result
    row = explained_row(result.rows, result.attribution, result.verdict)
    return row, [] if row is None else causes_of(row, result.attribution)


def attribution_panel(data: CompareData, _state: CompareState, theme: str) -> Panel:
    """Draw the parts that the change consists of, as a waterfall; the caption names the three
    largest, or why there are none.
    """
    row, causes = explain_change(data)
    figure = waterfall.attribution(row, causes, theme)
    if row is None:
        moved = any(
            row.gates and row.judged.verdict in ("improved", "regressed")
            for row in data.result.rows
        )
        # An undecided change may be large: that there is none would be a claim.
        is_open = any(
            row.gates and row.judged.verdict in ("undecided", "incomparable")
            for row in data.result.rows
        )
        without = "No change is certain enough to explain." if is_open else _NO_CHANGE
        return Panel(figure, _NO_CAUSE if moved else without)
    top = "; ".join(f"{cause_words(cause)} {amount_words(cause)}" for cause in causes[:3])
    more = f"; {integer(len(causes) - 3)} more" if len(causes) > 3 else ""
    name = about(row)
    return Panel(figure, f"{name[:1].upper()}{name[1:]} {change_words(row)} vs base: {top}{more}.")


def cause_clicked(state: CompareState, data: CompareData, click: Mapping[str, Any]) -> CompareState:
    """Return the state with the tile, kernel or block selected that the clicked cause names;
    unchanged if there is no such cause.
    """
    rank = whole(next(iter(custom(click)), None))
    _, causes = explain_change(data)
    return (
        state
        if rank is None or not 0 <= rank < len(causes)
        else cause_selected(state, data, causes[rank])
    )


def cause_selected(state: CompareState, data: CompareData, cause: Cause) -> CompareState:
    """Return the state in which the place of a cause is selected: kernel, block or tile; a cause of
    all tiles clears the tile.
    """
    # The unit identifies the kind of cause: kernels in ns, blocks and groups of buffers in bytes,
    # tiles in any other unit.
    if cause.unit == "ns":
        return state.selecting(kernel=cause.where)
    if cause.unit == "bytes":
        if not data.can(Capability.ADDRESSES):
            return state.selecting(kernel=cause.where)
        named = (data.blocks[["name_base", "name_new"]] == cause.where).any(axis=1)
        positions = np.flatnonzero((named & (data.blocks["attempt"] == cause.key)).to_numpy())
        return block_selected(state, data, int(positions[0])) if len(positions) else state
    tiles = data.caused_tiles(cause.where)
    return state.selecting(track=tiles[0]) if tiles else state.selecting(track="")


def block_selected(state: CompareState, data: CompareData, row: int) -> CompareState:
    """Return the state in which the changed block in row `row` of the data's blocks, and its
    attempt, are selected.
    """
    return state.selecting(block=row, attempt=str(data.blocks["attempt"].iloc[row]))


def attribution_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of the causes; empty if there are none."""
    causes = data.result.attribution
    frame = pd.DataFrame(
        {
            "number": [cause.metric for cause in causes],
            "attempt or level": [cause.key for cause in causes],
            "what": [cause_words(cause) for cause in causes],
            "part of the change": [amount_words(cause) for cause in causes],
        }
    )
    return rows_tables("attribution", frame)


def setup_part(data: CompareData, state: CompareState) -> Part:
    """Lay out the settings of both sides that differ, and the numbers of errors and warnings; all
    settings if that option is chosen. Settings that differ are first.
    """
    differing = data.result.setup
    health = [
        setting
        for setting in data.settings
        if setting["key"] in _HEALTH and setting not in differing
    ]
    same = [setting for setting in data.settings if setting not in differing]
    shown = [*differing, *(same if ONLY.of(state) == "all" else health)]
    caption = (
        f"{count_text(len(differing), 'setting')} differ."
        if len(differing) != 1
        else "1 setting differs."
    )
    if not differing:
        caption = "All settings are the same."
    return Part(html.Div([setup_table(shown)] if shown else []), caption)


def setup_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of the differing settings, maybe without rows."""
    return [plain_table("setup", settings_frame(data.result.setup))]


def settings_frame(settings: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Format settings as texts in a frame with a row per setting: setting (label), base, new."""
    columns = {
        side: [setting_text(str(setting["key"]), setting[side]) for setting in settings]
        for side in ("base", "new")
    }
    return pd.DataFrame(
        {"setting": [setting_label(str(setting["key"])) for setting in settings], **columns}
    )


def metrics_part(data: CompareData, _state: CompareState) -> Part:
    """Lay out the numbers of runs, devices, attempts and files of results in a table; of more than
    _MAX_ROWS (40) rows: rows of whole runs, then changed rows, the largest changes first.
    """
    rows = [row for row in reading_order(data.result.rows) if row.level in _LEVELS]
    changed = [row for row in rows if row.judged.verdict in _CHANGED]
    shown = rows
    if len(rows) > _MAX_ROWS:
        runs = [row for row in rows if row.level == "run"]
        others = [row for row in changed if row.level != "run"]
        # The largest changes first: a file of results may have thousands of numbers.
        shown = [*runs, *sorted(others, key=change_size, reverse=True)]
    body: list[Component] = [html.Div(metrics_table(shown[:_MAX_ROWS]), className="ts-scroll")]
    body += left_out_hint(len(rows) - len(shown[:_MAX_ROWS]), "row", " in the exports.")
    undecided = sum(row.judged.verdict == "undecided" for row in rows)
    return Part(html.Div(body), changes_caption(len(changed), undecided, len(rows)))


def changes_caption(changed: int, undecided: int, rows: int) -> str:
    """Count the numbers that changed, and the numbers whose change is undecided, of all rows."""
    if not changed and not undecided:
        return "No number changed."
    count = count_text(changed, "number") if changed else "No number"
    return f"{count} of {rows} changed{f', {undecided} undecided' if undecided else ''}."


def metrics_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of all rows of the result, with tiles and kernels."""
    return [plain_table("numbers", rows_frame(reading_order(data.result.rows)))]


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
    title="What the change is made of",
    help="The number that decides the verdict in parts that sum to its change. Captures: time of the core that ends "
    "last. Memory: blocks alive at the peak, and unused addresses. Profiles: kernels of a step. Click selects the place.",
    width=Width.WIDE,
    # Named numbers have no parts.
    only=lambda data: bool(data.result.attribution) or not data.can(Capability.RESULTS),
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
