"""Orders in which storages are placed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analysis.allocators.place import LOWEST, TIGHTEST, placed_in_order
from analysis.allocators.problem import Problem
from schema.array_types import Ints


class Traits:
    """What orders go by, per storage.

    Its size, first step, steps in use, and of their product the area; how many parts of others it meets; the most bytes
    that are in use while it is.
    """

    def __init__(self, problem: Problem) -> None:
        wanted, used = problem.demand, problem.used
        storage, start, end = wanted.storage[used], wanted.start[used], wanted.end[used]
        self.size = wanted.size
        self.first = wanted.first
        self.life = np.zeros(len(problem), dtype=np.int64)
        np.add.at(self.life, storage, end - start)
        self.area = self.size.astype(np.float64) * self.life
        self.met = _count_overlaps(wanted.storage[used], start, end, len(problem))
        self.load = np.zeros(len(problem), dtype=np.int64)
        np.maximum.at(self.load, storage, _loads(start, end, (wanted.top - wanted.bottom)[used]))


def _loads(start: Ints, end: Ints, size: Ints) -> Ints:
    """Return the most bytes that are in use at once in the time of each part."""
    steps = np.unique(np.concatenate([start, end]))
    first, last = np.searchsorted(steps, start), np.searchsorted(steps, end)
    change = np.zeros(len(steps) + 1, dtype=np.int64)
    np.add.at(change, first, size)
    np.subtract.at(change, last, size)
    level = np.cumsum(change)
    return np.maximum.reduceat(level, np.stack([first, last], axis=1).ravel())[::2] if len(start) else first


def _count_overlaps(storage: Ints, start: Ints, end: Ints, count: int) -> Ints:
    """Return how many parts of lifetimes each storage meets, its own among them."""
    met = np.searchsorted(np.sort(start), end) - np.searchsorted(np.sort(end), start, side="right")
    total = np.zeros(count, dtype=np.int64)
    np.add.at(total, storage, met)
    return total


Order = Callable[[Traits], Ints]


def by_size(traits: Traits) -> Ints:
    """Return the largest first, of equals the earliest."""
    return np.lexsort((traits.first, -traits.size))


def by_start(traits: Traits) -> Ints:
    """Return the earliest first, of equals the largest."""
    return np.lexsort((-traits.size, traits.first))


def by_area(traits: Traits) -> Ints:
    """Return the largest product of bytes and steps first."""
    return np.lexsort((traits.first, -traits.area))


def by_life(traits: Traits) -> Ints:
    """Return the longest in use first, of equals the largest."""
    return np.lexsort((traits.first, -traits.size, -traits.life))


def by_load(traits: Traits) -> Ints:
    """Return those first that live where most bytes are in use, of equals the largest."""
    return np.lexsort((traits.first, -traits.size, -traits.load))


ORDERS: tuple[Order, ...] = (by_size, by_area, by_life, by_load, by_start)

LOAD = "load"
SEARCHED: tuple[tuple[str, str, str], ...] = (
    (LOAD, "life", "area"),
    (LOAD, "area", "life"),
    ("life", "area", LOAD),
    (LOAD, "met", "life"),
    ("met", LOAD, "life"),
)
"""The traits that a search breaks ties by, the highest first; no one of these is best for all problems."""


def greedy_layouts(problem: Problem, traits: Traits) -> list[Callable[[], Ints]]:
    """Return what makes each of ten layouts: every order, with the tightest gap and with the lowest."""

    def layout(order: Order, rule: int) -> Callable[[], Ints]:
        return lambda: placed_in_order(problem, order(traits), rule)

    return [layout(order, rule) for order in ORDERS for rule in (TIGHTEST, LOWEST)]
