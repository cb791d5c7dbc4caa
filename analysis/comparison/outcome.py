"""The verdict about the runs as a whole: what gates decides."""

from __future__ import annotations

import math
from collections.abc import Sequence

from analysis.comparison.rows import ResultRow
from analysis.comparison.verdict import Verdict
from schema.decimals import decimals

_ORDER: tuple[Verdict, ...] = ("regressed", "incomparable", "undecided", "improved", "unchanged")


def outcome(rows: Sequence[ResultRow]) -> tuple[Verdict, list[str]]:
    """Return the verdict, the first of _ORDER that a row of the gate has, and a sentence for each row that has it."""
    gates = [row for row in rows if row.gates]
    if not gates:
        return "undecided", ["no number of these runs decides about them"]
    verdict = min((row.judged.verdict for row in gates), key=_ORDER.index)
    return verdict, [_sentence(row) for row in gates if row.judged.verdict == verdict]


def deciding(rows: Sequence[ResultRow], verdict: str) -> ResultRow | None:
    """Return the number that decided: of those that gate and have the verdict of all, the one that changed most."""
    gates = [row for row in rows if row.gates and row.judged.verdict == verdict]
    return max(gates, key=_change, default=None)


def _change(row: ResultRow) -> float:
    """Return by how much a number changed; one that was 0 changed more than any share."""
    if row.judged_change is not None:
        return abs(row.judged_change)
    return math.inf if row.delta else 0.0


def _sentence(row: ResultRow) -> str:
    about = row.metric.label + (f" of {row.key}" if row.key else "")
    known = None if row.judged.verdict == "incomparable" else row.judged_change
    change = "" if known is None else f" ({decimals(100 * known, 2, signed=True)} %)"
    return f"{about} {row.judged.verdict}{change}" + (f": {row.judged.reason}" if row.judged.reason else "")
