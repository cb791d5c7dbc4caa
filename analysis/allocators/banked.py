"""Allocator that places the operands of a step's computation and of its transfers in different
banks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.allocators.conflict_bound import conflict_limit, least_conflicts
from analysis.allocators.orders import ORDERS, Order, Traits
from analysis.allocators.place import Placer
from analysis.allocators.place_kernel import LOWEST, TIGHTEST
from analysis.allocators.placement import FEASIBLE, OPTIMAL, Placement, Question, Watcher
from analysis.allocators.problem import Problem
from analysis.allocators.sections import compute_bound
from analysis.allocators.watch import SearchWatch
from schema.array_types import Ints

_PATIENCE = 12
"""Layouts without improvement, per storage, after which a climb ends."""
_MAX_CLIMBS = 200
"""Successive climbs without improvement after which the allocator stops."""
_SHAKEN_SHARE = 0.15
"""Fraction of the order that is permuted when a climb starts again near the best order."""


def bank_aware(problem: Problem, question: Question, watcher: Watcher | None) -> Placement:
    """Place storages with the fewest bank conflicts between the problem's pairs, then with the
    lowest extent.

    Bytes above the memory, or above the question's room, count before conflicts. It tries greedy
    orders first, then exchanges of storages in the best of them. Without a placement within the
    room the result has no addresses.
    """
    watch = _BankWatch(problem, question, compute_bound(problem), watcher)
    if not watch.too_tight:
        _Climber(watch).run()
    return watch.placement()


class _BankWatch(SearchWatch):
    """Compares placements by the bytes above the limit, then by bank conflicts, then by extent."""

    def __init__(
        self, problem: Problem, question: Question, least: int, watcher: Watcher | None
    ) -> None:
        super().__init__(problem, question, least, watcher)
        self.limit = conflict_limit(problem, question.room)
        self.fewest = least_conflicts(problem, question.room)

    def worth(self, address: Ints) -> tuple[int, ...]:
        """Compute (bytes above the limit, number of bank conflicts, extent in bytes) of a
        placement; lower is better. The first two are 0 without a limit and without pairs.
        """
        extent = self.problem.extent(address)
        pairs = self.problem.pairs
        over = 0 if self.limit is None else max(extent - self.limit, 0)
        return over, 0 if pairs is None else pairs.conflicts(address), extent

    @property
    def is_settled(self) -> bool:
        """Whether the search can stop because no better placement is possible: no bytes above the
        limit, only unavoidable bank conflicts, and the extent fits into the room or, without a
        room, equals the bound.
        """
        return super().is_settled and self.best is not None and self.best[:-1] <= (0, self.fewest)

    def _status(self, exhausted: bool) -> tuple[str, str | None]:
        status, proof = super()._status(exhausted)
        return (FEASIBLE, None) if status == OPTIMAL and not self.is_settled else (status, proof)


@dataclass
class _Start:
    """Start of a climb: an order with its rule, its value (`_BankWatch.worth`), and the placer to
    use.
    """

    order: Ints
    rule: int
    worth: tuple[int, ...]
    placer: Placer


class _Climber:
    """Hill climbing: greedy orders first, then exchanges in each of them, then exchanges in
    permutations of the best order.
    """

    def __init__(self, watch: _BankWatch) -> None:
        self._watch = watch
        self._problem = watch.problem
        self._placer = Placer(watch.problem, watch.problem.pairs, watch.limit)
        self._random = np.random.default_rng(watch.question.seed)

    def run(self) -> None:
        """Try orders until no better placement is possible, MAX_CLIMBS (200) climbs in a row bring
        no improvement, or the run is stopped; the best placement is recorded in the watch.
        """
        starts = self._greedy()
        best = min(starts, key=lambda start: start.worth)
        in_vain = 0
        while self._open and len(self._problem) > 1 and in_vain < _MAX_CLIMBS:
            end = self._climb(starts.pop(0) if starts else self._shake(best))
            in_vain = 0 if end.worth < best.worth else in_vain + 1
            best = min(best, end, key=lambda start: start.worth)

    @property
    def _open(self) -> bool:
        return not self._watch.is_settled and bool(self._watch.effort_left(1))

    def _greedy(self) -> list[_Start]:
        """Place the storages in each greedy order by each rule, and return a start per layout, best
        layout first; at least the first layout is computed even if the limits are reached.
        """
        traits = Traits(self._problem)
        starts: list[_Start] = []
        for order in (*ORDERS, _by_partners(self._problem)):
            for rule in (TIGHTEST, LOWEST):
                if not starts or self._open:
                    by = order(traits)
                    starts.append(
                        _Start(by, rule, self._place(self._placer, by, rule)[1], self._placer)
                    )
        return sorted(starts, key=lambda start: start.worth)

    def _place(self, placer: Placer, order: Ints, rule: int) -> tuple[Ints, tuple[int, ...]]:
        """Compute a layout, record it if it is the best, and return the address of each storage and
        its value (see `_BankWatch.worth`).
        """
        address = placer.place(order, rule)
        self._watch.spend(len(order))
        return address, self._watch.keep_best(address)

    def _shake(self, start: _Start) -> _Start:
        """Copy a start with 15 % of its storages (at least two) permuted in the order, a random
        rule, and perhaps another placer if it has bank conflicts.
        """
        order = start.order.copy()
        some = self._random.permutation(len(order))[: max(2, int(len(order) * _SHAKEN_SHARE))]
        order[some] = order[self._random.permutation(some)]
        rule = int(self._random.choice((TIGHTEST, LOWEST)))
        return _Start(order, rule, start.worth, self._lenient() if start.worth[1] else self._placer)

    def _lenient(self) -> Placer:
        """Build a placer that ignores a random part of the pairs, since to separate some pairs may
        cause more conflicts elsewhere. In half of the calls, and when there are no pairs, return
        the placer that uses all.
        """
        pairs = self._problem.pairs
        if pairs is None or self._random.random() < 1 / 2:
            return self._placer
        selected = self._random.random(len(pairs.one)) >= self._random.random() / 2
        return Placer(self._problem, pairs.only(selected), self._watch.limit)

    def _climb(self, start: _Start) -> _Start:
        """Exchange storages in the order until 12 layouts per storage in a row bring no
        improvement; returns the end of the climb, which is never worse than its first layout.
        """
        order = start.order.copy()
        rule = start.rule
        address, worth = self._place(start.placer, order, rule)
        in_vain = 0
        while self._open and in_vain < _PATIENCE * len(order):
            changed = self._exchange(order, address, worth)
            changed_address, changed_worth = self._place(start.placer, changed, rule)
            in_vain = 0 if changed_worth < worth else in_vain + 1
            if changed_worth <= worth:
                order, address, worth = changed, changed_address, changed_worth
        return _Start(order, rule, worth, start.placer)

    def _exchange(self, order: Ints, address: Ints, worth: tuple[int, ...]) -> Ints:
        """Return a copy of the order with a random change.

        Either two storages exchange places, or a storage that has a bank conflict or the highest
        end moves forward.
        """
        if self._random.random() < 1 / 2:
            first, second = self._random.choice(len(order), 2, replace=False)
            changed = order.copy()
            changed[[first, second]] = order[[second, first]]
            return changed
        trouble = self._trouble(address, worth)
        late = int(np.flatnonzero(order == self._random.choice(trouble))[0])
        early = int(self._random.integers(0, late + 1))
        return np.concatenate(
            [order[:early], order[late : late + 1], order[early:late], order[late + 1 :]]
        )

    def _trouble(self, address: Ints, worth: tuple[int, ...]) -> Ints:
        """List the indexes of the storages that have bank conflicts.

        If there are no conflicts, or bytes above the limit, these are the storages with the highest
        end; all storages if no byte is in use.
        """
        over, conflicts, extent = worth
        if conflicts and not over and self._problem.pairs is not None:
            return self._problem.pairs.storages_in_conflict(address)
        wanted = self._problem.demand
        used = self._problem.used
        ends = address[wanted.storage[used]] + wanted.top[used]
        highest = np.unique(wanted.storage[used][ends == extent])
        return highest if len(highest) else np.arange(len(address))


def _by_partners(problem: Problem) -> Order:
    """Build an order that sorts storages by the number of bank pairs, most first, then by size,
    largest first, then by first step.
    """
    partners = np.zeros(len(problem), dtype=np.int64)
    if problem.pairs is not None:
        for side in (problem.pairs.one, problem.pairs.other):
            np.add.at(partners, side, 1)
    return lambda traits: np.lexsort((traits.first, -traits.size, -partners))
