"""Views of a placement before and after: the picture, the selected block, and the changes to the
problem.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from dash import html
from dash.development.base_component import Component

from analysis.allocators.what_if import can_spill, spilled_bytes
from analysis.memory.attempt_map import AttemptMap, unplaced_blocks
from analysis.memory.selection import MemorySelection
from analysis.tiling.deeploy.buffering import DOUBLE, SINGLE
from app.views.controls import find_box
from app.views.lab.state import LabState, with_number, with_pair
from app.views.lab.view import LabPlot, LabWords, picked_placement
from app.views.option import Option
from app.views.view import Link, Panel, Part, Width
from components.counts import part_text
from components.graph import nothing
from components.lab.block_card import DO, Action, action_buttons, lab_card
from components.lab.overlay import above_capacity, moved_blocks, one_scale, overlay
from components.memory import memory_map
from components.numbers import count_text, missing, shorten, size
from services.lab.data import LabData
from services.run.capabilities import Capability

_NEEDS = frozenset({Capability.ADDRESSES})
BEFORE, AFTER = "before", "after"
PICTURE = Option(
    "picture",
    "contents of the map",
    {"both": "before as outlines", AFTER: "after alone", BEFORE: "before alone"},
)
_NAME = 40
_LIST = "list"
"""Place of the buttons that undo changes, to tell their ids from those of the block's card."""


def map_panel(data: LabData, state: LabState, theme: str) -> Panel:
    """Draw the displayed placement over the file's own, on the same scale; option PICTURE can
    select either.

    If the run has no attempt, an empty figure and a sentence.
    """
    before = data.stored_map
    after = data.placement_map(picked_placement(data, state))
    if before is None:
        return Panel(nothing(theme), "This run has no allocation attempt.")
    selection = MemorySelection(
        before.number, block=state.block, span=state.span, addresses=state.addresses
    )
    if after is None or PICTURE.of(state) == BEFORE:
        view = memory_map.memory_map(
            [before], one_scale(before, after, selection), theme, search=state.find
        )
        caption = _own(before, asked=picked_placement(data, state) is not None)
    else:
        outlined = PICTURE.of(state) != AFTER
        view = overlay(before, after, selection, theme, search=state.find, outlined=outlined)
        caption = _moves(before, after)
        if outlined and state.order:
            caption = f"{caption} Outlines have the file's order of steps."
    drawn = before if after is None or PICTURE.of(state) == BEFORE else after
    over = above_capacity(drawn, data.asked.capacity, theme)
    if over:
        caption = f"{caption} It ends above the capacity of {size(data.asked.capacity or 0)}: the marked blocks do not fit."
    figure = view.figure.with_shapes(over).with_layout(
        uirevision=f"{before.number} {state.span} {state.addresses}"
    )
    return Panel(figure, caption, view.line)


def _own(before: AttemptMap, *, asked: bool) -> str:
    if not before.blocks["address"].notna().any():
        return "A problem without a placement."
    return (
        "The file's own placement."
        if asked
        else "The file's own placement; press Solve for another."
    )


def _moves(before: AttemptMap, after: AttemptMap) -> str:
    moved = len(moved_blocks(before, after))
    old = before.whole("extent")
    new = after.whole("extent") or 0
    if old is None or not before.blocks["address"].notna().any():
        return f"{count_text(len(after.blocks), 'block')} up to {size(new)}; the file has no placement to compare with."
    nowhere = len(unplaced_blocks(before))
    direction = "lower" if new < old else "higher"
    change = "as high as before" if new == old else f"{size(abs(new - old))} {direction}"
    verb = "lies" if moved == 1 else "lie"
    top = (
        f"{count_text(nowhere, 'block')} had no place in the file"
        if nowhere
        else f"the top is {change}"
    )
    return f"{part_text(moved, len(after.blocks), 'block')} {verb} elsewhere; {top}."


def block_clicked(state: LabState, _data: LabData, click: Any) -> LabState:  # noqa: ANN401 - plotly's
    """Return the state with the clicked block selected, or cleared if it was selected; unchanged if
    the click has no block.
    """
    block = memory_map.parse_click(click).get("block")
    return state if block is None else replace(state, block=None if block == state.block else block)


def block_part(data: LabData, state: LabState) -> Part:
    """Lay out the old and new address of the selected block, and buttons for the changes to try
    with it; empty if no block is selected.
    """
    before = data.stored_map
    after = data.placement_map(picked_placement(data, state))
    row = None if before is None or state.block is None else _row(before, state.block)
    if before is None or row is None:
        return Part(None, "")
    block = before.blocks.iloc[row]
    now = None if after is None else _row(after, int(block["block"]))
    new = None if after is None or now is None else after.blocks["address"].iloc[now]
    return Part(lab_card(block, block["address"], new, _actions(data, state, before, row, new)), "")


def _actions(
    data: LabData, state: LabState, before: AttemptMap, row: int, new: object
) -> list[Action]:
    """List the changes that can be tried with the block in row `row` of `before`; constants have
    none.

    `new` is its address in the displayed placement, missing if it has none.
    """
    block = before.blocks.iloc[row]
    if block["kind"] == "constant":
        return []
    number = int(block["block"])
    length = dict(state.sizes).get(int(block["block"]), int(block["size"]))
    actions: list[Action] = []
    named = (("it was", block["address"]), ("it is", new))
    # Keyed by address, so that equal addresses before and after give one button.
    places = {int(place): words for words, place in named if not missing(place)}  # type: ignore[arg-type]
    actions += [
        Action(f"keep it where {words}", "fix", place, "fixes its address; other blocks are moved")
        for place, words in places.items()
    ]
    if number in dict(state.fixed):
        actions.append(Action("let it move", "free"))
    dropped = (
        Action("bring it back", "back") if number in state.dropped else Action("drop it", "drop")
    )
    spilled = (
        Action("keep it in memory", "unspill")
        if number in state.spilled
        else Action("spill it", "spill")
    )
    actions.append(dropped)
    if number in state.spilled or can_spill(before, row):
        actions.append(spilled)
    return [
        *actions,
        *_size_actions(
            data.run.tiling.tiles_per_block(before.number, number), length, int(block["size"])
        ),
    ]


def _size_actions(copies: int | None, length: int, stored: int) -> list[Action]:
    """List the changes of a block's size, in bytes: `length` in the problem, `stored` in the file.

    A block that holds `copies` tiles may hold one or two; another block half or twice its size.
    """
    if copies == DOUBLE and length == stored:
        title = "single buffering: the DMA waits for the kernel"
        return [Action("hold one tile", "size", length // 2, title)]
    if copies == SINGLE and length == stored:
        return [
            Action(
                "hold two tiles",
                "size",
                2 * length,
                "double buffering: the DMA works beside the kernel",
            )
        ]
    if copies is not None:
        return [Action(f"hold {copies} as in the file", "own_size")]
    return [
        Action("half its size", "size", length // 2),
        Action("twice its size", "size", 2 * length),
    ]


def changes_part(data: LabData, state: LabState) -> Part:
    """List the changes to the problem, each with a button that undoes it; empty without changes.

    The caption has the bytes that spilling moves, if any.
    """
    items = [*_fixed_items(data, state), *_others(data, state)]
    if state.order:
        back = action_buttons(0, [Action("run them as in the file", "stored_order")], _LIST)
        items.append(html.Li(["The steps run in another order than in the file. ", *back]))
    if not items:
        return Part(None, "")
    reset = action_buttons(0, [Action("all as in the file", "reset")], _LIST)
    moved = 0 if data.stored_map is None else spilled_bytes(data.stored_map, state.changes)
    caption = f"Spilling moves {size(moved)}, out and back." if moved else ""
    return Part(html.Div([html.Ul(items), *reset], className="ts-lab-changes"), caption)


def _fixed_items(data: LabData, state: LabState) -> list[Component]:
    return [
        _item(data, block, f"stays at 0x{place:x}", Action("let it move", "free"))
        for block, place in state.fixed
    ]


def _others(data: LabData, state: LabState) -> list[Component]:
    items: list[Component] = [
        _item(data, block, "is dropped", Action("bring it back", "back")) for block in state.dropped
    ]
    spilled = Action("keep it in memory", "unspill")
    items += [
        _item(data, block, "is spilled between its first and its last step", spilled)
        for block in state.spilled
    ]
    own = Action("its own size", "own_size")
    return items + [_item(data, block, f"has {size(length)}", own) for block, length in state.sizes]


def _item(data: LabData, block: int, words: str, action: Action) -> html.Li:
    row = None if data.stored_map is None else _row(data.stored_map, block)
    name = (
        ""
        if row is None or data.stored_map is None
        else str(data.stored_map.blocks["name"].iloc[row])
    )
    return html.Li(
        [
            html.Bdi(shorten(name or f"block {block}", _NAME)),
            f" {words} ",
            *action_buttons(block, [action], _LIST),
        ]
    )


def apply_action(state: LabState, _data: LabData, named: Any) -> LabState:  # noqa: ANN401 - ids as Dash has them
    """Return the state with the problem changed as a button requests: `named` has the action `do`,
    the `block` and a `value`.

    Unchanged if the action is unknown.
    """
    block = int(named["block"])
    value = int(named["value"])
    steps = {
        "fix": lambda: replace(state, fixed=with_pair(state.fixed, block, value)),
        "free": lambda: replace(state, fixed=with_pair(state.fixed, block, None)),
        "drop": lambda: replace(state, dropped=with_number(state.dropped, block, there=True)),
        "back": lambda: replace(state, dropped=with_number(state.dropped, block, there=False)),
        "spill": lambda: replace(state, spilled=with_number(state.spilled, block, there=True)),
        "unspill": lambda: replace(state, spilled=with_number(state.spilled, block, there=False)),
        "size": lambda: replace(state, sizes=with_pair(state.sizes, block, value)),
        "own_size": lambda: replace(state, sizes=with_pair(state.sizes, block, None)),
        "stored_order": lambda: replace(state, order=()),
        "reset": lambda: replace(state, fixed=(), dropped=(), sizes=(), spilled=(), order=()),
    }
    step = steps.get(str(named["do"]))
    return state if step is None else step()


def _row(amap: AttemptMap, block: int) -> int | None:
    positions = np.flatnonzero(amap.blocks["block"].to_numpy(np.int64) == block)
    return int(positions[0]) if len(positions) else None


MAP = LabPlot(
    id="map",
    title="Before and after",
    help="The placement on display; outlines are the old places of moved blocks, which are highlighted. One scale for "
    "both. Drag zooms, click selects a block, double click shows all.",
    needs=_NEEDS,
    group="map",
    width=Width.FULL,
    choices=(PICTURE,),
    # The default type of the id is that of a run's page.
    controls=lambda _data, state: [find_box("find", state.find, "find a block", "lab-choice")],
    draw=map_panel,
    on_click=block_clicked,
    zooms=("span", "addresses"),
)
BLOCK = LabWords(
    id="block",
    title="Block",
    help="The old and new address of the selected block, and changes to try. Press Solve afterwards.",
    needs=_NEEDS,
    group="block",
    width=Width.HALF,
    make=block_part,
    links=(Link(DO, ("do", "block", "value", "place"), apply_action),),
)
CHANGES = LabWords(
    id="changes",
    title="Changes",
    help="Changes against the file: blocks fixed, dropped, spilled or of another size; steps in another order.",
    needs=_NEEDS,
    group="block",
    width=Width.HALF,
    make=changes_part,
)
