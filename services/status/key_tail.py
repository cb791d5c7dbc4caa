"""The last runs of a key that a row of the status needs, and their conversion to and from JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import StatusPoint
from services.status.regressions import find_regression
from services.status.rule_verdicts import JudgedRun
from services.status.status_rows import sparkline_points
from storage.rule_verdicts import RuleVerdict
from storage.series import SeriesPosition

FORMAT = "2"
"""Version of the stored records. Change it whenever their content changes."""
_RUN = ("date", "run_id", "commit", "branch", "file", "name")
"""Attributes of the latest run that a record has."""
_VERDICT = ("verdict", "reason", "metric", "value", "base", "relative", "main", "cause")
"""Attributes of the latest verdict that a record has."""


class KeyTail(NamedTuple):
    """The last runs of a key that a row of the status needs, and the points of its sparkline."""

    runs: Sequence[JudgedRun]
    points: Sequence[StatusPoint]


def key_tail(runs: Sequence[JudgedRun]) -> KeyTail:
    """Cut the runs of a key (at least one) to those that a row of the status needs."""
    return KeyTail(_since_good(runs), sparkline_points(runs))


def is_lasting(runs: Sequence[JudgedRun]) -> bool:
    """Whether every run of a key has a final verdict; True if there are no runs.

    A run that could not be compared has no final verdict: it is tried again later.
    """
    return all(judged.verdict is not None and judged.verdict.against for judged in runs)


def tail_record(key: SeriesKey, runs: Sequence[JudgedRun]) -> list[object]:
    """Convert a key and its last runs to a list of JSON types that `read_tail` parses: key, latest
    run, its verdict, earlier runs in short form, points.

    Earlier runs are those from the last good run before the regression on; none if the key is not
    regressed.
    """
    latest = runs[-1]
    texts = [getattr(latest.run, name) for name in _RUN]
    verdict = [getattr(latest.verdict, name) for name in _VERDICT]
    return [
        list(key),
        texts,
        verdict,
        [*map(_short, _since_good(runs)[:-1])],
        [*map(list, sparkline_points(runs))],
    ]


def read_tail(record: Sequence[list[object]]) -> tuple[SeriesKey, KeyTail]:
    """Parse a record of `tail_record` to (key, tail); fields of runs that it does not have are ""."""
    key, texts, verdict, earlier, points = record
    date, run_id, commit, branch, file, name = texts
    run = SeriesPosition(date, "", run_id, "", "", commit, branch, file, "", name)  # type: ignore[arg-type]
    latest = JudgedRun(run, RuleVerdict(run_id, date, "", "", *verdict))  # type: ignore[arg-type]
    tail = KeyTail([*map(_long, earlier), latest], [*map(StatusPoint._make, points)])  # type: ignore[arg-type]
    return SeriesKey(*key), tail  # type: ignore[arg-type]


def _since_good(runs: Sequence[JudgedRun]) -> Sequence[JudgedRun]:
    """Return the runs of a key from the last good run before its regression on, all if there is no
    such run; only the latest run if the key is not regressed.
    """
    regression = find_regression(runs)
    if regression is None:
        return runs[-1:]
    return runs[next((at for at, judged in enumerate(runs) if judged is regression.last_good), 0) :]


def _short(judged: JudgedRun) -> list[object]:
    verdict = judged.verdict
    verdict_values = (
        (verdict.verdict, verdict.metric, verdict.value) if verdict else ("undecided", "", None)
    )
    return [judged.run.date, judged.run.run_id, judged.run.commit, *verdict_values]


def _long(short: list[object]) -> JudgedRun:
    date, run_id, commit, verdict, metric, value = short
    run = SeriesPosition(date, "", run_id, "", "", commit)  # type: ignore[arg-type]
    return JudgedRun(run, RuleVerdict(run_id, date, "", "", verdict, "", metric, value))  # type: ignore[arg-type]
