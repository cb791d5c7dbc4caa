"""Default allocator: greedy layouts first, then a branch-and-bound search that can prove that no
placement is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from analysis.allocators.compiled import is_compiled
from analysis.allocators.compiler import NO_COMPILER, SEARCH, alone, is_cached
from analysis.allocators.components import Component, components
from analysis.allocators.demand import Demand
from analysis.allocators.orders import Traits, greedy_layouts
from analysis.allocators.pairs import TooManyPairsError
from analysis.allocators.placement import Placement, Question, Watcher
from analysis.allocators.portfolio import Dive, Portfolio
from analysis.allocators.problem import NOT_FIXED, Problem
from analysis.allocators.search_kernel import begin_search, go_on
from analysis.allocators.search_state import EXHAUSTED, FOUND, NOBODY, RUNNING, State, new_state
from analysis.allocators.sections import lower_bound, sections, uses
from analysis.allocators.simple import improve_by_exchanges
from analysis.allocators.watch import SearchWatch
from schema.array_types import Ints

_FIRST_BUDGET = 4_000
"""Placements of a first dive, at least eight per block; budgets double after each round of dives.
"""
_SLICE = 3_000_000
"""Placements times blocks between two checks of the clock, about 50 ms."""
# If the bound were the only target, problems that cannot reach it would stay far above their
# optimum.
_AIMS = ((0, 1), (1, 2), (3, 4), (7, 8))
"""Target extents of a dive, as fractions (numerator, denominator) of the way from the bound up to
the best extent.
"""


class NoCompilerError(RuntimeError):
    """The search needs numba, which is not installed."""


def search(problem: Problem, question: Question, watcher: Watcher | None = None) -> Placement:
    """Search the lowest extent, or any placement within the room, and return the best placement;
    raises NoCompilerError without numba.

    The result is proved if the search is exhausted or if the extent equals the bound. For problems
    with windows only the bound is a proof.
    """
    if not is_compiled():
        raise NoCompilerError(NO_COMPILER)
    cut = sections(problem)
    used = uses(problem, cut)
    watch = SearchWatch(problem, question, lower_bound(problem, cut, used), watcher)
    if watch.too_tight:
        return watch.placement()
    layouts = _greedy_layouts(problem, watch)
    if watch.is_settled or not watch.effort_left(1):
        return watch.placement()
    try:
        parts = components(problem, cut, used)
    except TooManyPairsError:
        # Too many pairs for the memory of a search: only exchanges in the order are left.
        improve_by_exchanges(watch)
        return watch.placement()
    return _Search(problem, watch, parts, layouts).run()


def _greedy_layouts(problem: Problem, watch: SearchWatch) -> list[Ints]:
    """Compute greedy layouts (an address per storage each) until the limits are reached or a layout
    settles the problem; at least the first, at most ten.
    """
    layouts = []
    for layout in greedy_layouts(problem, Traits(problem)):
        layouts.append(layout())
        watch.spend(len(problem))
        watch.keep_best(layouts[-1])
        if watch.is_settled or watch.effort_left(len(problem)) < len(problem):
            break
    return layouts


@dataclass
class _Part:
    """Component with the state of its search: `least` is the lowest extent not yet ruled out,
    `address` the best layout.
    """

    component: Component
    least: int
    address: Ints
    extent: int
    dives: Iterator[Dive]
    turns: int = 0
    state: State | None = field(default=None, repr=False)

    def searching(self) -> State:
        """Return the arrays of the component's search, which are allocated at the first call."""
        if self.state is None:
            self.state = new_state(self.component)
        return self.state


class _Search:
    """Dives into the components in turn, until each has its best layout or the limits
    are reached.
    """

    def __init__(
        self, problem: Problem, watch: SearchWatch, parts: list[Component], layouts: list[Ints]
    ) -> None:
        self._problem = problem
        self._watch = watch
        self._grain = _grain(problem)
        traits = Traits(problem)
        random = np.random.default_rng(watch.question.seed)
        self._parts = [
            _first_part(part, layouts, Portfolio(part, traits, random).dives()) for part in parts
        ]
        for part in self._parts:
            part.least = self._round_to_grain(_least(part.component))
        highest = np.where(problem.fixed != NOT_FIXED, problem.fixed, -problem.demand.size)
        self._floor = max([problem.extent(highest), *(part.least for part in self._parts)])

    def run(self) -> Placement:
        """Search until the problem is settled or the run is stopped, and return the best placement;
        its `address` is None if no placement that fits was found.
        """
        self._combine_parts()
        while not self._watch.is_settled and (part := self._next()) is not None:
            dive = next(part.dives)
            for aim in self._aims(part):
                if part.least <= aim < part.extent and not self._dive(part, dive, aim):
                    return self._watch.placement()
            part.turns += 1
        # With windows a block may be below another block in one step and above it in another, so
        # the search of all orders proves nothing about the extent.
        done = not self._watch.is_settled and not self._problem.windows
        return self._watch.placement(exhausted=done)

    @property
    def _room(self) -> int | None:
        return self._watch.question.room

    def _next(self) -> _Part | None:
        """Choose the component with the fewest turns among the components that limit the extent and
        may still improve; `None` if there are none, or if a component cannot fit into the room.
        """
        if self._room is not None:
            if any(part.least > self._room for part in self._parts):
                return None
            open_parts = [part for part in self._parts if part.extent > self._room]
        else:
            open_parts = [
                part for part in self._parts if part.extent > max(part.least, self._floor)
            ]
        return min(open_parts, key=lambda part: part.turns, default=None)

    def _aims(self, part: _Part) -> list[int]:
        """List the target extents (bytes) of a dive, lowest first: only the room if it is set, else
        at most four from the bound up to just below the component's extent.
        """
        if self._room is not None:
            return [self._room]
        low = max(part.least, self._floor)
        steps = max((part.extent - self._grain - low) // self._grain, 0)
        return sorted({low + steps * share // whole * self._grain for share, whole in _AIMS})

    def _dive(self, part: _Part, dive: Dive, aim: int) -> bool:
        """Search a component once, within a budget, for a layout of extent `aim` or less, and
        record the result. False when the run was stopped, by its limits or by the watcher.
        """
        state = part.searching()
        blocks = len(part.component.size)
        # Search in slices, so that the clock and the watcher are checked several times a second.
        standing = begin_dive(part.component, state, dive, aim)
        budget = max(_FIRST_BUDGET, 8 * blocks) << dive.doublings
        most = max(1, _SLICE // blocks)
        while standing == RUNNING and budget:
            slice_ = self._watch.effort_left(min(most, budget))
            if not slice_:
                return False
            standing, tried = go_on(part.component, state, slice_)
            budget -= tried
            self._watch.spend(tried)
        if standing == FOUND:
            part.address = state.place.copy()
            part.extent = int((part.address + part.component.size).max())
            self._combine_parts()
        elif standing == EXHAUSTED:
            # A dive that ends before its budget has proved that no layout reaches its aim.
            part.least = self._round_to_grain(aim + 1)
            self._floor = max(self._floor, part.least)
        return bool(self._watch.effort_left(1))

    def _round_to_grain(self, extent: int) -> int:
        return -(-extent // self._grain) * self._grain

    def _combine_parts(self) -> None:
        address = np.where(self._problem.fixed == NOT_FIXED, 0, self._problem.fixed)
        for part in self._parts:
            address[part.component.storage] = part.address
        self._watch.keep_best(address)


def _first_part(component: Component, layouts: list[Ints], dives: Iterator[Dive]) -> _Part:
    """Build the search state of a component, with the best of the greedy layouts of the whole
    problem as its layout.
    """
    own = [layout[component.storage] for layout in layouts]
    extents = [int((address + component.size).max()) for address in own]
    best = int(np.argmin(extents))
    return _Part(component, 0, own[best], extents[best], dives)


def _least(component: Component) -> int:
    """Compute the most bytes that the component's storages use together in any single section."""
    total = np.zeros(len(component.held_begin), dtype=np.int64)
    np.add.at(total, component.use_section, component.use_size)
    return int(total.max())


def _grain(problem: Problem) -> int:
    """Compute the number of bytes, at least 1, of which all addresses and the extent of a layout
    without needless gaps are multiples.

    It is the greatest common divisor of the ends of all parts of storages, of alignments, and of
    fixed addresses.
    """
    wanted = problem.demand
    fixed = problem.fixed[problem.fixed != NOT_FIXED]
    lengths = (
        wanted.top[problem.used],
        wanted.bottom[problem.used],
        wanted.alignment[problem.alive],
        fixed,
    )
    return max(1, int(np.gcd.reduce(np.concatenate(lengths))))


def begin_dive(component: Component, state: State, dive: Dive, aim: int) -> int:
    """Set up a search for a layout of extent `aim` or less that breaks ties by the order of a dive;
    return its status (RUNNING, FOUND or EXHAUSTED). Blocks of the same kind are placed in that
    order.
    """
    order = state.order
    order[:] = dive.order
    state.keys[:] = dive.keys
    state.load_factor[:] = dive.load_factor
    state.rank[order] = np.arange(len(order))
    kind = component.kind[order]
    alike = np.argsort(kind, kind="stable")
    follows = np.flatnonzero(np.diff(kind[alike]) == 0)
    # Equal blocks are interchangeable, so only their first order is searched.
    state.twin[:] = NOBODY
    state.twin[order[alike[follows + 1]]] = order[alike[follows]]
    return begin_search(component, state, aim, dive.load_at)


def warm_up(say: Callable[[str], None]) -> None:
    """Compile the search, or load its machine code from the cache; call `say` with a message when
    it has to be compiled. Raises NoCompilerError if numba is not loaded.
    """
    if not is_compiled():
        raise NoCompilerError(NO_COMPILER)
    with alone():
        if not is_cached(SEARCH):
            say("compiling the search: 10 to 30 seconds, only once")
        search(small_problem(), Question())


def small_problem() -> Problem:
    """Build a fixed problem of 14 storages that greedy layouts do not settle, so that all functions
    of the search run and are compiled.
    """
    lives = [
        (0, 1, 3),
        (0, 2, 3),
        (2, 3, 1),
        (2, 3, 2),
        (0, 4, 3),
        (1, 4, 3),
        (3, 5, 1),
        (3, 5, 1),
        (4, 5, 2),
    ]
    lives += [(3, 6, 1), (4, 6, 4), (5, 7, 4), (6, 7, 3), (6, 7, 2)]
    start, end, size = np.array(lives, dtype=np.int64).T.copy()
    own = np.arange(len(size))
    none = np.zeros(len(size), dtype=np.int64)
    ones = np.ones(len(size), dtype=np.int64)
    demand = Demand(own, size, ones, own, own, own, start, end, none, size)
    return Problem(0, "", demand, own, np.full(len(size), NOT_FIXED), None, 0, windows=False)
