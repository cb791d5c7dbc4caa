"""Diff of two texts: lines that are equal, removed or new, by the shortest edit script (Myers,
1986).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

MAX_LINES = 4_000
"""Maximum number of lines per side; further lines are left out."""
MAX_EDITS = 1_000
"""Maximum number of edits; when more are needed, all lines between the common ends count as
replaced.
"""


class LinePair(NamedTuple):
    """Line of both sides; `None` if a side has no line there."""

    base: str | None
    new: str | None

    @property
    def is_same(self) -> bool:
        """Whether the pair's lines are equal, so that the line is in both texts."""
        return self.base == self.new


def pair_lines(base: Sequence[str], new: Sequence[str]) -> list[LinePair]:
    """Pair the lines of both texts in order: equal lines, replaced lines, and lines that only a
    side has (`None` on the other).

    Only the first MAX_LINES (4,000) lines per side take part. Above MAX_EDITS (1,000) edits all
    lines between the common ends count as replaced.
    """
    base = base[:MAX_LINES]
    new = new[:MAX_LINES]
    # Common ends need no edits, and most texts differ in the middle only.
    head = 0
    while head < min(len(base), len(new)) and base[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(base), len(new)) - head and base[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = _edits(base[head : len(base) - tail], new[head : len(new) - tail])
    same = [LinePair(line, line) for line in base]
    return [*same[:head], *middle, *same[len(base) - tail :]]


def _edits(base: Sequence[str], new: Sequence[str]) -> list[LinePair]:
    trace = _trace(base, new)
    if trace is None:
        return _pair_changes(base, new)
    x = len(base)
    y = len(new)
    steps = list[tuple[int, int]]()
    for edits in range(len(trace) - 1, -1, -1):
        reached = trace[edits]
        k = x - y
        at = x - y + edits + 1
        came = k + 1 if k == -edits or (k != edits and reached[at - 1] < reached[at + 1]) else k - 1
        begin = reached[came + edits + 1] if edits else 0
        while x > begin and y > begin - came:
            steps.append((1, 1))
            x = x - 1
            y = y - 1
        if edits:
            steps.append((int(came == k - 1), int(came == k + 1)))
            x = begin
            y = begin - came
    return _walk(base, new, steps[::-1])


def _trace(base: Sequence[str], new: Sequence[str]) -> list[array[int]] | None:
    """Return for each number of edits from 0 an array that shows how far each diagonal from -edits
    - 1 to edits + 1 came with fewer edits, as a number of lines of the base.

    A diagonal is the number of lines of the base minus that of the new text. `None` if more than
    MAX_EDITS (1,000) edits are needed.
    """
    most = min(len(base) + len(new), MAX_EDITS)
    middle = most + 1
    # A typed array holds the trace of many edits in a fraction of the memory of lists.
    reached = array("i", bytes(4 * (2 * most + 3)))
    trace: list[array[int]] = []
    for edits in range(most + 1):
        trace.append(reached[middle - edits - 1 : middle + edits + 2])
        for k in range(-edits, edits + 1, 2):
            at = middle + k
            down = k == -edits or (k != edits and reached[at - 1] < reached[at + 1])
            x = reached[at + 1] if down else reached[at - 1] + 1
            y = x - k
            while x < len(base) and y < len(new) and base[x] == new[y]:
                x = x + 1
                y = y + 1
            reached[at] = x
            if x >= len(base) and y >= len(new):
                return trace
    return None


def _walk(
    base: Sequence[str], new: Sequence[str], steps: Sequence[tuple[int, int]]
) -> list[LinePair]:
    """Build the pairs along the edit script; removed lines are paired with the lines that replace
    them. A step is (1, 1) for an equal, (1, 0) for a removed, (0, 1) for a new line.
    """
    pairs: list[LinePair] = []
    gone: list[str] = []
    came: list[str] = []
    x = y = 0
    for right, down in steps:
        # A diagonal step ends a run of changes: pair its removed lines with its new lines.
        if right and down:
            pairs += [*_pair_changes(gone, came), LinePair(base[x], new[y])]
            gone = []
            came = []
        elif right:
            gone.append(base[x])
        else:
            came.append(new[y])
        x = x + right
        y = y + down
    return [*pairs, *_pair_changes(gone, came)]


def _pair_changes(gone: Sequence[str], came: Sequence[str]) -> list[LinePair]:
    """Pair removed lines with new lines by position; the lines that remain on the longer side are
    paired with `None`.

    Two lines that are equal by chance become (line, None) and (None, line).
    """
    count = max(len(gone), len(came))
    filled = [[*side, *[None] * (count - len(side))] for side in (gone, came)]
    pairs = (LinePair(old, new) for old, new in zip(*filled, strict=True))
    return [part for pair in pairs for part in _split_equal(pair)]


def _split_equal(pair: LinePair) -> list[LinePair]:
    """Return a list with the pair; if its lines are equal by chance, with (line, None) and (None,
    line) in place of it.
    """
    return [LinePair(pair.base, None), LinePair(None, pair.new)] if pair.is_same else [pair]
