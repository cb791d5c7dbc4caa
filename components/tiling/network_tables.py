"""Tables of a whole network: memory levels, operators that move most, a sweep of capacities, and
two levels combined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_bootstrap_components as dbc
from dash import html
from dash.development.base_component import Component

from analysis.tiling.deeploy.joint import JointPoint
from analysis.tiling.deeploy.network_summary import CapacityStep, Network, NetworkLevel
from components.aria import aria
from components.counts import part_text
from components.numbers import DASH, integer, percent, shorten, size
from components.tiling.network_words import step_sentence
from components.tiling.words import exact_size

_MAX_NAME_CHARACTERS = 60
LEVEL_HEADS = (
    "level",
    "the run's",
    "smallest as tiled",
    "with any tiles",
    "moved in",
    "moved out",
    "not known",
)
"""Headings of the cells of `level_cells`."""
WORST_HEADS = ("operator", "type", "moved in", "moved out", "of all known")
"""Headings of the cells of `worst_cells`."""
STEP_HEADS = ("capacity", "what it is", "fits", "moved", "best fit ends", "first fit ends")
"""Headings of the cells of `step_cells`."""


def level_cells(network: Network) -> list[list[str]]:
    """Format a row of texts per memory level, in the order of LEVEL_HEADS; a dash for an unknown
    size.
    """
    return [_level_cells(level) for level in network.levels]


def _level_cells(level: NetworkLevel) -> list[str]:
    sizes = (level.capacity, level.least_as_tiled, level.least_of_any)
    lacking = f"{part_text(level.unknown, level.operators, 'operator')}"
    size_cells = [
        DASH if bytes_or_none is None else exact_size(bytes_or_none) for bytes_or_none in sizes
    ]
    return [level.level, *size_cells, size(level.bytes_in), size(level.bytes_out), lacking]


def worst_cells(level: NetworkLevel) -> list[list[str]]:
    """Format a row of texts per operator that moves most, in the order of WORST_HEADS."""
    return [
        [
            shorten(operator.name, _MAX_NAME_CHARACTERS),
            operator.op_type or DASH,
            size(operator.bytes_in),
            size(operator.bytes_out),
            percent(operator.share),
        ]
        for operator in level.worst
    ]


def step_cells(level: NetworkLevel) -> list[list[str]]:
    """Format a row of texts per capacity of the sweep, in the order of STEP_HEADS; a dash for an
    unknown number.
    """
    return [_step_cells(level, step) for step in level.steps]


def _step_cells(level: NetworkLevel, step: CapacityStep) -> list[str]:
    fits = (
        "all"
        if step.moved_bytes is not None
        else f"{integer(step.fitting)} of {integer(level.operators)}"
    )
    moved = DASH if step.moved_bytes is None else size(step.moved_bytes)
    ends = [
        size(step.extents[name]) if name in step.extents else DASH
        for name in ("best_fit", "first_fit")
    ]
    return [exact_size(step.capacity), ", ".join(step.names) or DASH, fits, moved, *ends]


def joint_cells(network: Network) -> tuple[list[str], list[list[str]]]:
    """Format headings and rows of bytes moved for two levels combined: capacities of the inner
    level down, of the outer level across.

    The first cell of a row is its capacity; "too small" if the capacities do not fit all operators.
    """
    inner, outer = network.joint_levels
    across = sorted({point.outer for point in network.joint})
    heads = [f"{inner} down, {outer} across", *map(exact_size, across)]
    return heads, [
        [exact_size(down), *(_joint_text(point) for point in network.joint if point.inner == down)]
        for down in sorted({point.inner for point in network.joint})
    ]


def _joint_text(point: JointPoint) -> str:
    if point.moved_bytes is None:
        return "too small"
    return f"{size(point.moved_bytes)}{' ★ smallest' if point.is_smallest else ''}"


def text_table(heads: Sequence[str], rows: Sequence[Sequence[str]], label: str) -> html.Div:
    """Build a table of rows of texts with the headings `heads`; `label` is its name for screen
    readers.
    """
    body = [html.Tr([html.Td(html.Bdi(cell)) for cell in row]) for row in rows]
    return _frame(heads, body, label)


def _frame(heads: Sequence[str], body: Sequence[Component], label: str) -> html.Div:
    head = html.Thead(html.Tr([html.Th(text) for text in heads]))
    table = html.Table([head, html.Tbody([*body])], className="ts-changes")
    return html.Div(
        table, className="ts-changes-frame", tabIndex=0, role="region", **aria(label=label)
    )


def _data(**values: str) -> dict[str, Any]:
    return {f"data-{name}": value for name, value in values.items()}


def sweep_control(level: NetworkLevel, plot: str) -> html.Div:
    """Build a slider over the capacities of a sweep, with a sentence and a row for each.

    The plot with the id `plot` follows it.

    The browser moves the slider without a request to the server (`assets/network.js`): each row
    carries its sentence and capacity as data attributes.
    """
    # When the sweep lacks the run's capacity, the slider begins at the largest capacity.
    own = next(
        (at for at, step in enumerate(level.steps) if step.capacity == level.capacity),
        len(level.steps) - 1,
    )
    rows = [
        html.Tr(
            [html.Td(cell) for cell in _step_cells(level, step)],
            className="ts-row-shown" if at == own else "",
            **_data(said=step_sentence(level, step), capacity=str(step.capacity)),
        )
        for at, step in enumerate(level.steps)
    ]
    slider = dbc.Input(
        type="range",
        min=0,
        max=len(level.steps) - 1,
        step=1,
        value=own,
        class_name="ts-slider ts-sweep-slider",
    )
    return html.Div(
        [
            html.Label([html.Span(f"capacity of {level.level}"), slider]),
            html.P(
                step_sentence(level, level.steps[own]), className="ts-sweep-said", role="status"
            ),
            _frame(STEP_HEADS, rows, f"Sweep of {level.level}"),
        ],
        className="ts-sweep",
        key=level.level,
        **_data(plot=plot),
    )
