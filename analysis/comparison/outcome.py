"""The verdict about the runs as a whole: what gates decides."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.comparison.rows import Row
from analysis.comparison.verdict import Verdict

_ORDER: tuple[Verdict, ...] = ("regressed", "incomparable", "undecided", "improved", "unchanged")


def outcome(rows: Sequence[Row]) -> tuple[Verdict, list[str]]:
    """Return the verdict, the first of _ORDER that a row of the gate has, and a sentence for each row that has it."""
    gates = [row for row in rows if row.gates]
    if not gates:
        return "undecided", ["no number of these runs decides about them"]
    verdict = min((row.judged.verdict for row in gates), key=_ORDER.index)
    return verdict, [_sentence(row) for row in gates if row.judged.verdict == verdict]


def _sentence(row: Row) -> str:
    about = row.metric.label + (f" of {row.key}" if row.key else "")
    known = row.judged_change
    change = "" if known is None else f" ({100 * known:+.2f} %)"
    return f"{about} {row.judged.verdict}{change}" + (f": {row.judged.reason}" if row.judged.reason else "")
