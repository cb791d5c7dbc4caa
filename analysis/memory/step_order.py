"""Reorders the steps of an attempt: dependencies between steps, and lifetimes of blocks in another
order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.index import made_map
from analysis.memory.storage import find_storage
from schema.array_types import Bools, Ints
from schema.frames import complete
from schema.plurals import plural

MAX_STEPS = 2_000
"""Maximum number of steps of an attempt that is reordered."""
_MAX_HOPS = 64
"""Maximum length of a chain of aliases."""


@dataclass(frozen=True)
class Precedence:
    """Dependencies between `steps` steps: step `before[i]` has to run before step `after[i]`."""

    steps: int
    before: Ints
    after: Ints

    @cached_property
    def earlier(self) -> list[list[int]]:
        """For each step the list of the steps that it directly depends on: `before[i]` for each i
        with `after[i]` equal to the step.
        """
        return self._lists(self.after, self.before)

    @cached_property
    def later(self) -> list[list[int]]:
        """For each step the list of the steps that directly depend on it: `after[i]` for each i
        with `before[i]` equal to the step.
        """
        return self._lists(self.before, self.after)

    def _lists(self, steps: Ints, others: Ints) -> list[list[int]]:
        lists: list[list[int]] = [[] for _ in range(self.steps)]
        for step, other in zip(steps.tolist(), others.tolist(), strict=True):
            lists[step].append(other)
        return lists

    def check(self, order: Sequence[int]) -> None:
        """Raise ValueError (one sentence) if `order` is not a permutation of the steps (from 0) or
        violates any of these dependencies.
        """
        if sorted(order) != list(range(self.steps)):
            raise ValueError(f"an order must name each of the {plural(self.steps, 'step')} once")
        position = inverse(order)
        broken = np.flatnonzero(position[self.before] > position[self.after])
        if len(broken):
            first = int(self.before[broken[0]])
            second = int(self.after[broken[0]])
            raise ValueError(
                f"step {second} cannot run before step {first}, whose result or bytes it uses"
            )

    def spans(self, order: Sequence[int]) -> tuple[Ints, Ints]:
        """Compute the first and last possible position (from 0) of each step if all other steps
        keep their order: two arrays indexed by step.
        """
        position = inverse(order)
        first = np.zeros(self.steps, dtype=np.int64)
        last = np.full(self.steps, self.steps - 1)
        np.maximum.at(first, self.after, position[self.before] + 1)
        np.minimum.at(last, self.before, position[self.after] - 1)
        return first, last

    def span(self, order: Sequence[int], step: int) -> tuple[int, int]:
        """Compute the first and last possible position (from 0) of a single step if all other steps
        keep their order.
        """
        first, last = self.spans(order)
        return int(first[step]), int(last[step])


def precedence(allocations: pd.DataFrame, uses: pd.DataFrame, steps: int) -> Precedence:
    """Compute the dependencies between the steps 0 to `steps` - 1 from frames `allocations` and
    `buffer_uses`; no pairs if no storage is written.

    A step that writes a storage keeps its order with all other steps that use the storage. Kernels
    of the run must be steps.
    """
    blocks = allocations.reset_index(drop=True)
    places = pd.DataFrame(
        {"attempt": blocks["attempt"], "block": blocks["block"], "storage": find_storage(blocks)}
    )
    uses_of_storage = uses.merge(places, on=["attempt", "block"])
    uses_of_storage = uses_of_storage[
        (uses_of_storage["kernel"] >= 0) & (uses_of_storage["kernel"] < steps)
    ]
    order = np.lexsort((uses_of_storage["kernel"], uses_of_storage["storage"]))
    storage = uses_of_storage["storage"].to_numpy(np.int64)[order]
    step = uses_of_storage["kernel"].to_numpy(np.int64)[order]
    writes = (uses_of_storage["access"] != "r").to_numpy(bool)[order]
    pairs = sorted({pair for pair in _pairs(storage, step, writes) if pair[0] != pair[1]})
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Precedence(steps, table[:, 0], table[:, 1])


def _pairs(storage: Ints, step: Ints, writes: Bools) -> Iterator[tuple[int, int]]:
    """Yield pairs (earlier step, later step) that have to keep their order, perhaps with
    duplicates; uses are sorted by storage and step.
    """
    own = -1
    last = -1
    readers = list[int]()
    # Uses are sorted, so the last writer and its readers so far are all that the next use depends
    # on.
    for at, (current, now, write) in enumerate(
        zip(storage.tolist(), step.tolist(), writes.tolist(), strict=True)
    ):
        if at == 0 or current != own:
            own = current
            last = -1
            readers = []
        if last >= 0:
            yield last, now
        if write:
            yield from ((reader, now) for reader in readers)
            last = now
            readers = []
        else:
            readers.append(now)


def inverse(order: Sequence[int]) -> Ints:
    """Compute the position (from 0) of each step in an order, an array indexed by step."""
    position = np.zeros(len(order), dtype=np.int64)
    position[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
    return position


@dataclass(frozen=True)
class Ties:
    """Steps in which blocks have to be alive: the block at `row` is alive in `step`, and between
    all its steps.

    `from_start` and `to_end` are masks of the blocks that are alive from the first step on, or to
    the last step, without a use there.
    """

    row: Ints
    step: Ints
    from_start: Bools
    to_end: Bools


def ties(amap: AttemptMap) -> Ties:
    """Compute the steps in which each block has to be alive: its uses, the uses of its views, and
    the ends of its planned lifetime.

    If a planned lifetime begins or ends at a step without a use, the block is tied to that step, or
    to the begin or end of the plan.
    """
    row, step = _uses(amap)
    blocks = amap.blocks
    length = amap.length
    start = blocks["start"].to_numpy(np.int64)
    end = blocks["end"].to_numpy(np.int64)
    first = np.full(len(blocks), length)
    last = np.full(len(blocks), -1)
    np.minimum.at(first, row, step)
    np.maximum.at(last, row, step)
    early = first != start
    late = last != end - 1
    from_start = early & (start <= 0)
    to_end = late & (end >= length)
    begins = np.flatnonzero(early & ~from_start)
    ends = np.flatnonzero(late & ~to_end)
    return Ties(
        np.concatenate([row, begins, ends]),
        np.concatenate([step, start[begins], end[ends] - 1]),
        from_start,
        to_end,
    )


def _uses(amap: AttemptMap) -> tuple[Ints, Ints]:
    """List row (of the block) and step of all uses of blocks, as two arrays; a use of a view is
    also a use of the viewed block. Unknown blocks and steps are dropped.
    """
    numbers = pd.Index(amap.blocks["block"])
    row = numbers.get_indexer(amap.uses["block"]).astype(np.int64)
    step = amap.uses["kernel"].to_numpy(np.int64)
    valid = (row >= 0) & (step >= 0) & (step < amap.length)
    row = row[valid]
    step = step[valid]
    source = numbers.get_indexer(amap.blocks["alias_of"].to_numpy(np.int64, na_value=-1)).astype(
        np.int64
    )
    rows = [row]
    steps = [step]
    for _ in range(_MAX_HOPS):
        row = source[row]
        row, step = row[row >= 0], step[row >= 0]
        if not len(row):
            break
        rows.append(row)
        steps.append(step)
    return np.concatenate(rows), np.concatenate(steps)


def reorder_steps(amap: AttemptMap, order: Sequence[int]) -> AttemptMap:
    """Return a new map in which step `order[p]` of the attempt runs as step p; blocks keep their
    addresses, and lifetimes follow their uses.

    Raises ValueError (a sentence) if blocks have gaps or wrap, or if the order is not a
    permutation of the steps.
    """
    blocks = amap.blocks
    if len(order) != amap.length or sorted(order) != list(range(amap.length)):
        raise ValueError(
            f"an order of {amap.label} must name each of its {plural(amap.length, 'step')} once"
        )
    if bool(blocks["wraps"].any()) or bool((blocks["gaps"].fillna("") != "").any()):
        raise ValueError(
            f"the steps of {amap.label} cannot be reordered: some blocks have gaps or wrap around"
        )
    position = inverse(order)
    start, end = _lives(amap, position)
    steps = amap.steps.assign(step=_new_positions(amap.steps["step"], position)).sort_values(
        "step", kind="stable"
    )
    kernel = _new_positions(amap.uses["kernel"], position)
    return made_map(
        complete("attempts", {key: [value] for key, value in amap.attempt.items()}),
        blocks.assign(start=start, end=end),
        steps.reset_index(drop=True),
        amap.uses.assign(kernel=kernel, start=kernel),
        amap.facts,
    )


def _new_positions(steps: pd.Series, position: Ints) -> Ints:
    old = steps.to_numpy(np.int64)
    inside = (old >= 0) & (old < len(position))
    return np.where(inside, position[np.where(inside, old, 0)], old)


def _lives(amap: AttemptMap, position: Ints) -> tuple[Ints, Ints]:
    """Compute start and end (exclusive) of each block if each step runs at its new position."""
    blocks = amap.blocks
    length = amap.length
    start = blocks["start"].to_numpy(np.int64)
    end = blocks["end"].to_numpy(np.int64)
    tied = ties(amap)
    first = np.full(len(blocks), length)
    last = np.full(len(blocks), -1)
    np.minimum.at(first, tied.row, position[tied.step])
    np.maximum.at(last, tied.row, position[tied.step])
    begin = np.where(tied.from_start, start, first)
    stop = np.where(tied.to_end, end, last + 1)
    inner = (blocks["plan"] == "inner").to_numpy(bool)
    at = _new_positions(blocks["start"], position)
    begin = np.where(inner, at, begin)
    stop = np.where(inner, at + end - start, stop)
    always = blocks["hold"].to_numpy(bool) | (blocks["kind"] == "constant").to_numpy(bool)
    return np.where(always, start, begin), np.where(always, end, stop)
