"""Group rows of all cores by iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from schema.array_types import Bools, Floats, Ints

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True)
class IterationGroups:
    """Rows grouped by key.

    `key` has the distinct keys, ascending. `order` has the rows of all groups one after another,
    `first` the position in `order` at which each group begins.
    """

    key: Ints
    order: Ints
    first: Ints

    @classmethod
    def of(cls, key: Ints, wanted: Bools) -> IterationGroups:
        """Group the rows with True in `wanted` by `key`, which must not be negative; rows with the
        same key keep their order.
        """
        rows = np.flatnonzero(wanted)
        order = rows[np.argsort(key[rows], kind="stable")]
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        return cls(key[order[first]], order, first)

    def size(self) -> Ints:
        """Count the rows of each group, in the order of `key`."""
        return np.diff(np.append(self.first, len(self.order)))

    def total(self, values: Ints) -> Ints:
        """Sum the values (one per row of the frame, wanted or not) in each group, in the order of
        `key`.
        """
        totals: Ints = np.add.reduceat(values[self.order], self.first)
        return totals

    def least(self, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Compute the minimum of the values (one per row of the frame) in each group, in the order
        of `key`; for flags, whether all are True.
        """
        least: npt.NDArray[Number] = np.minimum.reduceat(values[self.order], self.first)
        return least

    def most(self, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Compute the maximum of the values (one per row of the frame) in each group, in the order
        of `key`; for flags, whether any is True.
        """
        most: npt.NDArray[Number] = np.maximum.reduceat(values[self.order], self.first)
        return most

    def exact_total(self, values: Floats) -> Floats:
        """Sum the values (one per row of the frame) in each group, in the order of `key`, with
        Kahan's compensated summation. A group's sum is NaN if any of its values is NaN.
        """
        size = self.size()
        ordered = values[self.order]
        total = np.zeros(len(size))
        lost = np.zeros(len(size))
        for rank in range(int(size.max(initial=0))):
            long_enough = np.flatnonzero(size > rank)
            value = ordered[self.first[long_enough] + rank] - lost[long_enough]
            grown = total[long_enough] + value
            lost[long_enough] = grown - total[long_enough] - value
            total[long_enough] = grown
        return total
