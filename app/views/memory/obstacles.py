"""Explain in the block's card why the selected block has no place, and which blocks surround it."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from dash.development.base_component import Component

from analysis.allocators.obstacles import BlockObstacles, find_obstacles
from analysis.memory.attempt_map import AttemptMap
from app.views.state import RunState
from components.memory.block_words import exact
from components.memory.group_words import lab_words
from components.memory.obstacles import ObstacleWords, obstacle_parts
from components.numbers import shorten
from schema.choices import PLACED
from services.lab.why import change_words, reason_words
from services.run.data import RunData

MAX_BLOCKS = 20_000
"""Maximum blocks of an attempt for which obstacles are searched."""
_NAME = 40


def obstacles_section(data: RunData, state: RunState) -> list[Component]:
    """Lay out the surroundings of the selected block in the file's placement.

    The result is empty for constants, for blocks of an unsolved attempt, and if the attempt has
    more than 20,000 blocks (MAX_BLOCKS).
    """
    stored = data.memory.shown_map(state.memory, PLACED)
    obstacles = None if stored is None else obstacles_shown(stored, state.memory.block)
    if stored is None or obstacles is None:
        return []
    rows = stored.blocks[stored.blocks["block"] == obstacles.block]
    return obstacle_parts(obstacles, int(rows["size"].iloc[0]), _words(data, stored, obstacles))


def obstacles_shown(stored: AttemptMap, block: int | None) -> BlockObstacles | None:
    """Return the obstacles of a block that is placed or failed: the reason and the blocks around
    it.

    The result is None for any other block, and if the attempt has more than 20,000 blocks
    (MAX_BLOCKS).
    """
    rows = stored.blocks[stored.blocks["block"] == (-1 if block is None else block)]
    if block is None or not len(rows) or len(stored.blocks) > MAX_BLOCKS:
        return None
    row = rows.iloc[0]
    # Obstacles are only explained for blocks that the allocator placed or failed to place.
    if row["kind"] == "constant" or (
        row["status"] != "failed" and not stored.is_placed[int(rows.index[0])]
    ):
        return None
    return find_obstacles(stored, block)


def _words(data: RunData, stored: AttemptMap, obstacles: BlockObstacles) -> ObstacleWords:
    changes = [
        change_words(
            change,
            obstacles.block,
            named=lambda other: _name(stored, other),
            in_bytes=exact,
            at=_place,
        )
        for change in obstacles.changes
    ]
    lab = _lab(data, stored, obstacles)
    return ObstacleWords(reason_words(obstacles), changes, _search_words(data, stored), lab)


def _name(stored: AttemptMap, block: int) -> str:
    names = stored.blocks.loc[stored.blocks["block"] == block, "name"].astype("str").tolist()
    return shorten(names[0], _NAME) if names and names[0] else f"block {block}"


def _place(address: int) -> str:
    return f"0x{address:x}"


def _search_words(data: RunData, stored: AttemptMap) -> str:
    """Compose a sentence with the result of the built-in search for all blocks of the attempt at
    its capacity; also if it is pending.
    """
    failures = data.memory.failures
    failure = failures.known.get(stored.number, {"reason": None, "step": None})
    return lab_words(failure, pending=failures.is_pending)


def _lab(data: RunData, stored: AttemptMap, obstacles: BlockObstacles) -> str:
    """Return the address of the lab with the attempt at its capacity (without one if unknown) and
    the block selected.
    """
    capacity = stored.whole("capacity")
    fields = {"attempt": data.memory.base(stored.number), "block": obstacles.block}
    fields |= {} if capacity is None else {"capacity": capacity}
    return f"/run/{quote(data.run_id)}/lab?{urlencode(fields)}"
