"""The dives that a search takes in turn: no order is best for all problems, nor is sorting stretches again.

Five orders; each with stretches sorted again, then as one order throughout, then sorted again by keys that chance has
changed a little, then with neighbours exchanged.
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
"""How far keys are disturbed, in turn: they are multiplied by exp of a normal number of this deviation."""
_SHORT = 2
"""Short dives cost as much as so many long ones."""


@dataclass(frozen=True)
class Dive:
    """How a search of a component orders its n blocks.

    `order` is who comes first of equal places; `keys` (n x 3 float64) are what stretches are sorted again by, the
    highest first, `load_at` which of them is the load (NOBODY: stretches keep the order), `load_factor` (n float64)
    what a load is multiplied by to become a key. Its budget is the first one doubled `doublings` times.
    """

    order: Ints
    keys: Floats
    load_at: int
    load_factor: Floats
    doublings: int


class Portfolio:
    """The dives of one component; those that chance changes draw from `random`."""

    def __init__(self, component: Component, traits: Traits, random: np.random.Generator) -> None:
        columns = [[getattr(traits, name)[component.storage] for name in names] for names in SEARCHED]
        self._keys = [np.stack(own, axis=1).astype(np.float64) for own in columns]
        # Blocks of one kind must keep their order among themselves, so that what is drawn is drawn for a kind.
        self._kind = np.unique(component.kind, return_inverse=True)[1]
        self._random = random
        self._sigmas = cycle(_SIGMAS)

    def dives(self) -> Iterator[Dive]:
        """Yield the dives, without end; budgets double each time that all had their turn.

        Where chance helps, it mostly does so soon or not at all: two thirds of the effort for dives that it changes go
        to short ones.
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
        return Dive(_sort_keys(keys), keys, _load_at(rank) if again else NOBODY, np.ones(len(keys)), doublings)

    def _disturbed_dive(self, rank: int, doublings: int) -> Dive:
        """Return a dive whose keys chance has changed, each by a factor that stays when a stretch is sorted again."""
        keys = self._keys[rank]
        drawn = self._random.normal(0, next(self._sigmas), (int(self._kind.max()) + 1, keys.shape[1]))
        factors = np.exp(drawn)[self._kind]
        load_at = _load_at(rank)
        return Dive(_sort_keys(keys * factors), keys * factors, load_at, factors[:, load_at].copy(), doublings)

    def _exchanged_dive(self, rank: int, doublings: int) -> Dive:
        """Return a dive in whose order some neighbours have moved past each other."""
        keys, count_ = self._keys[rank], len(self._kind)
        drawn = self._random.uniform(0, max(2.0, count_ / 20), count_)
        order = _sort_keys(keys)[np.argsort(np.arange(count_) + drawn, kind="stable")]
        return Dive(order, keys, NOBODY, np.ones(count_), doublings)


def _sort_keys(keys: Floats) -> Ints:
    """Return the blocks by their keys, the highest first, of equals the first."""
    return np.lexsort(tuple(-keys.T[::-1]))


def _load_at(rank: int) -> int:
    return SEARCHED[rank].index(LOAD)
