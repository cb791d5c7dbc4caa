"""Simple allocators: what compilers do, to see beside the search. None of them can prove more than the bound does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analysis.allocators.orders import Order, Traits, by_size, by_start
from analysis.allocators.place import LOWEST, ON_TOP, TIGHTEST, placed_in_order
from analysis.allocators.placement import Placement, Question, Watcher
from analysis.allocators.problem import Problem
from analysis.allocators.sections import bound_of
from analysis.allocators.watch import SearchWatch
from schema.array_types import Ints

Allocator = Callable[[Problem, Question, Watcher | None], Placement]


def in_order(order: Order, rule: int) -> Allocator:
    """Return the allocator that places storages in one order by one rule."""

    def allocator(problem: Problem, question: Question, watcher: Watcher | None) -> Placement:
        watch = _watch(problem, question, watcher)
        _lay(watch, order(Traits(problem)), rule)
        return watch.answer()

    return allocator


def tetris_random(problem: Problem, question: Question, watcher: Watcher | None) -> Placement:
    """Drop storages in a random order, each on top of all that it meets, as Deeploy's TetrisRandom does.

    Deeploy's own shuffle has a seed of its own, so that its addresses are not found again here.
    """
    watch = _watch(problem, question, watcher)
    _lay(watch, np.random.default_rng(question.seed).permutation(len(problem)), ON_TOP)
    return watch.answer()


def tetris_co_opt(problem: Problem, question: Question, watcher: Watcher | None) -> Placement:
    """Look for the order in which storages are best dropped, as Deeploy's TetrisCo-Opt has its solver do."""
    watch = _watch(problem, question, watcher)
    _climb(watch, np.random.default_rng(question.seed).permutation(len(problem)), ON_TOP)
    return watch.answer()


def hill_climb(problem: Problem, question: Question, watcher: Watcher | None) -> Placement:
    """Exchange two storages in the order, the largest first at the beginning, as long as it gets no worse."""
    watch = _watch(problem, question, watcher)
    climb_on(watch)
    return watch.answer()


best_fit = in_order(by_size, TIGHTEST)
first_fit = in_order(by_start, LOWEST)
greedy_by_size = in_order(by_size, LOWEST)


def climb_on(watch: SearchWatch) -> None:
    """Go on from the order by size with first fit, until it is settled or stopped."""
    _climb(watch, by_size(Traits(watch.problem)), LOWEST)


def _watch(problem: Problem, question: Question, watcher: Watcher | None) -> SearchWatch:
    return SearchWatch(problem, question, bound_of(problem), watcher)


def _lay(watch: SearchWatch, order: Ints, rule: int) -> int:
    """Return the extent of one more layout."""
    address = placed_in_order(watch.problem, order, rule)
    watch.spend(len(watch.problem))
    watch.keep_best(address)
    return watch.problem.extent(address)


def _climb(watch: SearchWatch, order: Ints, rule: int) -> None:
    random = np.random.default_rng(watch.question.seed)
    least = _lay(watch, order, rule)
    while len(order) > 1 and not watch.too_tight and not watch.is_settled and watch.effort_left(1):
        one, other = random.choice(len(order), 2, replace=False)
        order[[one, other]] = order[[other, one]]
        extent = _lay(watch, order, rule)
        if extent > least:
            order[[one, other]] = order[[other, one]]
        least = min(least, extent)
