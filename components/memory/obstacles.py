"""List of the blocks that keep a block from a place, with changes that would make room for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import dcc, html
from dash.development.base_component import Component

from analysis.allocators.obstacles import BlockObstacles
from components.memory.block_words import Life, exact
from components.numbers import count_text, shorten

_MOST_LISTED = 40
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


def obstacle_parts(found: BlockObstacles, size: int, words: ObstacleWords) -> list[Component]:
    """Lay out why a block of `size` bytes has no place, with each obstacle as a button that selects
    it.

    If the block has a place, only the blocks that are alive with it are listed, folded away.
    """
    if found.placed:
        return _around(found)
    gap = "" if found.largest_gap is None else f" The largest range that is free over its whole life has {_gap(found)}."
    said = f"It needs {exact(size)}: {words.reason}.{gap}"
    parts: list[Component] = [html.H4("Why it has no place"), html.P(said)]
    if words.changes:
        heading = html.P("Each of these makes room, all other blocks where they are (checked):")
        parts += [heading, html.Ul([html.Li(change) for change in words.changes])]
    elif found.largest_gap is not None and found.largest_gap < size:
        parts.append(html.P("No change of a single block was found that makes room."))
    link = dcc.Link("Ask the lab", href=words.lab)
    parts.append(html.P([f"With all others moved too: {words.search}. ", link]))
    return [*parts, _list_blocks(found, "In its way", is_open=True)]


def _gap(found: BlockObstacles) -> str:
    return exact(found.largest_gap or 0)


def _around(found: BlockObstacles) -> list[Component]:
    return [_list_blocks(found, "Alive with it", is_open=False)] if found.in_the_way else []


def _list_blocks(found: BlockObstacles, title: str, *, is_open: bool) -> html.Details:
    listed = found.in_the_way[:_MOST_LISTED]
    left = len(found.in_the_way) - len(listed)
    more = [html.Li(f"and {count_text(left, 'more block')}", className="ts-muted")] if left else []
    summary = html.Summary(f"{title}: {count_text(len(found.in_the_way), 'block')}, by address")
    return html.Details([summary, html.Ul([*(_line(one) for one in listed), *more])], open=is_open)


def _line(one: dict[str, object]) -> html.Li:
    low, size, number = int(str(one["address"])), int(str(one["size"])), int(str(one["block"]))
    named = html.Button(
        html.Bdi(shorten(str(one["name"]) or f"block {number}", _NAME)),
        id={"type": "obstacle-link", "block": number},
        className="ts-link",
    )
    start, end = int(str(one["start"])), int(str(one["end"]))
    steps = Life(start, end, end <= start, always=False, inner=False).steps
    place = f" 0x{low:x} – 0x{low + size:x}, {exact(size)}, steps {steps}"
    return html.Li([named, html.Span(place, className="ts-muted")])
