"""Where parts of parts are drawn: side by side below what they are parts of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from schema.array_types import Ints


def nested_starts(parents: Sequence[int], total: Ints) -> Ints:
    """Return where each part begins: the largest of one parent (row, -1 for none) first, from where the parent does."""
    starts = np.zeros(len(parents), np.int64)
    inside: dict[int, list[int]] = {}
    for row, parent in enumerate(parents):
        inside.setdefault(parent, []).append(row)
    waiting = [-1]
    while waiting:
        parent = waiting.pop()
        at = int(starts[parent]) if parent >= 0 else 0
        for row in sorted(inside.get(parent, ()), key=lambda one: -int(total[one])):
            starts[row] = at
            at += int(total[row])
            waiting.append(row)
    return starts
