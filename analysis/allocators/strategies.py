"""Allocators that users can choose, with their functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from analysis.allocators.banked import bank_aware
from analysis.allocators.listed import BANK_AWARE, LISTED, Listed
from analysis.allocators.search import search
from analysis.allocators.simple import (
    Allocator,
    best_fit,
    first_fit,
    greedy_by_size,
    hill_climb,
    tetris_co_opt,
    tetris_random,
)


@dataclass(frozen=True)
class Strategy(Listed):
    """Listed allocator with its function."""

    allocate: Allocator = search


_ALLOCATORS: Mapping[str, Allocator] = MappingProxyType(
    {
        "search": search,
        "best_fit": best_fit,
        "first_fit": first_fit,
        "greedy_by_size": greedy_by_size,
        "hill_climb": hill_climb,
        "tetris_random": tetris_random,
        "tetris_co_opt": tetris_co_opt,
        BANK_AWARE: bank_aware,
    }
)
STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {name: Strategy(**vars(one), allocate=_ALLOCATORS[name]) for name, one in LISTED.items()}
)
"""Name -> strategy, in the order in which they are offered."""
