"""Build the table of kernels by program: number of runs, times, rates, first run and other runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.kernels.distribution import sorted_quantile
from schema.array_types import Bools, Floats, Ints
from schema.impossible_rates import is_possible

MOST = 2**62
"""Upper limit of sums, so that they fit int64."""
_NONE = -1
_MAX_TRACKS = 4
_NS = 1e-9


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
        """Count the executions of each group that mask `chosen` selects (all if None), an element
        per group.
        """
        code = self.code if chosen is None else self.code[chosen]
        return np.bincount(code, minlength=len(self))

    def sums(self, values: Ints, chosen: Bools | None = None) -> Ints:
        """Sum the values (an element per execution, not negative) of each group over the executions
        that mask `chosen` selects (all if None), an element per group; at most MOST (2^62), 0
        without any.
        """
        code, part = (self.code, values) if chosen is None else (self.code[chosen], values[chosen])
        total = np.zeros(len(self), dtype=np.int64)
        np.add.at(total, code, part)
        # bincount sums in float64, so that it shows an overflow of the integer sum.
        return np.where(np.bincount(code, part, minlength=len(self)) >= MOST, MOST, total)

    def quantiles(self, shares: Sequence[float], chosen: Bools | None = None) -> list[Floats]:
        """Compute quantiles (shares 0 to 1) of the durations (ticks) of each group over the
        executions that mask `chosen` selects (all if None): an array per share, NaN for groups
        without any.
        """
        order = self._order if chosen is None else self._order[chosen[self._order]]
        return [
            sorted_quantile(self.duration[order], self.counts(chosen), share) for share in shares
        ]


def kernel_table(kernels: pd.DataFrame) -> pd.DataFrame:
    """Build a row per kernel, program and whether it is a copy, by descending total time.

    `kernels` are rows of frame `kernels` with its further columns. Columns: name and colours (str),
    program (Int64, null if unknown), copy (bool), tracks (str, its devices), count (int64), total
    (int64, ns), share (float64, of the total of all rows, kernels and copies), mean, p50, p95
    (float64, ns), first (Int64, ns: the first run of its name on its track, the earliest if there
    are several tracks; null if it is not among the rows), steady (float64, ns: median of all other
    runs), first_ratio (first / steady), operations (Int64, sum of known values), flops, memory_rate
    and moved_rate (float64, per second: summed operations or bytes over the summed durations of the
    runs with known values and possible rates; bytes that a copy moved count in its memory_rate),
    intensity (operations per byte of memory_bytes, of the runs that have both with possible rates)
    and missing (str, the most frequent reason why operations of runs are unknown; "" if all are
    known).
    """
    runs = kernels[kernels["duration"].notna()] if kernels["duration"].isna().any() else kernels
    groups = KernelGroups(runs)
    lead = runs[["name", "colours", "program", "copy"]].iloc[groups.lead]
    total = groups.sums(groups.duration)
    count = groups.counts()
    copy = lead["copy"].to_numpy(bool)
    p50, p95 = groups.quantiles((0.5, 0.95))
    columns: dict[str, Any] = {
        "name": lead["name"].astype("str").array,
        "colours": lead["colours"].astype("str").fillna("").array,
        "program": lead["program"].array,
        "copy": copy,
        "tracks": _tracks(runs["track"], groups),
        "count": count,
        "total": total,
        "share": _ratio(total, total.sum(dtype=np.float64), nothing=0.0),
        "mean": total / count,
        "p50": p50,
        "p95": p95,
    }
    columns |= (
        _first_runs(runs, groups)
        | _work(runs, groups)
        | {"missing": _missing(runs["missing"], groups)}
    )
    return pd.DataFrame(columns).sort_values(
        "total", ascending=False, kind="stable", ignore_index=True
    )


def _tracks(track: pd.Series, groups: KernelGroups) -> pd.Series:
    """Join the names of each group's tracks with commas; of more than 4 names the first 3, then
    `and 2 more`.
    """
    code, tracks = pd.factorize(track)
    names = np.asarray(tracks.astype("str"), dtype=object)
    pairs = np.flatnonzero(~pd.Series(groups.code * len(names) + code).duplicated().to_numpy())
    pairs = pairs[np.argsort(groups.code[pairs], kind="stable")]
    devices = code[pairs]
    count = np.bincount(groups.code[pairs], minlength=len(groups))
    begin = np.cumsum(count) - count
    shown = names[devices[begin]]
    for group in np.flatnonzero(count > 1).tolist():
        shown[group] = _list_names(
            names[devices[begin[group] : begin[group] + count[group]]].tolist()
        )
    return pd.Series(shown, dtype="str")


def _list_names(names: list[str]) -> str:
    if len(names) <= _MAX_TRACKS:
        return ", ".join(names)
    return f"{', '.join(names[: _MAX_TRACKS - 1])} and {len(names) - _MAX_TRACKS + 1} more"


def _first_runs(runs: pd.DataFrame, groups: KernelGroups) -> dict[str, Any]:
    """Compute columns first (ns, null without a first run), steady (median ns of the other runs,
    NaN without any) and first_ratio of each group.
    """
    is_first = (runs["run"] == 1).to_numpy(bool, na_value=False)
    firsts = np.flatnonzero(is_first)
    firsts = firsts[np.argsort(runs["start"].to_numpy(np.int64, na_value=0)[firsts], kind="stable")]
    owner, place = np.unique(groups.code[firsts], return_index=True)
    first = np.zeros(len(groups), dtype=np.int64)
    first[owner] = groups.duration[firsts[place]]
    unseen = np.ones(len(groups), dtype=bool)
    unseen[owner] = False
    (steady,) = groups.quantiles((0.5,), ~is_first)
    ratio = _ratio(np.where(unseen, np.nan, first), steady)
    return {"first": pd.arrays.IntegerArray(first, unseen), "steady": steady, "first_ratio": ratio}


def _work(runs: pd.DataFrame, groups: KernelGroups) -> dict[str, Any]:
    """Compute columns operations, flops, memory_rate, moved_rate (per second) and intensity of each
    group; null or NaN if no run has the values.
    """
    operations, is_possible_rate = _possible_values(runs, "operations")
    is_known = runs["operations"].notna().to_numpy(bool)
    memory, reads = _possible_values(runs, "memory_bytes")
    copied, copies = _possible_values(runs, "copied_bytes")
    none = groups.counts(is_known) == 0
    both = is_possible_rate & reads
    return {
        "operations": pd.arrays.IntegerArray(groups.sums(operations, is_known), none),
        "flops": _rate(groups, operations, is_possible_rate),
        "memory_rate": _rate(groups, np.where(reads, memory, copied), reads | copies),
        "moved_rate": _rate(groups, *_possible_values(runs, "moved_bytes")),
        "intensity": _ratio(groups.sums(operations, both), groups.sums(memory, both)),
    }


def _possible_values(runs: pd.DataFrame, work: str) -> tuple[Ints, Bools]:
    """Return the work of each execution, and whether it is known and its rate is possible."""
    values = runs[work]
    known = values.notna().to_numpy(bool) & is_possible(runs, work)
    return values.to_numpy(np.int64, na_value=0), known


def _rate(groups: KernelGroups, work: Ints, known: Bools) -> Floats:
    return _ratio(groups.sums(work, known), groups.sums(groups.duration, known) * _NS)


def _ratio(above: npt.NDArray[Any], below: npt.NDArray[Any], nothing: float = np.nan) -> Floats:
    """Compute above / below for each element; `nothing` if below is not positive."""
    ratio: Floats = np.divide(above, below, out=np.full(len(above), nothing), where=below > 0)
    return ratio


def _missing(reason: pd.Series, groups: KernelGroups) -> pd.Series:
    """Return the most frequent reason why operations are unknown in each group, "" if all are
    known; the first reason in category order wins a tie.
    """
    category = reason.astype("category")
    reasons = [name for name in category.cat.categories if name]
    if not reasons:
        return pd.Series("", index=range(len(groups)), dtype="str")
    counts = np.array([groups.counts((category == name).to_numpy(bool)) for name in reasons])
    names = np.array(["", *reasons], dtype=object)
    return pd.Series(names[np.where(counts.any(axis=0), counts.argmax(axis=0) + 1, 0)], dtype="str")
