"""List of the blocks that keep a block from a place, with changes that would make room for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import dcc, html
from dash.development.base_component import Component

from analysis.allocators.obstacles import BlockObstacles
from components.memory.block_words import Life, exact
from components.numbers import count_text, shorten

_MAX_LISTED = 40
"""Maximum number of blocks in the list."""
_NAME = 44


@dataclass(frozen=True)
class ObstacleWords:
    """Texts of the explanation: `reason`, `changes` after which the block fits, `search` result.

    `lab` is the address of the lab page with this problem.
    """

    reason: str
    changes: Sequence[str]
    search: str
    lab: str


def obstacle_parts(obstacles: BlockObstacles, size: int, words: ObstacleWords) -> list[Component]:
    """Lay out why a block of `size` bytes has no place; each obstacle is a button that selects it.

    If the block has a place, only the blocks that are alive with it are listed, folded away; empty
    if there are no such blocks.
    """
    if obstacles.placed:
        return _around(obstacles)
    gap = (
        ""
        if obstacles.largest_gap is None
        else f" The largest range that is free over its whole life has {_gap(obstacles)}."
    )
    sentence = f"It needs {exact(size)}: {words.reason}.{gap}"
    parts: list[Component] = [html.H4("Why it has no place"), html.P(sentence)]
    if words.changes:
        heading = html.P("Each of these changes makes room if all other blocks stay (checked):")
        parts += [heading, html.Ul([html.Li(change) for change in words.changes])]
    elif obstacles.largest_gap is not None and obstacles.largest_gap < size:
        parts.append(html.P("No change of a single block was found that makes room."))
    link = dcc.Link("Open the lab", href=words.lab)
    parts.append(html.P([f"With all others moved too: {words.search}. ", link]))
    if not obstacles.in_the_way:
        return [*parts, html.P("No block is in its way.")]
    return [*parts, _list_blocks(obstacles, "Blocking blocks", is_open=True)]


def _gap(obstacles: BlockObstacles) -> str:
    return exact(obstacles.largest_gap or 0)


def _around(obstacles: BlockObstacles) -> list[Component]:
    return [_list_blocks(obstacles, "Alive with it", is_open=False)] if obstacles.in_the_way else []


def _list_blocks(obstacles: BlockObstacles, title: str, *, is_open: bool) -> html.Details:
    listed = obstacles.in_the_way[:_MAX_LISTED]
    left = len(obstacles.in_the_way) - len(listed)
    more = [html.Li(f"and {count_text(left, 'more block')}", className="ts-muted")] if left else []
    summary = html.Summary(f"{title}: {count_text(len(obstacles.in_the_way), 'block')}, by address")
    return html.Details(
        [summary, html.Ul([*(_line(block) for block in listed), *more])], open=is_open
    )


def _line(block: dict[str, object]) -> html.Li:
    low = int(str(block["address"]))
    size = int(str(block["size"]))
    number = int(str(block["block"]))
    named = html.Button(
        html.Bdi(shorten(str(block["name"]) or f"block {number}", _NAME)),
        id={"type": "obstacle-link", "block": number},
        className="ts-link",
    )
    start = int(str(block["start"]))
    end = int(str(block["end"]))
    # An end that is not above the start means that the block wraps around the loop.
    steps = Life(start, end, end <= start, always=False, inner=False).steps
    place = f" 0x{low:x} – 0x{low + size:x}, {exact(size)}, steps {steps}"
    return html.Li([named, html.Span(place, className="ts-muted")])
