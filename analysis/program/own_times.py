"""Time of rewrite steps without the steps inside of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from schema.array_types import Ints


def own_durations(steps: pd.DataFrame) -> Ints:
    """Compute the time (ns) of each row of frame `rewrite_steps` without the steps inside of it.

    A match of an outer step can start another rewrite, whose matches are then timed twice. The rows
    are in the order in which the contexts, and the steps of each, began. A step is inside the last
    step of its context with a lower depth. A context whose first step has a depth is inside a step
    of an earlier context: of those with the depth below, the step with the most time. It ends
    before its first step with a lower depth, because tinygrad files the later steps of an outer
    context under the context that began last.
    """
    depth = steps["depth"].to_numpy(np.int64)
    duration = steps["duration"].to_numpy(np.int64)
    own = np.zeros(len(steps), dtype=np.int64)
    rows = {context: np.sort(rows) for context, rows in steps.groupby("context").indices.items()}
    for of_context in rows.values():
        own[of_context] = _own_in_context(depth[of_context], duration[of_context])
    led = {context: _leading(depth, of_context) for context, of_context in rows.items()}
    taken = {context: int(own[leading].sum()) for context, leading in led.items()}
    # From the last context, so that the contexts inside of a context are known before it.
    for context, parent in reversed(_parents(rows, depth).items()):
        below = int(depth[led[context][0]]) - 1
        candidates = rows[parent][depth[rows[parent]] == below]
        step = candidates[own[candidates].argmax()]
        before = int(own[step])
        own[step] = max(before - taken[context], 0)
        if step in led[parent]:
            taken[parent] += taken[context] - (before - int(own[step]))
    return own


def _leading(depth: Ints, rows: Ints) -> Ints:
    """Select the rows of a context before its first step with a lower depth than its first."""
    outside = np.flatnonzero(depth[rows] < depth[rows[0]])
    return rows[: outside[0]] if len(outside) else rows


def _own_in_context(depth: Ints, duration: Ints) -> Ints:
    """Compute the own times of the steps of one context."""
    own = np.zeros(len(depth), dtype=np.int64)
    inside: dict[int, int] = {}
    # From the last step, so that the steps inside of a step are known before the step itself.
    for place in range(len(depth) - 1, -1, -1):
        level = int(depth[place])
        nested = sum(inside.pop(deeper) for deeper in [one for one in inside if one > level])
        # Steps inside can exceed the matches around them, which lack those that changed nothing.
        own[place] = max(int(duration[place]) - nested, 0)
        inside[level] = inside.get(level, 0) + int(own[place]) + nested
    return own


def _parents(rows: Mapping[int, Ints], depth: Ints) -> dict[int, int]:
    """Map each context inside of another to the last context before it with a step at the depth
    below its own steps.
    """
    parents = {}
    latest: dict[int, int] = {}
    for context, of_context in rows.items():
        depths = {int(level) for level in depth[of_context]}
        below = int(depth[of_context[0]]) - 1
        if below in latest:
            parents[context] = latest[below]
        latest |= dict.fromkeys(depths, context)
    return parents
