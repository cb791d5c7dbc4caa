"""Group the result lines of a TPU-MLIR log into allocation attempts.

An attempt extends from its `lmem_spec` line to its finish line. If the compiler runs several
threads, their lines are interleaved: while an attempt is open, lines that follow another attempt's
finish line still belong to the open attempt. If the log was filtered and lacks these two kinds of
lines, an attempt begins when the settings change, when a buffer is placed after a buffer that did
not fit, or when a buffer is placed at address 0 while another buffer is alive there. (Measured on
real logs: of 5,722 boundaries one is missed and two are wrong.)
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data_loaders.tpu_mlir.markers import Finish, Spec
from data_loaders.tpu_mlir.rows import Rows
from schema.array_types import Bools, Ints

_EVER = 2**62
"""Time step that is later than every step of a log: the open end of a lifetime."""


@dataclass(frozen=True)
class Grouping:
    """The attempts of a log, in the order of the file.

    `of_row` has the attempt of each result line. The other arrays have an item per attempt:
    `position` (bytes from the start of the file) and `line` where it begins, `spec` and `finish` as
    ranks in the lists of `lmem_spec` and finish lines (-1 if the attempt has no such line), and
    `first`, the rank of its first result line (-1 if it has no result line).
    """

    of_row: Ints
    position: Ints
    line: Ints
    spec: Ints
    finish: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.position)


def group_attempts(rows: Rows, specs: Sequence[Spec], finishes: Sequence[Finish]) -> Grouping:
    """Assign each result line and each finish line to an attempt.

    The attempts are in the order of the file.
    """
    at = rows.results.position
    spec_at = np.array([spec.position for spec in specs], np.int64)
    finish_at = np.array([finish.position for finish in finishes], np.int64)
    begins = _begins(
        rows, np.searchsorted(spec_at, at), np.searchsorted(finish_at, at), spec_at, finish_at
    )
    position = np.concatenate([spec_at, at[begins]])
    line = np.concatenate(
        [np.array([spec.line for spec in specs], np.int64), rows.results.line[begins]]
    )
    order = np.argsort(position, kind="stable")
    position = position[order]
    of_row = np.searchsorted(position, at, side="right") - 1
    of_finish = np.searchsorted(position, finish_at, side="right") - 1
    finish = np.full(len(order), -1)
    first = np.full(len(order), -1)
    inside = of_finish >= 0
    finish[of_finish[inside]] = np.flatnonzero(inside)
    first[of_row[::-1]] = np.arange(len(at) - 1, -1, -1)
    return Grouping(
        of_row, position, line[order], np.where(order < len(specs), order, -1), finish, first
    )


def _begins(rows: Rows, specs: Ints, finishes: Ints, spec_at: Ints, finish_at: Ints) -> Bools:
    """Compute a mask of the result lines that begin an attempt without an `lmem_spec` line.

    Shape (result lines,). `specs` and `finishes` count, for each result line, the `lmem_spec` and
    finish lines before it; `spec_at` and `finish_at` are the positions of those lines in the file.
    """
    last_spec = np.append(-1, spec_at)[specs]
    last_finish = np.append(-1, finish_at)[finishes]
    # A result line is outside of every attempt with an `lmem_spec` line if the nearest marker
    # before it is a finish line and no more attempts have begun than ended.
    loose = (last_spec <= last_finish) & (specs <= finishes)
    begins = np.zeros(len(rows), np.bool_)
    if loose.any():
        apart = np.append(True, (np.diff(specs) != 0) | (np.diff(finishes) != 0) | ~loose[:-1])
        changed = np.append(
            False, (np.diff(rows.setting) != 0) | (rows.placed[1:] & ~rows.placed[:-1])
        )
        begins[loose] = (apart | changed)[loose]
        begins |= _reused_address(rows, loose, begins)
    return begins


def _reused_address(rows: Rows, loose: Bools, begins: Bools) -> Bools:
    """Compute a mask, shape (result lines,), of the loose lines that place a buffer at address 0
    while another buffer of the same attempt is alive there.
    """
    results = rows.results
    # The compiler places the first buffer of every attempt at address 0, so a second buffer there
    # at the same time belongs to the next attempt.
    at_zero = loose & rows.placed & (results.address == 0)
    meets = np.zeros(len(rows), np.bool_)
    taken: list[tuple[int, int]] = []
    for row in np.flatnonzero(at_zero | begins).tolist():
        if begins[row]:
            taken = []
        if not at_zero[row]:
            continue
        lives = _lives(int(results.start[row]), int(results.end[row]), bool(rows.hold[row]))
        meets[row] = any(_overlaps(taken, life) for life in lives)
        if meets[row]:
            taken = []
        for life in lives:
            insort(taken, life)
    return meets


def _lives(start: int, end: int, hold: bool) -> list[tuple[int, int]]:
    """Return the intervals of time steps, both ends included, in which a buffer is alive: two if it
    wraps (`start` > `end`).

    The number of steps is not known yet, so an interval that reaches the last step ends at `_EVER`
    (2^62).
    """
    if hold:
        return [(0, _EVER)]
    return [(start, end)] if start <= end else [(0, end), (start, _EVER)]


def _overlaps(taken: Sequence[tuple[int, int]], life: tuple[int, int]) -> bool:
    """Whether `life` overlaps an interval of `taken`, which is sorted and free of overlaps."""
    after = bisect_right(taken, (life[1], _EVER))
    return after > 0 and taken[after - 1][1] >= life[0]
