"""Statistical test of a number: from samples of both sides to a row with interval and verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from analysis.comparison.rows import ResultRow, RowTopic, Shown
from analysis.comparison.verdict import Judged, judge_ratio
from analysis.statistics.families import is_significant
from analysis.statistics.outliers import find_outliers
from analysis.statistics.ratio import (
    EXACTLY_EQUAL,
    MIN_RUNS,
    MIN_SAMPLES,
    Ratio,
    compare_samples,
    compare_with_baseline,
    of_groups,
)
from schema.array_types import Floats, Ints
from schema.plurals import first_names, plural, plural_form

_NAMED = 3
"""Maximum number of outliers of a run that are listed."""


@dataclass(frozen=True)
class Samples:
    """Samples of a run: a value per iteration (or step), and the number of each.

    `what` is the noun for a sample.
    """

    values: Floats
    numbers: Ints
    what: str = "iteration"

    def __len__(self) -> int:
        return len(self.values)

    # Many comparisons use a run, so the results of its samples are cached with them.
    @cached_property
    def logarithms(self) -> Samples:
        """The samples with the logarithm of their values, without values of 0 or less."""
        is_positive = self.values > 0
        return Samples(np.log(self.values[is_positive]), self.numbers[is_positive], self.what)

    @cached_property
    def without_outliers(self) -> Samples:
        """The samples without outliers; these samples themselves if there are none."""
        places = find_outliers(self.values)
        if not len(places):
            return self
        return Samples(np.delete(self.values, places), np.delete(self.numbers, places), self.what)


Side = Sequence[Samples]
"""Samples of the runs of a side."""


def sampled_row(about: RowTopic, base: Side, new: Side, shown: Shown) -> ResultRow:
    """Test the samples of two sides and build the row with estimate, interval and verdict; `shown`
    are its displayed numbers.

    The verdict is undecided if a side has no samples. Unless all samples are equal, it also is
    undecided if a side has fewer than MIN_SAMPLES (5), if 2 runs are compared with MIN_RUNS (3) or
    more, if the metric is the value of a single iteration, or if the decided verdict depends on
    excluded outliers.
    """
    counts = (sum(map(len, base)), sum(map(len, new)))
    if min(counts) == 0:
        what = next((samples.what for samples in (*base, *new)), "iteration")
        return about.row(shown, Judged("undecided", f"no complete {what} to compare"), counts)
    logs = [[_on_scale(about, samples) for samples in side] for side in (base, new)]
    # The best and the worst rate are each the value of a single iteration.
    if about.metric.is_single and not _equal(logs[0], logs[1]):
        return about.row(shown, Judged("undecided", "it rests on a single iteration"), counts)
    # Exclude disturbed iterations, which would widen the interval.
    quiet = [[samples.without_outliers for samples in side] for side in logs]
    ratio = _ratio(quiet[0], quiet[1])
    few = _too_few(logs)
    if few and ratio is not EXACTLY_EQUAL:
        return about.row(shown, Judged("undecided", few), counts, ratio)
    rule = partial(judge_ratio, limit=_limit(about, shown), polarity=about.metric.polarity)
    if ratio is None:
        return about.row(shown, Judged("undecided", "too few samples"), counts)
    return about.row(shown, _guard_outliers(rule(ratio), logs, quiet, rule), counts, ratio)


def families(rows: Sequence[ResultRow]) -> list[ResultRow]:
    """Return the rows with a correction for multiple tests: rows with a change that fail the
    Benjamini-Hochberg procedure (5 %) become undecided.

    It is applied to the rows of each metric and level, except rows of whole runs; the order stays.
    """
    result = list(rows)
    groups: dict[tuple[str, str], list[int]] = {}
    for place, row in enumerate(rows):
        if row.level != "run" and row.p is not None:
            groups.setdefault((row.metric.name, row.level), []).append(place)
    for places in groups.values():
        passed = is_significant(np.array([rows[place].p for place in places]))
        for place, passes in zip(places, passed.tolist(), strict=True):
            if not passes and rows[place].judged.verdict in ("improved", "regressed", "changed"):
                reason = (
                    f"not significant among {plural(len(places), 'row')} (Benjamini-Hochberg, 5 %)"
                )
                result[place] = rows[place].with_verdict(Judged("undecided", reason))
    return result


def _on_scale(about: RowTopic, samples: Samples) -> Samples:
    """Return the samples with the logarithm of their values, without values of 0 or less; shares of
    time stay as they are, since their differences are compared.
    """
    # With logarithms, the comparison of A with B mirrors the comparison of B with A.
    return samples if about.metric.scale == "share" else samples.logarithms


def _limit(about: RowTopic, shown: Shown) -> float:
    """Compute the smallest relevant change on the scale of the samples: the logarithm of 1 + the
    threshold, or for shares of time the threshold.

    An absolute floor of the metric raises it for small numbers.
    """
    limit = about.threshold if about.metric.scale == "share" else math.log1p(about.threshold)
    least = min((value for value in shown if value is not None and value > 0), default=0.0)
    # An absolute floor (such as 4 cycles for kernels) outweighs the relative threshold of small
    # numbers.
    return max(limit, math.log1p(about.metric.floor / least)) if least else limit


def _ratio(base: Side, new: Side) -> Ratio | None:
    """Compute the ratio of the sides (logarithms) with its interval; EXACTLY_EQUAL when all samples
    are equal.

    `None` for a single sample on a side, or too few runs with samples for a comparison of groups.
    """
    if _equal(base, new):
        return EXACTLY_EQUAL
    runs = len(base), len(new)
    if max(runs) < MIN_RUNS:
        # With one or two runs per side, the iterations of all runs are the samples.
        joined = [np.concatenate([samples.values for samples in side]) for side in (base, new)]
        return compare_samples(joined[0], joined[1]) if min(map(len, joined)) > 1 else None
    base_runs, new_runs = (
        [samples.values for samples in side if len(samples)] for side in (base, new)
    )
    # A single run is compared with the prediction interval of one more run of the other side.
    if len(new_runs) == 1 and len(base_runs) >= MIN_RUNS:
        return compare_with_baseline(base_runs, new_runs[0])
    if len(base_runs) == 1 and len(new_runs) >= MIN_RUNS:
        return compare_with_baseline(new_runs, base_runs[0]).inverse()
    return of_groups(base_runs, new_runs) if min(len(base_runs), len(new_runs)) > 1 else None


def _equal(base: Side, new: Side) -> bool:
    return len(base) == len(new) and all(
        np.array_equal(base_samples.values, new_samples.values)
        for base_samples, new_samples in zip(base, new, strict=True)
    )


def _too_few(sides: Sequence[Side]) -> str:
    """Explain in a clause why there are too few samples (below MIN_SAMPLES, 5) or runs (a side has
    2 and the other at least MIN_RUNS, 3) for a decision; "" if there are enough.
    """
    runs = [len(side) for side in sides]
    if max(runs) >= MIN_RUNS:
        return (
            f"{plural(min(runs), 'run')} on one side, {MIN_RUNS} needed"
            if min(runs) == MIN_RUNS - 1
            else ""
        )
    least = min(sum(map(len, side)) for side in sides)
    return f"{plural(least, sides[0][0].what)}, {MIN_SAMPLES} needed" if least < MIN_SAMPLES else ""


def _guard_outliers(
    verdict: Judged, logs: Sequence[Side], quiet: Sequence[Side], rule: Callable[[Ratio], Judged]
) -> Judged:
    """Return the verdict with the excluded outliers added to its reason; undecided if the verdict
    that includes them is a different decided verdict. Unchanged without outliers.
    """
    sides = zip(("base", "new"), logs, quiet, strict=True)
    words = "; ".join(
        filter(None, (_outliers(name, side, remaining) for name, side, remaining in sides))
    )
    if not words:
        return verdict
    whole = _ratio(logs[0], logs[1])
    other = rule(whole) if whole is not None else verdict
    if "undecided" not in (verdict.verdict, other.verdict) and verdict.verdict != other.verdict:
        return Judged("undecided", f"{words}; with them the verdict is {other.verdict}")
    return replace(verdict, reason="; ".join(filter(None, (verdict.reason, words))))


def _outliers(name: str, side: Side, remaining: Side) -> str:
    """Describe the excluded samples of a side, such as `iterations 3, 7 of base excluded as
    outliers` (at most 3 numbers per run); "" if there are none.
    """
    parts = []
    count = 0
    for samples, rest in zip(side, remaining, strict=True):
        odd = sorted(set(samples.numbers.tolist()) - set(rest.numbers.tolist()))
        if odd:
            noun = samples.what if len(odd) == 1 else plural_form(samples.what)
            parts.append(f"{noun} {first_names([*map(str, odd)], _NAMED)}")
            count += len(odd)
    return (
        f"{', '.join(parts)} of {name} excluded as {'an outlier' if count == 1 else 'outliers'}"
        if parts
        else ""
    )
