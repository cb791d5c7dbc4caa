"""The last runs of a key with their verdicts, as far as a row of the status tells of them: as JSON, and from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import StatusPoint
from services.status.regressions import regression_of
from services.status.rule_verdicts import JudgedRun
from services.status.status_rows import points_of
from storage.rule_verdicts import RuleVerdict
from storage.series import SeriesPosition

FORMAT = "1"
"""Another one after every change of what is kept of a key."""
_RUN = ("date", "run_id", "commit", "branch", "file", "name")
_VERDICT = ("verdict", "reason", "metric", "value", "base", "relative")


class KeyTail(NamedTuple):
    """The last runs of a key, as far as a row tells of them, and the points of its sparkline."""

    runs: Sequence[JudgedRun]
    points: Sequence[StatusPoint]


def is_lasting(runs: Sequence[JudgedRun]) -> bool:
    """Return whether all is known of the runs of a key; what could not be compared is tried again."""
    return all(one.verdict is not None and one.verdict.against for one in runs)


def tail_record(key: SeriesKey, runs: Sequence[JudgedRun]) -> list[object]:
    """Return a key with its last runs as plain values: the latest whole, what is told of those before, and points."""
    latest = runs[-1]
    texts = [getattr(latest.run, name) for name in _RUN]
    verdict = [getattr(latest.verdict, name) for name in _VERDICT]
    return [list(key), texts, verdict, [*map(_short, _since_good(runs)[:-1])], [*map(list, points_of(runs))]]


def read_tail(record: Sequence[list[object]]) -> tuple[SeriesKey, KeyTail]:
    """Return the key and the tail of a record."""
    key, texts, verdict, earlier, points = record
    date, run_id, commit, branch, file, name = texts
    run = SeriesPosition(date, "", run_id, "", "", commit, branch, file, "", name)  # type: ignore[arg-type]
    latest = JudgedRun(run, RuleVerdict(run_id, date, "", "", *verdict))  # type: ignore[arg-type]
    tail = KeyTail([*map(_long, earlier), latest], [*map(StatusPoint._make, points)])  # type: ignore[arg-type]
    return SeriesKey(*key), tail  # type: ignore[arg-type]


def _since_good(runs: Sequence[JudgedRun]) -> Sequence[JudgedRun]:
    """Return the runs of a key since before the regression that it is in, the latest alone where it is in none."""
    regression = regression_of(runs)
    if regression is None:
        return runs[-1:]
    return runs[next((at for at, one in enumerate(runs) if one is regression.last_good), 0) :]


def _short(one: JudgedRun) -> list[object]:
    verdict = one.verdict
    told = (verdict.verdict, verdict.metric, verdict.value) if verdict else ("undecided", "", None)
    return [one.run.date, one.run.run_id, one.run.commit, *told]


def _long(short: list[object]) -> JudgedRun:
    date, run_id, commit, verdict, metric, value = short
    run = SeriesPosition(date, "", run_id, "", "", commit)  # type: ignore[arg-type]
    return JudgedRun(run, RuleVerdict(run_id, date, "", "", verdict, "", metric, value))  # type: ignore[arg-type]
