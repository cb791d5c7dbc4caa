"""Runs of a key for a bisection: their values by commit, and the noise of earlier runs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.bisection.evidence import Noise, Rules, estimate_noise
from analysis.bisection.result import MeasuredCommit
from analysis.comparison.series import SeriesKey
from analysis.statistics.step_fit import MIN_CHANGE
from schema.metrics import METRICS
from schema.result_metrics import find_compared, find_metric, is_result_key
from services.bisection.commits import CommitIndex
from services.bisection.errors import BisectionError
from storage.catalogue import Catalogue
from storage.run_values import RunValues, values_by_likeness

FAILED_TAG = "failed"
"""Tag of a run that gives no result, such as the run of a commit that does not build."""
_MAX_HISTORY = 500
"""Maximum number of runs of other commits from which the noise is estimated: the newest."""


@dataclass(frozen=True)
class Measurements:
    """Runs of the commits of a bisection: the measured commits, and the noise of the key."""

    commits: Sequence[MeasuredCommit]
    noise: Noise

    @property
    def values(self) -> Mapping[int, Sequence[float]]:
        """Values of the runs by the position of their commit, without skipped commits."""
        return {item.position: item.values for item in self.commits if not item.is_skipped}

    @property
    def broken(self) -> set[int]:
        """Positions of the commits that give no result."""
        return {item.position for item in self.commits if item.is_broken}


def find_rules(metric: str, threshold: float | None) -> Rules:
    """Return the rules by which comparisons judge a metric; `threshold` replaces its own, as a
    share.

    Raises BisectionError if the metric is unknown, or neither more nor less is better.
    """
    found = find_metric(metric)
    if found is None:
        raise BisectionError(f"unknown metric {metric}: expected one of {', '.join(METRICS)}")
    polarity = found.polarity
    if polarity == 0:
        raise BisectionError(
            f"of metric {found.label} neither more nor less is better,"
            " so that no commit makes it worse"
        )
    compared = find_compared(metric)
    own = math.expm1(MIN_CHANGE) if compared is None else compared.threshold
    share = own if threshold is None else threshold
    scale = "ratio" if compared is None else compared.scale
    return Rules(
        limit=share if scale == "share" else math.log1p(share),
        polarity=polarity,
        is_share=scale == "share",
        is_exact=scale == "exact",
        floor=0.0 if compared is None else compared.floor,
    )


def runs_of_key(
    catalogue: Catalogue, likeness: str, key: SeriesKey, metric: str = ""
) -> list[RunValues]:
    """List the captures of the runs of a key, oldest first, with the metrics of the registry and
    `metric` if that is a named number.
    """
    named = (metric,) if is_result_key(metric) else ()
    runs = values_by_likeness(catalogue, [likeness], named)[likeness]
    return [run for run in runs if SeriesKey.of(run.run) == key]


def measure_commits(
    runs: Sequence[RunValues],
    commits: Sequence[str],
    skipped: Sequence[int],
    metric: str,
    rules: Rules,
) -> Measurements:
    """Sort the runs of a key by the commits of a bisection; `skipped` are positions of commits that
    the user skips.

    A run with the tag `failed` or without a number for the metric has no result.
    """
    index = CommitIndex(commits)
    values: dict[int, list[float]] = defaultdict(list)
    failed: dict[int, int] = defaultdict(int)
    impossible: dict[int, int] = defaultdict(int)
    history: list[float] = []
    for run in runs:
        commit = str(run.run["commit"])
        position = index.find(commit) if commit else None
        value = None if FAILED_TAG in run.tags else run.values.get(metric)
        if position is None:
            history += [] if value is None else [value]
        elif value is None:
            failed[position] += 1
            impossible[position] += FAILED_TAG not in run.tags and metric in run.impossible
        else:
            values[position].append(value)
    places = sorted({*values, *failed, *skipped})
    measured = [
        MeasuredCommit(
            at,
            commits[at],
            values.get(at, []),
            failed.get(at, 0),
            at in skipped,
            impossible.get(at, 0),
        )
        for at in places
    ]
    return Measurements(measured, estimate_noise(history[-_MAX_HISTORY:], rules))
