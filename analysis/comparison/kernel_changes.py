"""Contribution of each kernel to the change of a profile's step, and its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from analysis.comparison.kernel_pairs import KernelPairs
from analysis.comparison.profile import Profile
from analysis.comparison.rows import ResultRow

_COLUMNS = (
    *("name", "base", "new", "how", "runs_base", "runs_new"),
    *("steady_base", "steady_new", "step_base", "step_new", "change", "verdict", "reason"),
)
"""Columns of the frame of `kernel_changes`."""


def kernel_changes(
    base: Profile, new: Profile, pairs: KernelPairs, rows: Sequence[ResultRow]
) -> pd.DataFrame:
    """Build a row per kernel of either side, sorted by the absolute change of the time of a step,
    largest first.

    Columns: name (in the new run, else in the base), base and new (names, null if the side has no
    such kernel), how (the kernels were matched), runs (Int64, in the whole capture), steady
    (float64, ns, median without the first run), step (ns per step), change (ns per step), verdict
    and reason of `steady`. Numbers of both sides have the suffixes `_base` and `_new`.
    """
    judged = {row.key: row.judged for row in rows if row.level == "kernel"}
    lines = []
    for base_name, new_name, how in _every(pairs):
        # A renamed kernel has the key that its result row has.
        key = base_name if base_name == new_name else f"{base_name} -> {new_name}"
        row_verdict = judged.get(str(key))
        sides = [_side(base, base_name), _side(new, new_name)]
        change = (sides[1]["step"] or 0.0) - (sides[0]["step"] or 0.0)
        verdict = _presence(base_name, new_name) if row_verdict is None else row_verdict.verdict
        reason = row_verdict.reason if row_verdict else ""
        values = [
            value
            for name in ("runs", "steady", "step")
            for value in (sides[0][name], sides[1][name])
        ]
        lines.append(
            (new_name or base_name, base_name, new_name, how, *values, change, verdict, reason)
        )
    frame = pd.DataFrame(lines, columns=[*_COLUMNS]).astype(
        {"runs_base": "Int64", "runs_new": "Int64"}
    )
    numbers = ["steady_base", "steady_new", "step_base", "step_new", "change"]
    frame[numbers] = frame[numbers].astype("float64")
    return frame.iloc[np.argsort(-frame["change"].abs().to_numpy(), kind="stable")].reset_index(
        drop=True
    )


def _presence(base_name: str | None, new_name: str | None) -> str:
    """Name the change of a kernel without a result row: "gone" if only the base has it, "born" if
    only the new side has, "undecided" if both have.
    """
    if new_name is None:
        return "gone"
    return "born" if base_name is None else "undecided"


def _every(pairs: KernelPairs) -> Iterator[tuple[str | None, str | None, str]]:
    yield from pairs.matched
    yield from ((name, None, "") for name in pairs.only_base)
    yield from ((None, name, "") for name in pairs.only_new)


def _side(profile: Profile, name: str | None) -> Mapping[str, float | None]:
    """Return a dict of a kernel's `runs` (number), `steady` (median ns) and `step` (ns per step);
    values are `None` if the side has no such kernel, and for `steady` without a later run.
    """
    if name is None:
        return {"runs": None, "steady": None, "step": None}
    steady = profile.durations.get(name)
    return {
        "runs": profile.counts.get(name),
        "steady": float(np.median(steady)) if steady is not None and len(steady) else None,
        "step": profile.time_per_step(name),
    }
