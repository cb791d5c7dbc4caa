"""Regressions of a key: the run at which the latest one began, and whether it is acknowledged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from analysis.comparison.series import SeriesKey
from schema.result_metrics import find_compared
from services.status.rule_verdicts import JudgedRun
from storage.acknowledgements import Acknowledgement
from storage.rule_verdicts import RuleVerdict

_GOOD = ("improved", "unchanged", "changed")
"""Verdicts that end a regression; other verdicts decide nothing."""


@dataclass(frozen=True)
class Regression:
    """The runs of a key from the first regressed run on, and the last good run before it (`None` if
    there is none).
    """

    runs: Sequence[JudgedRun]
    last_good: JudgedRun | None


def series_id(key: SeriesKey) -> str:
    """Return the identifier of a key in the catalogue, 32 hex digits."""
    return hashlib.sha256(json.dumps(key).encode("utf-8", "replace")).hexdigest()[:32]


def find_regression(runs: Sequence[JudgedRun]) -> Regression | None:
    """Return the regression that contains the last run of a key; `None` if that run is not
    regressed or there are no runs.

    It begins with the first regressed run after the last improved, unchanged or changed run.
    """
    if not runs or _verdict(runs[-1]) != "regressed":
        return None
    good = next((at for at in reversed(range(len(runs))) if _verdict(runs[at]) in _GOOD), -1)
    first = next(at for at in range(good + 1, len(runs)) if _verdict(runs[at]) == "regressed")
    before = good if good >= 0 else first - 1
    return Regression(runs[first:], runs[before] if before >= 0 else None)


def is_start_known(runs: Sequence[JudgedRun]) -> bool:
    """Whether `find_regression` finds the same if earlier runs of the key are added to `runs`."""
    regression = find_regression(runs)
    return regression is None or (
        regression.last_good is not None and _verdict(regression.last_good) in _GOOD
    )


def is_acknowledged(regression: Regression, acknowledgement: Acknowledgement) -> bool:
    """Whether the acknowledged run is part of the regression, and no regressed run since is worse
    by more than the metric's threshold.
    """
    places = [
        at for at, judged in enumerate(regression.runs) if judged.run.date == acknowledgement.date
    ]
    if not places:
        return False
    later = (
        judged.verdict for judged in regression.runs[places[-1] :] if judged.verdict is not None
    )
    return not any(
        judged.verdict == "regressed" and _is_worse(judged, acknowledgement) for judged in later
    )


def _is_worse(verdict: RuleVerdict, acknowledgement: Acknowledgement) -> bool:
    if (
        verdict.metric != acknowledgement.metric
        or verdict.value is None
        or acknowledgement.value is None
    ):
        return (verdict.metric, verdict.value) != (acknowledgement.metric, acknowledgement.value)
    metric = find_compared(verdict.metric)
    if metric is None:
        return True
    # polarity is +1 if larger values are better, -1 if smaller values are, else 0
    loss = (acknowledgement.value - verdict.value) * metric.polarity
    return loss > metric.threshold * abs(acknowledgement.value)


def commits_url(template: str, base: str, new: str) -> str | None:
    """Return the address that shows the changes between two commits: `template` with `{base}` and
    `{new}` replaced; `None` if the template or a commit is "".
    """
    if not (template and base and new):
        return None
    # split at {base} first, so that a commit that contains "{new}" is not substituted
    parts = [part.replace("{new}", quote(new, safe="")) for part in template.split("{base}")]
    return quote(base, safe="").join(parts)


def _verdict(judged: JudgedRun) -> str:
    return judged.verdict.verdict if judged.verdict is not None else ""
