"""Reasons why a block has no place, for command line and page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from analysis.allocators.obstacles import BlockObstacles, find_obstacles
from analysis.allocators.reasons import BANK_RULE
from schema.plurals import plural
from services.lab.allocate import choose_attempts
from services.run.memory import MemoryData


def find_block_obstacles(
    memory: MemoryData, run_id: str, attempt: int | None, block: int
) -> BlockObstacles:
    """Find the obstacles that keep a block from a place in an attempt (`None`: the attempt that is
    shown first).

    Raises FrameNotFound if the attempt does not exist, and ValueError if the block does not.
    """
    number = choose_attempts(memory, run_id, attempt, every=False)[0]
    return find_obstacles(memory.index.map(number), block)


def why_mapping(obstacles: BlockObstacles) -> dict[str, Any]:
    """Convert the obstacles of a block to JSON types: a dict with the fields of the class under
    `why`.
    """
    return {"why": asdict(obstacles)}


def obstacle_lines(obstacles: BlockObstacles) -> Iterator[str]:
    """Yield sentences about a block, each for a line of output: its reason, the largest free range
    (bytes), the blocks in its way, and changes after which it fits.
    """
    head = f"block {obstacles.block} of attempt {obstacles.attempt}"
    yield (
        f"{head} has a place"
        if obstacles.placed
        else f"{head} has no place: {reason_words(obstacles)}"
    )
    if obstacles.largest_gap is not None:
        yield f"largest range that is free over its whole life: {plural(obstacles.largest_gap, 'byte')}"
    for other in obstacles.in_the_way:
        place = f"{other['address']} to {other['address'] + other['size']}"
        lifetime = f"steps {other['start']} to {other['end']}"
        yield f"blocked by: block {other['block']} at {place}, {lifetime}, {other['name']}"
    yield from (change_words(change, obstacles.block) for change in obstacles.changes)


def reason_words(obstacles: BlockObstacles) -> str:
    """Return the words for the reason (`too_big`, `bank_rule` or `fragmentation`) why a block has
    no place; for any other, that the capacity is not known.
    """
    if obstacles.reason == BANK_RULE and not obstacles.has_bank_rule:
        return "it fits into a free range, and the file does not say why it has no place"
    return _REASONS.get(obstacles.reason or "", "the capacity is not known")


_REASONS = {
    "too_big": "one step needs more bytes than the capacity",
    BANK_RULE: "it fits into a free range, so a bank rule excludes it",
    "fragmentation": "no free range is large enough",
}
"""Words for each reason."""


def change_words(
    change: Mapping[str, Any],
    block: int,
    *,
    named: Callable[[int], str] = lambda number: f"block {number}",
    in_bytes: Callable[[int], str] = lambda number: plural(number, "byte"),
    at: Callable[[int], str] = str,
) -> str:
    """Describe in a few words a change (more capacity, a smaller or moved block, or a removed
    block) after which the block fits; the functions format blocks, bytes and addresses.
    """
    other = "the block" if change.get("block") == block else named(change.get("block", block))
    match change["kind"]:
        case "capacity":
            return f"fits with {in_bytes(change['bytes'])} more capacity"
        case "shrink":
            return f"fits if {other} is {in_bytes(change['bytes'])} smaller"
        case "move":
            return f"fits at {at(change['at'])} if {other} moves to {at(change['to'])}"
        case _:
            return f"fits without {other}"
