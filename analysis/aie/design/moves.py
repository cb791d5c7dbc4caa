"""The smallest moves of buffers that separate the pairs in a bank with traced conflicts.

Fewest traced pairs are left, then fewest pairs, then fewest bytes are moved. The stack stays, no
buffers overlap, addresses are multiples of the tile's alignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from analysis.aie.design.memory_pairs import Buffer, buffer_banks, find_pairs, is_used_pair

MAX_CHOICES = 20_000
"""Maximum number of combinations of banks that are all tried; if there are more, a buffer is moved
at a time.
"""
_ALIGNMENT = {"core": 32, "memtile": 4}
_MAX_ROUNDS = 64


@dataclass(frozen=True)
class Move:
    """A buffer of a memory that gets another bank and address."""

    buffer: str
    memory: str
    from_bank: int
    to_bank: int
    address: int


@dataclass(frozen=True)
class _Problem:
    """Buffers of one memory: `buffers` in order, `free` the ranks that may be moved.

    `masks` has the banks of each buffer as bits. `used` are the ranks of the pairs that could
    conflict, and whether their names are of a pair with traced conflicts: thousands of choices are
    tried, so that names and users are compared once.
    """

    buffers: Sequence[Buffer]
    free: Sequence[int]
    masks: Sequence[int]
    used: Sequence[tuple[int, int, bool]]
    bank_bytes: int
    banks: int
    alignment: int


Choice = tuple[int | None, ...]
"""A bank for each free buffer; `None`: it stays."""


def find_moves(
    core: str, tile: Mapping[str, Any], buffers: Sequence[Buffer], traced_banks: Sequence[int]
) -> list[Move]:
    """Find the moves within one memory; empty if none helps or an address is not known."""
    known = all(one["address"] is not None and one["bytes"] is not None for one in buffers)
    if not known or not tile["banks"] or not traced_banks:
        return []
    pairs = find_pairs(buffers, core)
    traced = {(pair.first, pair.second) for pair in pairs if pair.bank in traced_banks}
    problem = _Problem(
        buffers,
        [rank for rank, buffer in enumerate(buffers) if buffer["kind"] != "stack"],
        [sum(1 << bank for bank in buffer_banks(buffer)) for buffer in buffers],
        [
            (one, other, tuple(sorted((buffers[one]["name"], buffers[other]["name"]))) in traced)
            for one, other in combinations(range(len(buffers)), 2)
            if is_used_pair(buffers[one], buffers[other], core)
        ],
        tile["memory"] // tile["banks"],
        tile["banks"],
        _ALIGNMENT.get(tile["kind"], 32),
    )
    if (problem.banks + 1) ** len(problem.free) <= MAX_CHOICES:
        return _best_of_all(problem)
    return _one_by_one(problem)


def _best_of_all(problem: _Problem) -> list[Move]:
    if not any(is_traced for _, _, is_traced in problem.used):
        return []
    present = _cost(problem, (None,) * len(problem.free))
    options = product((None, *range(problem.banks)), repeat=len(problem.free))
    costs = [(_cost(problem, choice), choice) for choice in options]
    better = [(cost, choice) for cost, choice in costs if cost[:2] < present[:2]]
    for _, choice in sorted(better, key=lambda option: option[0]):
        moves = _place(problem, choice)
        if moves is not None:
            return moves
    return []


def _one_by_one(problem: _Problem) -> list[Move]:
    """Move the buffer that helps most, again and again, until no move helps."""
    choice: list[int | None] = [None] * len(problem.free)
    best: list[Move] = []
    for _ in range(_MAX_ROUNDS):
        present = _cost(problem, tuple(choice))
        candidates = sorted(
            (_cost(problem, changed), rank, bank)
            for rank, bank, changed in _single_changes(problem, choice)
        )
        for cost, rank, bank in candidates:
            if cost[:2] >= present[:2]:
                return best
            changed = [*choice]
            changed[rank] = bank
            moves = _place(problem, tuple(changed))
            if moves is not None:
                choice = changed
                best = moves
                break
        else:
            return best
    return best


def _single_changes(
    problem: _Problem, choice: Sequence[int | None]
) -> Iterator[tuple[int, int, Choice]]:
    for rank in range(len(choice)):
        for bank in range(problem.banks):
            if choice[rank] != bank:
                yield rank, bank, (*choice[:rank], bank, *choice[rank + 1 :])


def _cost(problem: _Problem, choice: Choice) -> tuple[int, int, int]:
    """Return (traced pairs left, pairs, bytes moved) of a choice."""
    masks = list(problem.masks)
    moved = 0
    for rank, bank in zip(problem.free, choice, strict=True):
        if bank is not None:
            masks[rank] = 1 << bank
            moved += problem.buffers[rank]["bytes"]
    left = 0
    pairs = 0
    for one, other, is_traced in problem.used:
        shared = (masks[one] & masks[other]).bit_count()
        pairs += shared
        left += bool(shared) and is_traced
    return left, pairs, moved


def _place(problem: _Problem, choice: Choice) -> list[Move] | None:
    """Give every moved buffer the lowest free address of its bank; `None` if a buffer does not fit."""
    moved = [
        (rank, bank) for rank, bank in zip(problem.free, choice, strict=True) if bank is not None
    ]
    ranks = {rank for rank, _ in moved}
    taken = [
        (one["address"], one["address"] + one["bytes"])
        for rank, one in enumerate(problem.buffers)
        if rank not in ranks
    ]
    moves = []
    for rank, bank in sorted(moved, key=lambda one: -problem.buffers[one[0]]["bytes"]):
        buffer = problem.buffers[rank]
        address = _lowest(problem, taken, bank, buffer["bytes"])
        if address is None:
            return None
        taken.append((address, address + buffer["bytes"]))
        moves.append(Move(buffer["name"], buffer["tile"], buffer["first_bank"], bank, address))
    return moves


def _lowest(
    problem: _Problem, taken: Sequence[tuple[int, int]], bank: int, size: int
) -> int | None:
    begin = bank * problem.bank_bytes
    end = begin + problem.bank_bytes
    for begin_of_block, end_of_block in sorted(taken):
        if end_of_block <= begin:
            continue
        if begin_of_block >= begin + size:
            break
        begin = -(-end_of_block // problem.alignment) * problem.alignment
    return begin if begin + size <= end else None
