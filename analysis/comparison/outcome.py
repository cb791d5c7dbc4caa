"""Verdict about whole runs, from the rows that gate."""

from __future__ import annotations

import math
from collections.abc import Sequence

from analysis.comparison.rows import ResultRow
from analysis.comparison.verdict import Verdict
from schema.decimals import signed_percent
from schema.plurals import plural

MAX_REASONS = 50
"""Maximum number of rows that the reasons of a verdict name."""
_ORDER: tuple[Verdict, ...] = ("regressed", "incomparable", "undecided", "improved", "unchanged")
"""Verdicts in order of precedence."""


def outcome(rows: Sequence[ResultRow]) -> tuple[Verdict, list[str]]:
    """Compute the verdict of the runs: the first verdict of _ORDER (regressed first, unchanged
    last) that a gating row has; undecided when no row gates.

    The second result is a list with a sentence for each gating row with this verdict (of more than
    50, MAX_REASONS, by largest change, and a count of the rest), or the reason.
    """
    gates = [row for row in rows if row.gates]
    if not gates:
        return "undecided", ["these runs have no metric that decides the verdict"]
    # A regression of any number decides, whatever the verdicts of the other numbers are.
    verdict = min((row.judged.verdict for row in gates), key=_ORDER.index)
    decisive = [row for row in gates if row.judged.verdict == verdict]
    # The largest changes first, if a file of results has more numbers than anybody reads.
    if len(decisive) > MAX_REASONS:
        decisive.sort(key=change_size, reverse=True)
    left = len(decisive) - MAX_REASONS
    more = [f"{plural(left, 'more number')} {verdict}"] if left > 0 else []
    return verdict, [*map(_sentence, decisive[:MAX_REASONS]), *more]


def deciding(rows: Sequence[ResultRow], verdict: str) -> ResultRow | None:
    """Find the row that decided the verdict: the largest absolute relative change among gating rows
    with this verdict; `None` if there is no such row.
    """
    gates = [row for row in rows if row.gates and row.judged.verdict == verdict]
    return max(gates, key=change_size, default=None)


def change_size(row: ResultRow) -> float:
    """Compute the size of a row's change; infinite if the base is 0 and the value changed."""
    if row.judged_change is not None:
        return abs(row.judged_change)
    return math.inf if row.delta else 0.0


def _sentence(row: ResultRow) -> str:
    about = row.metric.label + (f" of {row.key}" if row.key else "")
    judged_change = None if row.judged.verdict == "incomparable" else row.judged_change
    change = f" ({signed_percent(judged_change)} vs base)" if judged_change else ""
    return f"{about} {row.judged.verdict}{change}" + (
        f": {row.judged.reason}" if row.judged.reason else ""
    )
