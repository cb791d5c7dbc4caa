"""Layout of nested parts (as in an icicle plot): each part begins within its parent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from schema.array_types import Ints


def nested_starts(parents: Sequence[int], total: Ints) -> Ints:
    """Compute the start of each part, in the unit of `total` (the sizes of the parts); roots begin
    at 0.

    `parents` has the row of each part's parent, -1 for a root. The parts of a parent follow each
    other from the parent's start, the largest first.
    """
    starts = np.zeros(len(parents), np.int64)
    inside: dict[int, list[int]] = {}
    for row, parent in enumerate(parents):
        inside.setdefault(parent, []).append(row)
    waiting = [-1]
    while waiting:
        parent = waiting.pop()
        at = int(starts[parent]) if parent >= 0 else 0
        for row in sorted(inside.get(parent, ()), key=lambda part: -int(total[part])):
            starts[row] = at
            at += int(total[row])
            waiting.append(row)
    return starts
