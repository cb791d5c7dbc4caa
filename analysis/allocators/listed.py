"""The allocators that people can choose from, by name: what a page knows of them without loading a compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from analysis.allocators.problem import Problem

DEFAULT = "search"


@dataclass(frozen=True)
class Listed:
    """An allocator in words: `label` is its name on screens, `help` one sentence.

    `proves`: it searches, and can prove that nothing is better. `is_single`: it makes one layout, which takes no
    compiler. `needs_banks`: it is of use only where memory has banks, and it is known what steps compute with and move.
    """

    name: str
    label: str
    help: str
    proves: bool = False
    is_single: bool = False
    needs_banks: bool = False


BANK_AWARE = "bank_aware"
KEEP_MOST = "keep_most"
"""Least disturbance, which answers with several placements; not among those that people choose from."""
_ALL = (
    Listed("search", "search", "ten greedy layouts, then a search over canonical orders", proves=True),
    Listed(
        "best_fit", "best fit", "the largest first, each into the tightest gap (TFLite's arena planner)", is_single=True
    ),
    Listed("first_fit", "first fit", "the earliest first, each into the lowest gap", is_single=True),
    Listed(
        "greedy_by_size",
        "largest first",
        "the largest first, each into the lowest gap (TFLite Micro's planner)",
        is_single=True,
    ),
    Listed("hill_climb", "hill climbing", "first fit by size, then exchanges in the order that make it no worse (TVM)"),
    Listed(
        "tetris_random",
        "Tetris, random order",
        "a random order, each on top of all that it meets (Deeploy)",
        is_single=True,
    ),
    Listed(
        "tetris_co_opt", "Tetris, exchanges", "the same with exchanges in the order that make it no worse (Deeploy)"
    ),
    Listed(
        BANK_AWARE,
        "banks apart",
        "what a step computes with and what it moves in no common bank, else in the fewest",
        needs_banks=True,
    ),
)
LISTED: Mapping[str, Listed] = MappingProxyType({one.name: one for one in _ALL})


def is_of_use(name: str, problem: Problem) -> bool:
    """Return whether a strategy is worth offering; one for banks places a problem without them by its extent alone."""
    return not LISTED[name].needs_banks or problem.pairs is not None


def strategy_label(name: str) -> str:
    """Return a strategy in words; a name that is none of the known ones as it is."""
    if name == KEEP_MOST:
        return "least disturbance"
    return LISTED[name].label if name in LISTED else name
