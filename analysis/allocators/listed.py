"""List of the allocators that users can choose, with their texts; does not load the compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from analysis.allocators.problem import Problem

DEFAULT = "search"
"""Name of the allocator that is used if the user chooses no other."""


@dataclass(frozen=True)
class Listed:
    """Name and texts of an allocator: `label` is its name on pages, `help` a sentence about it.

    - `proves`: it is a search that can prove that no placement is better.
    - `is_single`: it computes a single layout, which needs no compiler.
    - `needs_banks`: it is only useful if the memory has banks and the log lists the operands that
      steps compute with and transfer.
    """

    name: str
    label: str
    help: str
    proves: bool = False
    is_single: bool = False
    needs_banks: bool = False


BANK_AWARE = "bank_aware"
"""Name of the allocator that avoids bank conflicts."""
KEEP_MOST = "keep_most"
"""Name of the analysis by moved bytes, which computes several placements; it is not in the list of
allocators to choose from.
"""
_ALL = (
    Listed(
        "search", "search", "ten greedy layouts, then a search over canonical orders", proves=True
    ),
    Listed(
        "best_fit",
        "best fit",
        "the largest first, each into the tightest gap (TFLite's arena planner)",
        is_single=True,
    ),
    Listed(
        "first_fit", "first fit", "the earliest first, each into the lowest gap", is_single=True
    ),
    Listed(
        "greedy_by_size",
        "largest first",
        "the largest first, each into the lowest gap (TFLite Micro's planner)",
        is_single=True,
    ),
    Listed(
        "hill_climb",
        "hill climbing",
        "first fit by size, then swaps in the order that do not increase the extent (TVM)",
    ),
    Listed(
        "tetris_random",
        "Tetris, random order",
        "a random order, each above all placed blocks with a common lifetime (Deeploy)",
        is_single=True,
    ),
    Listed(
        "tetris_co_opt",
        "Tetris, exchanges",
        "the same with swaps in the order that do not increase the extent (Deeploy)",
    ),
    Listed(
        BANK_AWARE,
        "banks apart",
        "blocks that a step computes with and blocks that it moves share no bank, else as few as possible",
        needs_banks=True,
    ),
)
LISTED: Mapping[str, Listed] = MappingProxyType({one.name: one for one in _ALL})
"""Name -> allocator, in the order in which they are offered."""


def is_of_use(name: str, problem: Problem) -> bool:
    """Whether an allocator is worth offering for a problem: True unless it needs banks and the
    problem has no bank pairs. Such an allocator would place the problem by extent only. Raises
    KeyError for an unknown name.
    """
    return not LISTED[name].needs_banks or problem.pairs is not None


def strategy_label(name: str) -> str:
    """Look up the label of a strategy for pages (`least disturbance` for KEEP_MOST); an unknown
    name is its own label.
    """
    if name == KEEP_MOST:
        return "least disturbance"
    return LISTED[name].label if name in LISTED else name
