"""Group executions by program, with sums and quantiles per group in one pass each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.kernels.distribution import sorted_quantile
from schema.array_types import Bools, Floats, Ints

MOST = 2**62
"""Upper limit of sums, so that they fit int64."""
_NONE = -1


class KernelGroups:
    """Executions grouped by name, program and `copy`, in the order of first executions.

    `code` is each execution's group and `duration` its length (ticks), int64; `lead` is each
    group's first execution.
    """

    def __init__(self, runs: pd.DataFrame) -> None:
        name = runs["name"].astype("category").cat.codes.to_numpy(np.int64)
        program = runs["program"].to_numpy(np.int64, na_value=_NONE) - _NONE
        key = (name * (program.max(initial=0) + 1) + program) * 2 + runs["copy"].to_numpy(bool)
        self.code: Ints = pd.factorize(key)[0].astype(np.int64)
        self.lead: Ints = np.flatnonzero(~pd.Series(self.code).duplicated().to_numpy())
        self.duration: Ints = runs["duration"].to_numpy(np.int64)
        self._order = np.lexsort((self.duration, self.code))

    def __len__(self) -> int:
        return len(self.lead)

    def counts(self, chosen: Bools | None = None) -> Ints:
        """Count the chosen executions of each group."""
        code = self.code if chosen is None else self.code[chosen]
        return np.bincount(code, minlength=len(self))

    def sums(self, values: Ints, chosen: Bools | None = None) -> Ints:
        """Sum the values (not negative) of the chosen executions per group, at most MOST."""
        code, part = (self.code, values) if chosen is None else (self.code[chosen], values[chosen])
        total = np.zeros(len(self), dtype=np.int64)
        np.add.at(total, code, part)
        # bincount sums in float64, so that it shows an overflow of the integer sum.
        return np.where(np.bincount(code, part, minlength=len(self)) >= MOST, MOST, total)

    def quantiles(self, shares: Sequence[float], chosen: Bools | None = None) -> list[Floats]:
        """Compute quantiles of the chosen executions' durations per group, NaN without any."""
        order = self._order if chosen is None else self._order[chosen[self._order]]
        return [sorted_quantile(self.duration[order], self.counts(chosen), share) for share in shares]
