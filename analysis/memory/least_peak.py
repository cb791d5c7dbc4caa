"""Searches the order of steps with the lowest peak of live bytes among the orders that dependencies
permit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.step_order import Precedence, ties
from analysis.memory.storage import find_storage
from schema.array_types import Ints

_WORK = 4096
"""Maximum number of steps times states; for longer plans only the best states are followed."""
_MAX_STATES, _MAX_NEXT = 256, 64
"""Maximum number of states followed, and of next steps tried in each state."""
_MAX_LOOKS = 1 << 24
"""Maximum number of storages visited in all, about two seconds; for larger plans fewer next steps
are tried.
"""
_OWN_LOOKS = 4
"""Cost of trying a step, in addition to its storages, as a number of storages."""


@dataclass(frozen=True)
class _Storages:
    """Storages with their bytes, and the steps that each must be alive in as a bit mask.

    `from_start` and `to_end` tell which storages are alive from the first step or to the last step
    in any order. `of_step` lists the storages that a step needs, `inner` the bytes used only during
    a step. `always` are the bytes in use in all steps.
    """

    size: Sequence[int]
    steps: Sequence[int]
    from_start: Sequence[bool]
    to_end: Sequence[bool]
    of_step: Sequence[Sequence[int]]
    inner: Sequence[int]
    always: int

    def run(self, done: int, live: int, step: int) -> tuple[int, int]:
        """Compute two numbers of bytes: alive while a step runs, and alive after it.

        `done` has the steps that ran before as bits, `live` are the bytes alive before the step.
        The record is not changed.
        """
        after = done | 1 << step
        own = self.of_step[step]
        fresh = [at for at in own if not self.from_start[at] and not self.steps[at] & done]
        last = [at for at in own if not self.to_end[at] and not self.steps[at] & ~after]
        born = sum(self.size[at] for at in fresh)
        dead = sum(self.size[at] for at in last)
        return live + born + self.inner[step], live + born - dead

    @property
    def first(self) -> int:
        """Bytes of these storages alive before the first step."""
        return self.always + sum(
            size for size, early in zip(self.size, self.from_start, strict=True) if early
        )


@dataclass(frozen=True)
class _State:
    """Steps that have run and steps that may run next, as bit masks, with the bytes alive now and
    their peak so far.

    `step` is the step that led from state `before` to this state.
    """

    done: int
    ready: int
    live: int
    peak: int
    step: int
    before: _State | None


@dataclass(frozen=True)
class _Reached:
    """Result of running a step from a state: peak and live bytes."""

    peak: int
    live: int
    step: int
    before: _State


def least_peak(amap: AttemptMap, allowed: Precedence) -> tuple[int, ...]:
    """Find the order of steps (a permutation of 0 to steps - 1) with the lowest peak of live bytes;
    the stored order when no order found is better.

    Orders with the same set of completed steps are merged, and the order with the lowest peak is
    continued. The result is the optimum if no set of completed steps had to be dropped. Otherwise
    only the best states (at most 4,096 / steps, 256) are followed, and only the first of the
    possible next steps, in the order of the file, are tried. Blocks in gaps count as alive.
    """
    storages = _storages(amap)
    needs = [sum(1 << other for other in others) for others in allowed.earlier]
    width, most = _breadth(storages.of_step)
    ready = sum(1 << step for step, wanted in enumerate(needs) if not wanted)
    states = [_State(0, ready, storages.first, storages.first, -1, None)]
    for _ in range(allowed.steps):
        best: dict[int, _Reached] = {}
        for state in states:
            for done, after in _next(state, storages, most):
                previous = best.get(done)
                if previous is None or after.peak < previous.peak:
                    best[done] = after
        followed = sorted(best.items(), key=lambda pair: (pair[1].peak, pair[1].live))[:width]
        states = [
            _next_state(done, after, needs, allowed.later[after.step]) for done, after in followed
        ]
    stored = tuple(range(allowed.steps))
    return stored if _peak(storages, stored) <= states[0].peak else _order(states[0])


def _breadth(of_step: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Choose the number of states to follow (1 to 256), and the number of next steps to try in each
    (1 to 64).
    """
    width = max(1, min(_MAX_STATES, _WORK // max(len(of_step), 1)))
    most = _MAX_NEXT
    # Upper bound of the cost of a state: the steps with the most storages may all be ready at once.
    looks = sorted((_OWN_LOOKS + len(storages) for storages in of_step), reverse=True)
    while most > 1 and len(of_step) * width * sum(looks[:most]) > _MAX_LOOKS:
        most //= 2
    return (width, most) if most > 1 else (1, 1)


def _next(state: _State, storages: _Storages, most: int) -> Iterator[tuple[int, _Reached]]:
    """Yield for each of the first `most` possible next steps, in file order, the bit mask of steps
    completed then, and the resulting peak.
    """
    left = state.ready
    for _ in range(most):
        if not left:
            return
        bit = left & -left
        left ^= bit
        step = bit.bit_length() - 1
        at, live = storages.run(state.done, state.live, step)
        yield state.done | bit, _Reached(max(state.peak, at), live, step, state)


def _next_state(done: int, after: _Reached, needs: Sequence[int], later: Sequence[int]) -> _State:
    ready = after.before.ready ^ 1 << after.step
    for step in later:
        if not needs[step] & ~done:
            ready |= 1 << step
    return _State(done, ready, after.live, after.peak, after.step, after.before)


def _order(state: _State) -> tuple[int, ...]:
    order = list[int]()
    at = state
    while at.before is not None:
        order.append(at.step)
        at = at.before
    return tuple(reversed(order))


def _peak(storages: _Storages, order: Sequence[int]) -> int:
    done = 0
    live = storages.first
    peak = live
    for step in order:
        at, live = storages.run(done, live, step)
        done = done | 1 << step
        peak = max(peak, at)
    return peak


def _storages(amap: AttemptMap) -> _Storages:
    blocks = amap.blocks
    storage = find_storage(blocks)
    size = blocks["size"].to_numpy(np.int64)
    inner = (blocks["plan"] == "inner").to_numpy(bool)
    constant = (blocks["kind"] == "constant").to_numpy(bool)
    hold = blocks["hold"].to_numpy(bool) & ~constant
    largest = np.zeros(len(blocks), dtype=np.int64)
    np.maximum.at(largest, storage, size)
    roots = np.unique(storage[~inner & ~constant & ~hold])
    tied = ties(amap)
    rank = np.full(len(blocks), -1)
    rank[roots] = np.arange(len(roots))
    of = rank[storage[tied.row]]
    steps = _bits(of, tied.step, len(roots))
    of_step: list[list[int]] = [[] for _ in range(amap.length)]
    for index, step in sorted(
        {*zip(of[of >= 0].tolist(), tied.step[of >= 0].tolist(), strict=True)}
    ):
        of_step[step].append(index)
    own = storage == np.arange(len(blocks))
    within = np.bincount(
        np.clip(blocks["start"].to_numpy(np.int64)[inner & own], 0, amap.length - 1),
        weights=largest[inner & own],
        minlength=amap.length,
    )
    return _Storages(
        largest[roots].tolist(),
        steps,
        _any(tied.from_start, rank, storage, len(roots)),
        _any(tied.to_end, rank, storage, len(roots)),
        of_step,
        within.astype(np.int64).tolist(),
        int(largest[hold & own].sum()),
    )


def _bits(of: Ints, step: Ints, count: int) -> list[int]:
    bits = [0] * count
    for index, at in zip(of.tolist(), step.tolist(), strict=True):
        if index >= 0:
            bits[index] |= 1 << at
    return bits


def _any(flags: np.ndarray, rank: Ints, storage: Ints, count: int) -> list[bool]:
    flagged = np.zeros(count, dtype=bool)
    mine = rank[storage]
    flagged[mine[flags & (mine >= 0)]] = True
    return flagged.tolist()
