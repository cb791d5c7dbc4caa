"""Pareto front of pairs of numbers, and a selection of rows around it."""

from __future__ import annotations

import numpy as np

from schema.array_types import Bools, Floats, Ints

Numbers = Ints | Floats


def front(first: Numbers, second: Numbers) -> Bools:
    """Mask of the pairs (first[i], second[i]) on the Pareto front: no other pair is smaller in
    either number and not larger in the other.

    Equal pairs on the front are all marked. An empty mask without pairs.
    """
    order = np.lexsort((second, first))
    ordered = first[order]
    paired = second[order]
    lowest = np.minimum.accumulate(paired)
    better = np.append(True, lowest[1:] < lowest[:-1])
    leader = np.maximum.accumulate(np.where(better, np.arange(len(order)), 0))
    best = np.zeros(len(order), bool)
    best[order] = (ordered == ordered[leader]) & (paired == paired[leader])
    return best


def spread_rows(held: Numbers, always: Bools, most: int) -> list[int]:
    """Return the row numbers, ascending, of at most `most` rows: the rows in mask `always` (the
    first of them if they are too many), and further rows spread evenly by `held`.
    """
    order = np.argsort(held, kind="stable")
    rest = order[~always[order]]
    room = min(max(most - int(always.sum()), 0), len(rest))
    more = (
        rest[np.unique(np.linspace(0, len(rest) - 1, room).astype(np.int64))] if room else rest[:0]
    )
    return [int(row) for row in np.sort(np.concatenate([np.flatnonzero(always)[:most], more]))]
