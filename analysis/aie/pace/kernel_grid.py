"""Times of the main kernels in iterations with the same number of kernels per core."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.aie.kernel_kinds import MAIN
from analysis.aie.kernel_markers import DUPLICATE_END, DUPLICATE_START
from schema.array_types import Ints


@dataclass(frozen=True)
class KernelGrid:
    """Main kernels of a capture's iterations.

    `rows` are ranks among the iterations; `start` and `end` are ticks, shape rows x cores x
    kernels. `counts` has the number of main kernels of each core in each iteration, shape
    iterations x cores.
    """

    rows: Ints
    start: Ints
    end: Ints
    counts: Ints

    def first(self, kernels: int) -> KernelGrid:
        """Return the grid of the first `kernels` kernels of each iteration; all of them if there
        are fewer. `counts` stays.
        """
        return replace(self, start=self.start[..., :kernels], end=self.end[..., :kernels])

    @classmethod
    def of(cls, kernels: pd.DataFrame, iterations: Ints, cores: tuple[str, ...]) -> KernelGrid:
        """Build the grid of main kernels of these iterations (ascending numbers) and cores.

        It has the iterations in which every core has the most frequent number of kernels with both
        times; without such iterations it has no rows.
        """
        # Arrays: to select rows of the frame takes longer than all the rest in a small capture.
        is_main = (kernels["name"] == MAIN).to_numpy(bool)
        is_timed = (kernels["start"].notna() & kernels["end"].notna()).to_numpy(bool)
        own = np.flatnonzero(is_main & is_timed)
        core = pd.Index(cores).get_indexer(np.asarray(kernels["track"].array[own], object))
        number = kernels["iteration"].to_numpy(np.int64, na_value=-1)[own]
        rank = pd.Index(iterations).get_indexer(pd.Index(number))
        wanted = (core >= 0) & (rank >= 0)
        key = (rank * len(cores) + core)[wanted]
        own = own[wanted]
        start, end = (
            kernels[name].to_numpy(np.int64, na_value=0)[own] for name in ("start", "end")
        )
        order = np.lexsort((start, key))
        counts = np.bincount(key, minlength=len(iterations) * len(cores)).reshape(
            len(iterations), len(cores)
        )
        size = int(np.bincount(counts.ravel()).argmax())
        rows = np.flatnonzero((counts == size).all(axis=1))
        order = order[np.isin(key[order] // len(cores), rows)]
        shape = (len(rows), len(cores), size)
        return cls(rows, start[order].reshape(shape), end[order].reshape(shape), counts)


def fill_lost_times(kernels: pd.DataFrame) -> pd.DataFrame:
    """Return frame `kernels` with lost starts and ends filled in by the median duration of the same
    kind on the same core.

    Repeated markers, which are no kernels, and kernels that still lack a time are dropped. The
    frame itself comes back if it is complete.
    """
    if kernels["start"].notna().all() and kernels["end"].notna().all():
        return kernels
    kernels = kernels[~kernels["reason"].isin([DUPLICATE_START, DUPLICATE_END])]
    start, end = (kernels[name].astype("float64") for name in ("start", "end"))
    kinds = [kernels[name].astype("str") for name in ("track", "name")]
    usual = (end - start).groupby(kinds).transform("median")
    filled = kernels.assign(start=start.fillna(end - usual), end=end.fillna(start + usual))
    return filled[filled["start"].notna() & filled["end"].notna()].astype(
        {"start": "int64", "end": "int64"}
    )
