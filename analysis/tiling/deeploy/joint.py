"""Choose two memory levels together: the outer level's tile is the inner level's whole operand.

Bytes moved at the inner level are summed over the tiles of the outer level, including the last,
shorter tiles; windows that cross a border of the outer tiles are counted once. A larger capacity
never moves more and never fits less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.tiling.cuts import tile_count
from analysis.tiling.deeploy.choices import Choice
from analysis.tiling.deeploy.model import Dimension, Model, Part
from analysis.tiling.deeploy.network import LevelPlan, PlannedOperator
from schema.array_types import Bools, Ints

_MAX_CHOICES = 64
"""Maximum number of choices of an operator at each of the two levels."""


@dataclass(frozen=True)
class JointPoint:
    """Capacities of two levels in bytes, and bytes moved at both (None if not all fit).

    `is_smallest`: no other pair that fits has less of one level and not more of the other.
    """

    inner: int
    outer: int
    moved_bytes: int | None
    is_smallest: bool = False


@dataclass(frozen=True)
class _Pairs:
    """Pairs of an operator's choices: bytes needed at the inner and outer level, and moved."""

    inner: Ints
    outer: Ints
    moved: Ints


def choose_together(
    inner: LevelPlan, outer: LevelPlan, inner_sizes: Sequence[int], outer_sizes: Sequence[int]
) -> list[JointPoint]:
    """Compute a point per pair of an inner and an outer capacity in bytes, ascending, inner first;
    duplicates count once.

    Each operator takes the pair of choices that fits and moves least; unknown transfers count as 0
    bytes if no choice of the operator shows any.
    """
    remaining = {planned.found.operator.step: planned for planned in outer.operators}
    pairs_of_choices = [
        _pair_choices(planned, remaining.pop(planned.found.operator.step, None))
        for planned in inner.operators
    ]
    pairs_of_choices += [_pair_choices(None, planned) for planned in remaining.values()]
    grid = [(own, other) for own in sorted(set(inner_sizes)) for other in sorted(set(outer_sizes))]
    moved = [_least_moved(pairs_of_choices, *pair) for pair in grid]
    fitting = [pair for pair, total in zip(grid, moved, strict=True) if total is not None]
    smallest = {pair for pair in fitting if not any(_is_within(other, pair) for other in fitting)}
    return [
        JointPoint(*pair, total, pair in smallest) for pair, total in zip(grid, moved, strict=True)
    ]


def _is_within(other: tuple[int, int], pair: tuple[int, int]) -> bool:
    return other != pair and other[0] <= pair[0] and other[1] <= pair[1]


def _least_moved(pairs_of_choices: Sequence[_Pairs], inner: int, outer: int) -> int | None:
    total = 0
    for pairs in pairs_of_choices:
        moved = pairs.moved[(pairs.inner <= inner) & (pairs.outer <= outer)]
        if not len(moved):
            return None
        total += int(moved.min())
    return total


def _pair_choices(inner: PlannedOperator | None, outer: PlannedOperator | None) -> _Pairs:
    """Pair each choice of an operator at the inner level with each at the outer level, and compute
    bytes needed and moved.

    If it has only a single level (None for the other), that needs and moves 0.
    """
    own = _choices_to_pair(inner)
    other = _choices_to_pair(outer)
    at = np.repeat(np.arange(len(own)), len(other))
    outer_at = np.tile(np.arange(len(other)), len(own))
    needs = [_needs(one, choices) for one, choices in ((inner, own), (outer, other))]
    moved = [_known_or_most(choices) for choices in (own, other)]
    model = inner.found.model if inner else None
    inner_moved = moved[0][at]
    if (
        inner
        and outer
        and model
        and outer.found.model
        and _share_dimensions(model, outer.found.model)
    ):
        is_known = _has_sizes(model, own)[at] & _has_sizes(model, other)[outer_at]
        inner_moved = np.where(is_known, _moved_within(model, own, other), inner_moved)
    return _Pairs(needs[0][at], needs[1][outer_at], inner_moved + moved[1][outer_at])


def _choices_to_pair(planned: PlannedOperator | None) -> list[Choice | None]:
    """Return the tool's choice as last, after at most 64 of the best choices, evenly from the least
    to the most held; [None] if the operator is not at this level.

    If no transfers are known, only the tool's choice is returned. The tool's choice is there even
    if its own transfers are unknown: the run was made with it.
    """
    if planned is None:
        return [None]
    with_transfers = [choice for choice in planned.choices if choice.moved_bytes is not None]
    if not with_transfers:
        return [planned.own]
    rows = [row for row, choice in enumerate(with_transfers) if choice.best]
    spread = {
        rows[at]
        for at in np.linspace(0, len(rows) - 1, min(_MAX_CHOICES, len(rows)))
        .astype(np.int64)
        .tolist()
    }
    best = [choice for row, choice in enumerate(with_transfers) if row in spread and not choice.own]
    return [*best, planned.own]


def _known_or_most(choices: Sequence[Choice | None]) -> Ints:
    """Return the bytes that each choice moves, an array.

    Unknown transfers, and `None` for a level without choices, count as the most of any choice, so
    that a larger capacity never moves more, and as 0 if all are unknown.
    """
    most = max((choice.moved_bytes or 0 for choice in choices if choice), default=0)
    moved = [
        most if choice is None or choice.moved_bytes is None else choice.moved_bytes
        for choice in choices
    ]
    return np.array(moved, np.int64)


def _needs(planned: PlannedOperator | None, choices: Sequence[Choice | None]) -> Ints:
    return np.array(
        [planned.need(choice) if planned and choice else 0 for choice in choices], np.int64
    )


def _share_dimensions(model: Model, other: Model) -> bool:
    return [(d.name, d.full) for d in model.dimensions] == [
        (d.name, d.full) for d in other.dimensions
    ]


def _has_sizes(model: Model, choices: Sequence[Choice | None]) -> Bools:
    names = {dimension.name for dimension in model.dimensions}
    return np.array([choice is not None and names <= set(choice.tile) for choice in choices], bool)


def _moved_within(
    model: Model, own: Sequence[Choice | None], other: Sequence[Choice | None]
) -> Ints:
    """Compute the bytes moved at the inner level for every pair of an inner (`own`) and an outer
    (`other`) choice, an array with the inner choice varying slowest.
    """
    factors: dict[str, Ints] = {}
    for dimension in model.dimensions:
        sizes = [_sizes(choices, dimension) for choices in (own, other)]
        inner = np.repeat(sizes[0], len(other))
        outer = np.tile(sizes[1], len(own))
        factors |= _factors(dimension, inner, outer)
    return np.asarray(sum(_total_moved(part, model, factors) for part in model.parts))


def _sizes(choices: Sequence[Choice | None], dimension: Dimension) -> Ints:
    return np.array(
        [choice.tile.get(dimension.name, dimension.full) if choice else 1 for choice in choices],
        np.int64,
    )


def _factors(dimension: Dimension, inner: Ints, outer: Ints) -> Mapping[str, Ints]:
    """Map a dimension's name to the number of tiles along it for each pair of an inner and an outer
    tile size; with a window also `NAME read` to the inputs that it reads.
    """
    whole = dimension.full // outer
    rest = dimension.full % outer
    count = whole * tile_count(outer, np.minimum(inner, outer)) + tile_count(rest, inner)
    factors = {dimension.name: count}
    if dimension.window is not None:
        factors[f"{dimension.name} read"] = dimension.window.moved_inputs(
            dimension.full, np.minimum(inner, outer)
        )
    return factors


def _total_moved(part: Part, model: Model, factors: Mapping[str, Ints]) -> Ints:
    """Compute the bytes of an operand moved for all tiles, an element per pair, by the rules of
    `Model.moved_bytes`.
    """
    total = np.int64(part.unit) * np.ones_like(next(iter(factors.values())))
    for dimension in model.dimensions:
        if dimension.name not in part.dimensions:
            total = total if part.written else total * factors[dimension.name]
        elif part.windowed and dimension.window is not None:
            total = total * factors[f"{dimension.name} read"]
        else:
            total = total * dimension.full
    return total
