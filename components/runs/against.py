"""Cell of the list of runs with a run's verdict against its baseline: its text, tooltip, colour and
link.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlencode

from components.metric_text import metric_text
from components.numbers import relative_text, shorten, signed_text, tame
from components.verdicts import look, verdict_words
from schema.comparison import ComparedMetric
from schema.result_metrics import find_compared
from storage.checks import Check

PENDING = "missing"
"""Look of a cell whose verdict is not computed yet; `assets/runs.js` requests these verdicts."""
NOTHING: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("against", "against_told", "against_look", "against_href"), "")
)
"""Cell of a run whose key has no baseline."""


def member_cell(baseline: str) -> dict[str, str]:
    """Build the cell of a run that belongs to a fixed baseline, in grey and without a link.

    The keys are those of NOTHING: text, tooltip (`against_told`), look and address.
    """
    name = tame(baseline)
    return {
        **NOTHING,
        "against": f"in baseline {name}",
        "against_told": f"a run of baseline {name}",
        "against_look": "muted",
    }


def pending_cell(baseline: str) -> dict[str, str]:
    """Build the cell of a run whose verdict is not computed yet: the text `…`, with the look
    PENDING.

    Its keys are the keys of NOTHING.
    """
    tooltip = f"being compared with baseline {tame(baseline)}"
    return {**NOTHING, "against": "…", "against_told": tooltip, "against_look": PENDING}


def failed_cell(baseline: str, reason: str) -> dict[str, str]:
    """Build the cell of a run that could not be compared: a fixed text in grey, `reason` in the
    tooltip, no link.

    Its keys are the keys of NOTHING.
    """
    tooltip = f"not compared with baseline {tame(baseline)}: {tame(reason)}"
    return {**NOTHING, "against": "– not checked", "against_told": tooltip, "against_look": "muted"}


def checked_cell(check: Check) -> dict[str, str]:
    """Build the cell of a verdict: its sign, its word, and the change of the deciding metric, with
    a link to the comparison.

    Its keys are the keys of NOTHING. If the runs are incomparable, it has no change.
    """
    metric = find_compared(check.metric)
    change = _change(check, metric)
    compares = bool(change) and check.verdict != "incomparable"
    shown = f"{change} {shorten(metric.short or metric.label, 24)}" if metric and compares else ""
    number = f": {_about(check, metric)} {change or 'without a change'}" if metric else ""
    reason = f"; {tame(check.reason)}" if check.reason else ""
    return {
        "against": f"{verdict_words(check.verdict)} {shown}".strip(),
        "against_told": f"{check.verdict} against baseline {tame(check.baseline)}{number}{reason}",
        "against_look": look(check.verdict),
        "against_href": f"/compare?{urlencode({'baseline': check.baseline, 'new': check.run_id})}",
    }


def _about(check: Check, metric: ComparedMetric) -> str:
    label = tame(metric.label)
    return f"{label} of {tame(check.about)}" if check.about else label


def _change(check: Check, metric: ComparedMetric | None) -> str:
    """Format the change of the metric with its sign: as a percentage, else in the metric's unit.

    Returns "" if it is unknown.
    """
    if check.relative is not None:
        return relative_text(check.relative)
    if check.delta is None or metric is None:
        return ""
    return signed_text(metric_text(abs(check.delta), metric.metric), check.delta)
