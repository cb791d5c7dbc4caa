"""Orders in which storages are placed, and the traits of storages that the orders sort by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analysis.allocators.place import placed_in_order
from analysis.allocators.place_kernel import LOWEST, TIGHTEST
from analysis.allocators.problem import Problem
from schema.array_types import Ints


class Traits:
    """Traits of storages that orders sort by, one entry per storage.

    `size` in bytes, `first` step, `life` (number of steps in use), `area` (size times life), `met`
    (number of overlapping parts of lifetimes), and `load`, the most bytes in use in one of its
    steps.
    """

    def __init__(self, problem: Problem) -> None:
        wanted = problem.demand
        used = problem.used
        storage = wanted.storage[used]
        start = wanted.start[used]
        end = wanted.end[used]
        self.size = wanted.size
        self.first = wanted.first
        self.life = np.zeros(len(problem), dtype=np.int64)
        np.add.at(self.life, storage, end - start)
        self.area = self.size.astype(np.float64) * self.life
        self.met = _count_overlaps(wanted.storage[used], start, end, len(problem))
        self.load = np.zeros(len(problem), dtype=np.int64)
        np.maximum.at(self.load, storage, _loads(start, end, (wanted.top - wanted.bottom)[used]))


def _loads(start: Ints, end: Ints, size: Ints) -> Ints:
    """Compute for each part of a lifetime the most bytes that all parts together use in any step of
    it; `start`, `end` and `size` have an element per part.
    """
    steps = np.unique(np.concatenate([start, end]))
    first = np.searchsorted(steps, start)
    last = np.searchsorted(steps, end)
    change = np.zeros(len(steps) + 1, dtype=np.int64)
    np.add.at(change, first, size)
    np.subtract.at(change, last, size)
    level = np.cumsum(change)
    return (
        np.maximum.reduceat(level, np.stack([first, last], axis=1).ravel())[::2]
        if len(start)
        else first
    )


def _count_overlaps(storage: Ints, start: Ints, end: Ints, count: int) -> Ints:
    """Count for each of `count` storages the parts of lifetimes that overlap its parts in time, its
    own parts included; a part that overlaps several of its parts counts for each.
    """
    met = np.searchsorted(np.sort(start), end) - np.searchsorted(np.sort(end), start, side="right")
    total = np.zeros(count, dtype=np.int64)
    np.add.at(total, storage, met)
    return total


Order = Callable[[Traits], Ints]
"""Function from traits to storages in the order in which they are placed."""


def by_size(traits: Traits) -> Ints:
    """Return the indexes of the storages by size, largest first; when sizes are equal, the earliest
    first step first.
    """
    return np.lexsort((traits.first, -traits.size))


def by_start(traits: Traits) -> Ints:
    """Return the indexes of the storages by first step, earliest first; when starts are equal, the
    largest first.
    """
    return np.lexsort((-traits.size, traits.first))


def by_area(traits: Traits) -> Ints:
    """Return the indexes of the storages by bytes times steps in use, largest first; when equal,
    the earliest first.
    """
    return np.lexsort((traits.first, -traits.area))


def by_life(traits: Traits) -> Ints:
    """Return the indexes of the storages by number of steps in use, longest first; when lives are
    equal, the largest first, then the earliest.
    """
    return np.lexsort((traits.first, -traits.size, -traits.life))


def by_load(traits: Traits) -> Ints:
    """Return the indexes of the storages by the most bytes that all storages use in a step of their
    lives, highest first; when loads are equal, the largest first, then the earliest.
    """
    return np.lexsort((traits.first, -traits.size, -traits.load))


ORDERS: tuple[Order, ...] = (by_size, by_area, by_life, by_load, by_start)
"""Orders of the greedy layouts."""

LOAD = "load"
"""Name of the trait that is computed again when an interval of time splits off."""
SEARCHED: tuple[tuple[str, str, str], ...] = (
    (LOAD, "life", "area"),
    (LOAD, "area", "life"),
    ("life", "area", LOAD),
    (LOAD, "met", "life"),
    ("met", LOAD, "life"),
)
"""Traits that a search breaks ties by, most significant first; no combination is best for all
problems.
"""


def greedy_layouts(problem: Problem, traits: Traits) -> list[Callable[[], Ints]]:
    """Build ten functions without arguments that each compute a greedy layout, the address of each
    storage: for each order of ORDERS, into the tightest and then into the lowest gap.
    """

    def layout(order: Order, rule: int) -> Callable[[], Ints]:
        return lambda: placed_in_order(problem, order(traits), rule)

    return [layout(order, rule) for order in ORDERS for rule in (TIGHTEST, LOWEST)]
