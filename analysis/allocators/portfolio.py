"""Portfolio of the dives that a search takes in turn, since no single order is best for all
problems.

Each of five orders is used in four ways: intervals sorted again, the same order throughout,
intervals sorted again by randomly changed keys, and neighbours of the order exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, cycle

import numpy as np

from analysis.allocators.components import Component
from analysis.allocators.orders import LOAD, SEARCHED, Traits
from analysis.allocators.search_state import NOBODY
from schema.array_types import Floats, Ints

_SIGMAS = (0.03, 0.1, 0.3)
"""Standard deviations used in turn: keys are multiplied by exp(normal number) of this deviation."""
_SHORT = 2
"""Effort spent on short dives, as a multiple of the effort of long dives."""


@dataclass(frozen=True)
class Dive:
    """Order of a component's n blocks in a search.

    `order` decides between blocks at equal places. Intervals that split off are sorted again by
    `keys` (n x 3 float64), highest first. `load_at` is the key that is the load (NOBODY: intervals
    keep the order); a load is multiplied by `load_factor` (n float64) to become a key. The budget
    is the first budget doubled `doublings` times.
    """

    order: Ints
    keys: Floats
    load_at: int
    load_factor: Floats
    doublings: int


class Portfolio:
    """Generates the dives of a component; `random` is the generator for the changed orders."""

    def __init__(self, component: Component, traits: Traits, random: np.random.Generator) -> None:
        columns = [
            [getattr(traits, name)[component.storage] for name in names] for names in SEARCHED
        ]
        self._keys = [np.stack(own, axis=1).astype(np.float64) for own in columns]
        # Blocks of the same kind must keep their relative order, so a kind shares its random
        # factors.
        self._kind = np.unique(component.kind, return_inverse=True)[1]
        self._random = random
        self._sigmas = cycle(_SIGMAS)

    def dives(self) -> Iterator[Dive]:
        """Yield dives without end; budgets double after each round over all orders.

        If random changes help, they mostly do so within a short dive: two thirds of their effort
        goes to dives with the first budget.
        """
        for round_ in count():
            for again in (True, False):
                for rank in range(len(SEARCHED)):
                    yield self._dive(rank, round_, again=again)
            for turn in range(2 * len(SEARCHED)):
                rank, exchanged = divmod(turn, 2)
                make = self._exchanged_dive if exchanged else self._disturbed_dive
                is_long = (rank + exchanged + round_) % 2 == 0
                for _ in range(1 if is_long else _SHORT << round_):
                    yield make(rank, round_ if is_long else 0)

    def _dive(self, rank: int, doublings: int, *, again: bool) -> Dive:
        keys = self._keys[rank]
        load_at = _load_key(rank) if again else NOBODY
        return Dive(_sort_keys(keys), keys, load_at, np.ones(len(keys)), doublings)

    def _disturbed_dive(self, rank: int, doublings: int) -> Dive:
        """Build a dive from the keys of SEARCHED[rank] multiplied by random factors, which also
        apply when an interval is sorted again.
        """
        keys = self._keys[rank]
        drawn = self._random.normal(
            0, next(self._sigmas), (int(self._kind.max()) + 1, keys.shape[1])
        )
        factors = np.exp(drawn)[self._kind]
        load_at = _load_key(rank)
        order = _sort_keys(keys * factors)
        return Dive(order, keys * factors, load_at, factors[:, load_at].copy(), doublings)

    def _exchanged_dive(self, rank: int, doublings: int) -> Dive:
        """Build a dive in the order of SEARCHED[rank] with some neighbours exchanged at random;
        intervals keep the order.
        """
        keys = self._keys[rank]
        count_ = len(self._kind)
        drawn = self._random.uniform(0, max(2.0, count_ / 20), count_)
        order = _sort_keys(keys)[np.argsort(np.arange(count_) + drawn, kind="stable")]
        return Dive(order, keys, NOBODY, np.ones(count_), doublings)


def _sort_keys(keys: Floats) -> Ints:
    """Return the indexes of the blocks sorted by their keys (n x 3), highest first, the first key
    first; blocks with equal keys keep their order.
    """
    return np.lexsort(tuple(-keys.T[::-1]))


def _load_key(rank: int) -> int:
    return SEARCHED[rank].index(LOAD)
