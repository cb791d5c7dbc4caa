"""Simple allocators that compilers use, for comparison with the search; they prove a result only if
it equals the bound.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analysis.allocators.orders import Order, Traits, by_size, by_start
from analysis.allocators.place import placed_in_order
from analysis.allocators.place_kernel import LOWEST, ON_TOP, TIGHTEST
from analysis.allocators.placement import Placement, Question, Watcher
from analysis.allocators.problem import Problem
from analysis.allocators.sections import compute_bound
from analysis.allocators.watch import SearchWatch
from schema.array_types import Ints

Allocator = Callable[[Problem, Question, Watcher | None], Placement]
"""Function from a problem, a question and an optional watcher to a placement."""


def in_order(order: Order, rule: int) -> Allocator:
    """Build an allocator that places storages once, in a given order by a given rule (LOWEST,
    TIGHTEST or ON_TOP), and returns that placement.
    """

    def allocator(problem: Problem, question: Question, watcher: Watcher | None) -> Placement:
        watch = _watch(problem, question, watcher)
        _place_order(watch, order(Traits(problem)), rule)
        return watch.placement()

    return allocator


def tetris_random(problem: Problem, question: Question, watcher: Watcher | None) -> Placement:
    """Place storages once in a random order by the question's seed, each on top of all storages
    that overlap it in time, as Deeploy's TetrisRandom does.

    Deeploy's own shuffle uses another random generator, so its addresses are not reproduced here.
    """
    watch = _watch(problem, question, watcher)
    _place_order(watch, np.random.default_rng(question.seed).permutation(len(problem)), ON_TOP)
    return watch.placement()


def tetris_co_opt(problem: Problem, question: Question, watcher: Watcher | None) -> Placement:
    """Improve a random order by exchanges, each storage placed on top of all that overlap it in
    time, and return the best placement, like Deeploy's TetrisCo-Opt.

    It ends when the bound or room is reached or the question's limits are. Deeploy leaves the
    choice of the order to a solver.
    """
    watch = _watch(problem, question, watcher)
    _climb(watch, np.random.default_rng(question.seed).permutation(len(problem)), ON_TOP)
    return watch.placement()


def hill_climb(problem: Problem, question: Question, watcher: Watcher | None) -> Placement:
    """Exchange pairs of storages in the order by size as long as the first-fit layout does not
    become worse, and return the best placement. It ends when the bound or room is reached or the
    question's limits are.
    """
    watch = _watch(problem, question, watcher)
    improve_by_exchanges(watch)
    return watch.placement()


best_fit = in_order(by_size, TIGHTEST)
first_fit = in_order(by_start, LOWEST)
greedy_by_size = in_order(by_size, LOWEST)


def improve_by_exchanges(watch: SearchWatch) -> None:
    """Improve the order by size with first fit by exchanges, until the result is settled or the run
    is stopped; the best placement is recorded in `watch`.
    """
    _climb(watch, by_size(Traits(watch.problem)), LOWEST)


def _watch(problem: Problem, question: Question, watcher: Watcher | None) -> SearchWatch:
    return SearchWatch(problem, question, compute_bound(problem), watcher)


def _place_order(watch: SearchWatch, order: Ints, rule: int) -> int:
    """Compute a layout of the storages in this order, record it in `watch` if it is the best, and
    return its extent in bytes.
    """
    address = placed_in_order(watch.problem, order, rule)
    watch.spend(len(watch.problem))
    watch.keep_best(address)
    return watch.problem.extent(address)


def _climb(watch: SearchWatch, order: Ints, rule: int) -> None:
    random = np.random.default_rng(watch.question.seed)
    least = _place_order(watch, order, rule)
    while len(order) > 1 and not watch.too_tight and not watch.is_settled and watch.effort_left(1):
        first, second = random.choice(len(order), 2, replace=False)
        order[[first, second]] = order[[second, first]]
        extent = _place_order(watch, order, rule)
        if extent > least:
            order[[first, second]] = order[[second, first]]
        least = min(least, extent)
