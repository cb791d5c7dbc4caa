"""Views that compare memory maps: stacked maps, live bytes, banks, changed blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from dash.development.base_component import Component

from analysis.allocators.packing import PACKERS
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from app.views.comparison.result import block_selected, explain_change
from app.views.comparison.state import CompareState
from app.views.comparison.view import CHOICE, CompareGrid, ComparePlot, CompareWords
from app.views.controls import choice, name_control
from app.views.text_tables import Table, rows_tables
from app.views.view import Panel, Part, Width
from components.comparison import banks as bank_figures
from components.comparison.blocks_grid import GRID, blocks_grid, blocks_line, grid_options
from components.graph import nothing
from components.memory import live_bytes, memory_map
from components.memory.colours import CHANGE
from components.memory.listed_blocks import are_unlisted
from components.numbers import shorten, size
from services.comparison.compared_maps import MapPair, map_pairs, shown_pair
from services.comparison.data import CompareData
from services.run.capabilities import Capability

_NEEDS = frozenset({Capability.ADDRESSES})
ATTEMPT = "attempt"
"""Name of the selector for a pair of attempts; its values depend on the runs."""
_MAX_LISTED = 500
_NO_PAIR = "The two runs have no matching attempts or levels."
_NO_BANKS = "The maps have no banks, or different numbers of banks."


def attempt_control(data: CompareData, state: CompareState) -> list[Component]:
    """Lay out the selector of the pair of attempts, in descending order of the change of the
    extent; empty if there are fewer than two pairs.
    """
    keys = [pair[0] for pair in map_pairs(data)][:_MAX_LISTED]
    if len(keys) < 2:
        return []
    options = {key: _label(key) for key in keys}
    return [
        name_control(
            "attempt or level", choice(ATTEMPT, options, shown_attempt(data, state), CHOICE)
        )
    ]


def shown_attempt(data: CompareData, state: CompareState) -> str:
    """Return the key of the displayed pair: the chosen pair, the pair of the selected block, the
    pair that the causes are of, or the first.
    """
    keys = [pair[0] for pair in map_pairs(data)]
    row = state.selection.block
    of_block = (
        str(data.blocks["attempt"].iloc[row]) if row is not None and row < len(data.blocks) else ""
    )
    explained = (cause.key for cause in explain_change(data)[1][:1])
    wanted = (state.selection.attempt, of_block, *explained, *keys[:1])
    return next((key for key in wanted if key in keys), "")


def _label(key: str) -> str:
    return f"attempt {key}" if key.isdecimal() else shorten(key, 40)


def _selection_of_pair(data: CompareData, state: CompareState, pair: MapPair) -> MemorySelection:
    """Return the selection for the two maps: the selected block in the new map (attempt 1), else in
    the base map (attempt 0); no block if it is of another pair.
    """
    row = state.selection.block
    if row is None or row >= len(data.blocks) or data.blocks["attempt"].iloc[row] != pair.key:
        # In a pair of maps the base has number 0 and the new map number 1.
        return MemorySelection(attempt=1, span=state.selection.span)
    ranks = data.blocks[["block_base", "block_new"]].iloc[row].tolist()
    side = 0 if pd.isna(ranks[1]) else 1
    return MemorySelection(attempt=side, block=int(ranks[side]), span=state.selection.span)


def map_panel(data: CompareData, state: CompareState, theme: str) -> Panel:
    """Draw the base map above the new map of the displayed pair, coloured by the kind of change of
    each block; without a pair only a sentence.
    """
    pair = shown_pair(data, shown_attempt(data, state))
    if pair is None:
        return Panel(nothing(theme), _NO_PAIR)
    view = memory_map.memory_map(
        [pair.base, pair.new],
        _selection_of_pair(data, state, pair),
        theme,
        colour=CHANGE,
        same_scale=True,
    )
    own = data.blocks[data.blocks["attempt"] == pair.key]
    reach = _reach_words(pair)
    is_listed = not any(are_unlisted(amap) for amap in (pair.base, pair.new))
    changed = blocks_line(own) if is_listed else "The blocks of one side are not listed."
    caption = f"{reach} {changed}"
    figure = view.figure.with_layout(uirevision=f"{pair.key} {state.selection.span}")
    return Panel(figure, caption, view.line)


def map_clicked(state: CompareState, data: CompareData, click: Mapping[str, Any]) -> CompareState:
    """Return the state with the clicked block selected if it changed, else with the selected block
    cleared; unchanged if no block was clicked.
    """
    pair = shown_pair(data, shown_attempt(data, state))
    parts = memory_map.parse_click(click)
    if pair is None or not parts:
        return state
    side = "new" if parts["attempt"] else "base"
    # The number is missing for blocks that only one side has.
    own = (data.blocks["attempt"] == pair.key) & (
        data.blocks[f"block_{side}"] == parts["block"]
    ).fillna(value=False)
    rows = own.to_numpy(bool).nonzero()[0]
    return block_selected(state, data, int(rows[0])) if len(rows) else state.selecting(block=None)


def _reach_words(pair: MapPair) -> str:
    """Write the extents of both maps; of an allocator, whose segments have no extent, the peaks."""
    sides = (pair.base, pair.new)
    if all(amap.whole("extent") is None for amap in sides):
        base, new = (size(amap.whole("live_peak")) for amap in sides)
        return f"Most alive at once: {base} and {new}."
    base, new = (_extent_words(amap) for amap in sides)
    return f"Extent {base} and {new}."


def _extent_words(amap: AttemptMap) -> str:
    """Format the extent of a map; that of an unsolved problem is from a built-in allocator."""
    own = "" if amap.attempt["strategy"] not in PACKERS else " as laid out here"
    return f"{size(amap.whole('extent'))}{own}"


def live_panel(data: CompareData, state: CompareState, theme: str) -> Panel:
    """Draw the bytes alive at each step of both maps of the displayed pair; without a pair only a
    sentence.
    """
    pair = shown_pair(data, shown_attempt(data, state))
    if pair is None:
        return Panel(nothing(theme), _NO_PAIR)
    figure = live_bytes.live_bytes(
        [pair.base, pair.new], _selection_of_pair(data, state, pair), theme, same_scale=True
    )
    bounds = [pair.base.whole("live_peak"), pair.new.whole("live_peak")]
    return Panel(figure, f"Most alive at once: {size(bounds[0])} and {size(bounds[1])}.")


def banks_panel(data: CompareData, state: CompareState, theme: str) -> Panel:
    """Draw mean and peak bytes of each bank of both maps; only a sentence unless both have the same
    number of banks.
    """
    pair = shown_pair(data, shown_attempt(data, state))
    counts = (None, None) if pair is None else (pair.base.whole("banks"), pair.new.whole("banks"))
    if pair is None or not counts[0] or counts[0] != counts[1]:
        return Panel(nothing(theme), _NO_BANKS)
    base, new = (bank_figures.bank_use(amap) for amap in (pair.base, pair.new))
    change = (new["peak"] - base["peak"]).to_numpy()
    worst = int(abs(change).argmax())
    if not change[worst]:
        return Panel(bank_figures.banks(base, new, theme), "Every bank has the same peak.")
    caption = f"Peak of bank {worst}: {size(base['peak'][worst])} and {size(new['peak'][worst])}, the largest change."
    return Panel(bank_figures.banks(base, new, theme), caption)


def blocks_part(data: CompareData, state: CompareState) -> Part:
    """List the blocks that changed, of all pairs, in a grid; empty if no block changed."""
    changed = data.blocks
    if not len(changed):
        return Part(None, "")
    return Part(blocks_grid(changed, state.selection.block), blocks_line(changed))


def block_clicked(state: CompareState, data: CompareData, row: int, _column: str) -> CompareState:
    """Return the state with the changed block in row `row` and its attempt selected; unchanged if
    there is no such row.
    """
    return block_selected(state, data, row) if row < len(data.blocks) else state


def blocks_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of the blocks that changed; empty if no block changed."""
    return rows_tables("blocks that changed", data.blocks.drop(columns="pair"))


MAPS = ComparePlot(
    id="maps",
    title="Memory maps",
    help="Both maps on one axis of steps, coloured by the change of each block; if several apply, the first of born, "
    "gone, grown, shrunk, longer, shorter, shifted, moved, renamed. Drag zooms, click selects a block.",
    needs=_NEEDS,
    group="memory",
    width=Width.FULL,
    controls=attempt_control,
    draw=map_panel,
    on_click=map_clicked,
    zooms=("span",),
)
LIVE = ComparePlot(
    id="live",
    title="Live bytes",
    help="Bytes alive at each step of both maps, against extent, bound and capacity.",
    needs=_NEEDS,
    group="memory",
    width=Width.WIDE,
    draw=live_panel,
    zooms=("span",),
)
BANKS = ComparePlot(
    id="banks",
    title="Banks",
    help="Bytes in use in each bank: bars are means over the steps, marks are peaks.",
    needs=_NEEDS | {Capability.BANKS},
    group="memory",
    width=Width.NARROW,
    draw=banks_panel,
)
BLOCKS = CompareWords(
    id="blocks",
    title="Blocks that changed",
    help=(
        "Blocks are paired by name, kind and rank; of the remaining blocks, if exactly one on each side "
        "has a size, lifetime and kind, it counts as renamed. Click selects a block in the maps."
    ),
    needs=_NEEDS,
    group="memory",
    width=Width.FULL,
    make=blocks_part,
    # The rows do not depend on the view state.
    key=lambda _data, _state: "",
    grid=CompareGrid(
        GRID,
        on_cell=block_clicked,
        marked=("dashGridOptions",),
        marks=lambda _data, state: (grid_options(state.selection.block),),
    ),
    tables=blocks_tables,
)
VIEWS = (MAPS, LIVE, BANKS, BLOCKS)
"""The views of memory maps."""
