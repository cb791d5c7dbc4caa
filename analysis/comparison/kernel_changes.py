"""Contribution of each kernel and copy to the change of a profile's step, and its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.comparison.kernel_pairs import BY_NAME, KernelPairs, key_of
from analysis.comparison.profile import Profile
from analysis.comparison.rows import ResultRow

_COLUMNS = (
    *("name", "base", "new", "how", "copy", "runs_base", "runs_new"),
    *("steady_base", "steady_new", "step_base", "step_new", "change", "verdict", "reason"),
)
"""Columns of the frame of `kernel_changes`."""
_COPY_REASON = "copies have no verdict"
_MIXED_REASON = "only one side has steps"


def kernel_changes(
    base: Profile, new: Profile, pairs: KernelPairs, rows: Sequence[ResultRow]
) -> pd.DataFrame:
    """Build a row per kernel or copy of either side, sorted by the absolute change of the time of a
    step, largest first.

    Columns: name (in the new run, else in the base), base and new (names, null if the side has no
    such kernel), how (the kernels were matched), copy (bool), runs (Int64, in the whole capture),
    steady (float64, ns, median without the first run), step (ns per counted step, null if none of
    them has it), change (ns per step), verdict and reason of `steady`. Numbers of both sides have
    the suffixes `_base` and `_new`. If only one side has steps, changes are null.
    """
    judged = {row.key: row.judged for row in rows if row.level == "kernel"}
    is_mixed = bool(len(base.steps)) != bool(len(new.steps))
    lines = []
    for pair in _every(pairs, base, new):
        row_verdict = judged.get(pair.key)
        base_side = _side(base, pair.base, is_copy=pair.is_copy)
        new_side = _side(new, pair.new, is_copy=pair.is_copy)
        change = (new_side["step"] or 0.0) - (base_side["step"] or 0.0)
        verdict = _presence(pair) if row_verdict is None else row_verdict.verdict
        reason = row_verdict.reason if row_verdict else _reason(pair, is_mixed=is_mixed)
        values = [
            value
            for name in ("runs", "steady", "step")
            for value in (base_side[name], new_side[name])
        ]
        names = (pair.new or pair.base, pair.base, pair.new, pair.how, pair.is_copy)
        lines.append((*names, *values, None if is_mixed else change, verdict, reason))
    frame = pd.DataFrame(lines, columns=[*_COLUMNS]).astype(
        {"runs_base": "Int64", "runs_new": "Int64", "copy": "bool"}
    )
    numbers = ["steady_base", "steady_new", "step_base", "step_new", "change"]
    frame[numbers] = frame[numbers].astype("float64")
    size = frame["change"].abs().fillna(0.0).to_numpy()
    return frame.iloc[np.argsort(-size, kind="stable")].reset_index(drop=True)


def step_records(changes: pd.DataFrame) -> list[dict[str, object]]:
    """Convert rows of `kernel_changes` to JSON types: name, base, new and change in ns per counted
    step, for every name that a counted step of either side has.

    A side is None if none of its counted steps has the name. The name of a renamed kernel is
    `BASE -> NEW`, as in the rows of the result.
    """
    in_steps = changes[changes["step_base"].notna() | changes["step_new"].notna()]
    names = [
        name if pd.isna(base) or pd.isna(new) else key_of(base, new)
        for name, base, new in zip(in_steps["name"], in_steps["base"], in_steps["new"], strict=True)
    ]
    columns = [in_steps[name].tolist() for name in ("step_base", "step_new", "change")]
    return [
        {"name": name, "base": _or_none(base), "new": _or_none(new), "change": _or_none(change)}
        for name, base, new, change in zip(names, *columns, strict=True)
    ]


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


class _Pair(NamedTuple):
    """Names of a kernel or copy on both sides, None if the side has none, and how they matched."""

    base: str | None
    new: str | None
    how: str
    is_copy: bool = False

    @property
    def key(self) -> str:
        """Key of the pair's row of the result; "" if it has none."""
        if self.is_copy or self.base is None or self.new is None:
            return ""
        return key_of(self.base, self.new)


def _presence(pair: _Pair) -> str:
    """Name the change of a kernel without a result row: "gone" if only the base has it, "born" if
    only the new side has, "undecided" if both have.
    """
    if pair.new is None:
        return "gone"
    return "born" if pair.base is None else "undecided"


def _reason(pair: _Pair, *, is_mixed: bool) -> str:
    """Explain why a kernel has no verdict; "" if a side lacks it."""
    if pair.base is None or pair.new is None:
        return ""
    return _COPY_REASON if pair.is_copy else _MIXED_REASON if is_mixed else ""


def _every(pairs: KernelPairs, base: Profile, new: Profile) -> Iterator[_Pair]:
    yield from (_Pair(*pair) for pair in pairs.matched)
    yield from (_Pair(name, None, "") for name in pairs.only_base)
    yield from (_Pair(None, name, "") for name in pairs.only_new)
    for name in dict.fromkeys([*base.copy_counts, *new.copy_counts]):
        sides = [name if name in profile.copy_counts else None for profile in (base, new)]
        yield _Pair(sides[0], sides[1], "" if None in sides else BY_NAME, is_copy=True)


def _side(profile: Profile, name: str | None, *, is_copy: bool) -> Mapping[str, float | None]:
    """Return a dict of a kernel's `runs` (number), `steady` (median ns) and `step` (ns per step);
    values are `None` if the side has no such kernel, and for `steady` without a later run.
    """
    if name is None:
        return {"runs": None, "steady": None, "step": None}
    if is_copy:
        step = profile.copy_step_times.get(name)
        return {"runs": profile.copy_counts[name], "steady": None, "step": step}
    steady = profile.durations.get(name)
    return {
        "runs": profile.counts.get(name),
        "steady": float(np.median(steady)) if steady is not None and len(steady) else None,
        "step": profile.kernel_step_times.get(name),
    }
