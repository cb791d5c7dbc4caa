"""The problem of the lab as fields: attempt, strategy, effort, seed, capacity, and changes to the
attempt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_bootstrap_components as dbc
import numpy as np
from dash import html
from dash.development.base_component import Component

from analysis.allocators.listed import LISTED
from analysis.allocators.what_if import APART, POSSIBLE, STORED
from analysis.memory.selection import MemorySelection
from app.pages.lab.keeping import keep_controls
from app.views.controls import bytes_box, choice
from app.views.drawing import Properties
from app.views.lab.registry import LAB
from app.views.lab.slider import SAID, SLIDER
from app.views.lab.state import LabState
from components.aria import aria
from components.numbers import count_text, integer
from components.tables import records
from services.lab.data import LabData
from services.run.placement_question import EFFORTS

_FRONT = "lowest extent for few bytes that move to another address than in the file"
FIRST, OWN = "first", "own"
"""Values for the attempt that the run's page shows first, and for each block's own alignment."""
ALIGNMENTS = (1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096)
_MAX_LISTED = 500
_PAUSE_MS = 200
_EMPTY = "bytes or 100KiB, empty = minimum"
NUMBERS = ("seed",)
"""Fields of whole numbers, whose digits may be grouped by spaces as pages show them."""
_DIGITS = r"[\d\s]*"


def form(data: LabData, state: LabState, parts: Properties) -> html.Section:
    """Lay out the problem as fields, the buttons of the search, and its status; `parts` has the
    properties of components by id.
    """
    return html.Section(
        [
            html.Div(_fields(data, state, parts), className="ts-settings"),
            html.Div(_buttons(parts), className="ts-lab-run"),
        ],
        className="ts-panel ts-lab-form",
        **aria(label="Question"),
    )


def _fields(data: LabData, state: LabState, parts: Properties) -> list[Component]:
    return [
        *_attempt(data, state),
        _select("strategy", "strategy", _strategies(data), state.strategy),
        _select(
            "effort",
            "effort",
            {str(n): count_text(n, "placement") for n in EFFORTS},
            str(state.effort),
        ),
        bytes_box(
            "capacity",
            "" if state.capacity is None else str(state.capacity),
            "capacity",
            _EMPTY,
            LAB.choice,
        ),
        _slider(parts),
        _number_field("seed", "seed", state.seed or None, "0"),
        _select(
            "alignment",
            "alignment",
            _alignments(),
            OWN if state.alignment is None else str(state.alignment),
        ),
        _select(
            "aliases",
            "views",
            {STORED: "share, as stored", APART: "have bytes of their own"},
            state.aliases,
        ),
        _select("in_place", "in place", _IN_PLACE, state.in_place),
    ]


def _buttons(parts: Properties) -> list[Component]:
    """Lay out the buttons of the search, its status, and the controls that save a placement."""
    return [
        html.Button(
            "Solve", id="lab-solve", className="ts-button ts-primary", **parts["lab-solve"]
        ),
        html.Button(
            "Solve with all strategies", id="lab-all", className="ts-button", **parts["lab-all"]
        ),
        html.Button(
            "Least disturbance",
            id="lab-keep-most",
            className="ts-button",
            title=_FRONT,
            **parts["lab-keep-most"],
        ),
        html.Button("Cancel", id="lab-cancel", className="ts-button", **parts["lab-cancel"]),
        html.P(
            id="lab-status",
            className="ts-lab-status",
            role="status",
            **aria(live="polite"),
            **parts["lab-status"],
        ),
        *keep_controls(parts),
    ]


def values(state: LabState) -> Mapping[str, str]:
    """Return name -> the text that each field shows for a view state; "" if a value is not set."""
    return {
        "attempt": FIRST if state.attempt is None else str(state.attempt),
        "strategy": state.strategy,
        "effort": str(state.effort),
        "capacity": "" if state.capacity is None else str(state.capacity),
        "seed": str(state.seed or ""),
        "alignment": OWN if state.alignment is None else str(state.alignment),
        "aliases": state.aliases,
        "in_place": state.in_place,
        "find": state.find,
    }


_IN_PLACE = {
    APART: "outputs have their own storage",
    STORED: "outputs reuse operands, as stored",
    POSSIBLE: "outputs reuse operands if lifetimes allow",
}


def _attempt(data: LabData, state: LabState) -> list[Component]:
    attempts = data.run.memory.attempts
    if len(attempts) < 2:
        return []
    # The displayed attempt is always listed, even beyond the limit: a select element is empty when
    # its value is not an option.
    first = data.run.memory.number(MemorySelection())
    wanted = attempts["attempt"].isin([data.asked.attempt, first])
    listed = attempts[(np.arange(len(attempts)) < _MAX_LISTED) | wanted]
    names = {
        str(row["attempt"]): _attempt_words(row) for row in records(listed[list(_NAMED_COLUMNS)])
    }
    value = FIRST if state.attempt is None else str(state.attempt)
    return [
        _select("attempt", "attempt", {FIRST: f"shown first: {names[str(first)]}"} | names, value)
    ]


_NAMED_COLUMNS = ("attempt", "level", "group", "shape_secs", "failed")


def _attempt_words(row: Mapping[str, Any]) -> str:
    """Format an attempt: the name of its level, or its number with layer group, shape and number of
    failed blocks as far as known.
    """
    if row["level"] is not None:
        return str(row["level"])
    failed = f"{integer(row['failed'])} failed" if row["failed"] else ""
    parts = [
        str(part) for part in (row["group"], row["shape_secs"], failed) if part not in (None, "")
    ]
    return f"{row['attempt']}: {'; '.join(parts)}" if parts else f"attempt {row['attempt']}"


def _strategies(data: LabData) -> dict[str, str]:
    """Return name -> label of the strategies that are useful for any attempt of the run, in the
    order of LISTED.
    """
    return {
        name: strategy.label
        for name, strategy in LISTED.items()
        if not strategy.needs_banks or data.run.memory.has_bank_pairs
    }


def _alignments() -> dict[str, str]:
    return {OWN: "each its own"} | {
        str(alignment): f"{integer(alignment)} B" for alignment in ALIGNMENTS
    }


def _select(name: str, label: str, options: Mapping[str, str], value: str) -> html.Label:
    # An address may have a value that is not offered, such as another effort; a select element
    # without it would be empty.
    more = {} if value in options else {value: value}
    return html.Label([html.Span(label), choice(name, {**options, **more}, value, LAB.choice)])


def _slider(parts: Properties) -> html.Label:
    name = html.Span("capacity, by slider")
    # `debounce` waits for a pause while the slider is dragged.
    field = dbc.Input(
        id=SLIDER, type="range", debounce=_PAUSE_MS, class_name="ts-slider", **parts[SLIDER]
    )
    words = html.Span(id=SAID, className="ts-muted ts-lab-slider-said", **parts[SAID])
    return html.Label([name, field, words])


def _number_field(name: str, label: str, value: int | None, placeholder: str) -> html.Label:
    field = dbc.Input(
        id={"type": LAB.choice, "name": name},
        value="" if value is None else str(value),
        placeholder=placeholder,
        # Not type=number, because browsers reject grouped digits there.
        type="text",
        inputmode="numeric",
        pattern=_DIGITS,
        debounce=True,
        size="sm",
        class_name=f"ts-find ts-lab-{name}",
    )
    return html.Label([html.Span(label), field])
