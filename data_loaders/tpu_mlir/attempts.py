"""Which result lines of a TPU-MLIR log make one allocation attempt.

An attempt goes from its `lmem_spec` line to its finish line. Threads of a compiler that runs several at once mix their
lines: while an attempt is open, lines after another one's finish still belong to it. Where those two lines were
filtered away an attempt begins where the settings change, where a buffer is placed after one that could not be, or
where a buffer is placed at address 0 while another one lives there (of 5,722 boundaries one is missed, two are wrong).
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


@dataclass(frozen=True)
class Grouping:
    """Attempts in the order of the file; `of_row` is the attempt of every result line.

    Of every attempt: `position` and `line` where it begins, `spec` and `finish` the ranks of its own lines, -1 where it
    has none, and `first` its first result line, -1 where it has none.
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
    """Return the attempts of a log."""
    at = rows.results.position
    spec_at = np.array([spec.position for spec in specs], np.int64)
    finish_at = np.array([finish.position for finish in finishes], np.int64)
    begins = _begins(rows, np.searchsorted(spec_at, at), np.searchsorted(finish_at, at), spec_at, finish_at)
    position = np.concatenate([spec_at, at[begins]])
    line = np.concatenate([np.array([spec.line for spec in specs], np.int64), rows.results.line[begins]])
    order = np.argsort(position, kind="stable")
    position = position[order]
    of_row = np.searchsorted(position, at, side="right") - 1
    of_finish = np.searchsorted(position, finish_at, side="right") - 1
    finish, first = np.full(len(order), -1), np.full(len(order), -1)
    known = of_finish >= 0
    finish[of_finish[known]] = np.flatnonzero(known)
    first[of_row[::-1]] = np.arange(len(at) - 1, -1, -1)
    return Grouping(of_row, position, line[order], np.where(order < len(specs), order, -1), finish, first)


def _begins(rows: Rows, specs: Ints, finishes: Ints, spec_at: Ints, finish_at: Ints) -> Bools:
    """Return which result lines begin an attempt without an `lmem_spec` line; `specs` and `finishes` precede each."""
    last_spec = np.append(-1, spec_at)[specs]
    last_finish = np.append(-1, finish_at)[finishes]
    loose = (last_spec <= last_finish) & (specs <= finishes)
    begins = np.zeros(len(rows), np.bool_)
    if loose.any():
        apart = np.append(True, (np.diff(specs) != 0) | (np.diff(finishes) != 0) | ~loose[:-1])
        changed = np.append(False, (np.diff(rows.setting) != 0) | (rows.placed[1:] & ~rows.placed[:-1]))
        begins[loose] = (apart | changed)[loose]
        begins |= _meeting(rows, loose, begins)
    return begins


def _meeting(rows: Rows, loose: Bools, begins: Bools) -> Bools:
    """Return which loose lines place a buffer at address 0 while another of their attempt lives there."""
    results = rows.results
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
    """Return the steps, first and last, in which a buffer lives; how many there are is not known yet."""
    if hold:
        return [(0, _EVER)]
    return [(start, end)] if start <= end else [(0, end), (start, _EVER)]


def _overlaps(taken: Sequence[tuple[int, int]], life: tuple[int, int]) -> bool:
    """Return whether a span meets one of several that are sorted and do not meet each other."""
    after = bisect_right(taken, (life[1], _EVER))
    return after > 0 and taken[after - 1][1] >= life[0]
