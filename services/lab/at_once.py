"""Placements of the strategies that make a single layout, computed while a page waits if the
problem is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.allocators.packing import PACKERS
from analysis.allocators.placement import Question
from analysis.allocators.problem import NOT_FIXED, Problem
from analysis.allocators.sections import compute_bound
from analysis.allocators.watch import SearchWatch
from services.run.placements import placement_record

MAX_PARTS = 2_000
"""Maximum number of parts of lifetimes that are placed while a page waits: a tenth of a second per
strategy."""


def place_at_once(problem: Problem, room: int | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (name of a strategy, record of its placement) for each strategy that makes a single
    layout (`PACKERS`); `room` is the requested number of bytes above the constants, `None` to
    minimise the extent.

    Empty if the problem has more than MAX_PARTS (2,000) parts of lifetimes, or blocks are fixed.
    """
    if len(problem.demand.storage) > MAX_PARTS or (problem.fixed != NOT_FIXED).any():
        return
    for name, place in PACKERS.items():
        search_watch = SearchWatch(problem, Question(room=room), compute_bound(problem))
        address = place(problem.demand)
        search_watch.spend(len(problem))
        search_watch.keep_best(address)
        yield name, placement_record(search_watch.placement(), "")
