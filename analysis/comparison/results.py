"""Comparison of named numbers of files of results: a row for each name that both sides have."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from analysis.comparison.rows import ResultRow, RowTopic, Thresholds, exact_row
from analysis.comparison.sampled import Samples, sampled_row
from analysis.comparison.verdict import Judged, incomparable
from analysis.results.numbers import NamedNumbers
from analysis.statistics.families import is_significant
from analysis.statistics.ratio import MIN_RUNS, MIN_SAMPLES
from schema.array_types import Floats
from schema.plurals import plural
from schema.result_metrics import EVERY, find_compared, find_metric

LEVEL = "result"
"""Level of the rows of named numbers."""
_UNDIRECTED = "the file does not tell whether less or more is better; "
_CHANGED = ("improved", "regressed", "changed")
Runs = Sequence[NamedNumbers]


class Unpaired(NamedTuple):
    """Keys of named numbers that a single side has, in the order of its files."""

    only_base: list[str]
    only_new: list[str]

    def record(self) -> dict[str, list[str]]:
        """Convert to a dict: names of the numbers that only the base or only the new side has."""
        return {
            side: [_label(key) for key in keys]
            for side, keys in (("only_base", self.only_base), ("only_new", self.only_new))
        }


def unpaired_numbers(base: Runs, new: Runs) -> Unpaired:
    """List the named numbers that a single side has."""
    base_keys, new_keys = _keys(base), _keys(new)
    return Unpaired(
        [key for key in base_keys if key not in new_keys],
        [key for key in new_keys if key not in base_keys],
    )


def result_rows(base: Runs, new: Runs, thresholds: Thresholds) -> list[ResultRow]:
    """Compare the named numbers that both sides have, in the order of the base's files, then list
    the numbers of one side, which decide nothing.

    Numbers with enough samples or runs are compared by their spread; changes that do not pass the
    correction for many tests are undecided. Of other numbers only the threshold decides.
    """
    base_keys, new_keys = _keys(base), _keys(new)
    rows = [_row(key, base, new, thresholds) for key in base_keys if key in new_keys]
    single = unpaired_numbers(base, new)
    for keys, side in ((single.only_base, "base"), (single.only_new, "new side")):
        rows += [_single_row(key, base, new, side) for key in keys]
    return _correct_tests(rows)


def _keys(runs: Runs) -> dict[str, None]:
    return {key: None for run in runs for key in run.values}


def _label(key: str) -> str:
    metric = find_metric(key)
    return key if metric is None else metric.label


def _topic(key: str, thresholds: Thresholds) -> RowTopic:
    metric = find_compared(key)
    if metric is None:
        raise ValueError(f"{key} is not the key of a named number")
    default = thresholds.get(EVERY, metric.threshold)
    return RowTopic(metric, LEVEL, "", thresholds.get(key, default))


def _row(key: str, base: Runs, new: Runs, thresholds: Thresholds) -> ResultRow:
    about = _topic(key, thresholds)
    sides = [[_samples(run, key) for run in side if key in run.values] for side in (base, new)]
    shown = (_displayed_number(base, key), _displayed_number(new, key))
    if _has_spread(sides):
        return sampled_row(about, sides[0], sides[1], shown)
    counts = [sum(map(len, side)) for side in sides]
    row = exact_row(about, shown)
    row = replace(row, n_base=counts[0], n_new=counts[1])
    if row.judged.verdict == "unchanged":
        return row
    samples = plural(min(counts), "sample")
    few = f"{samples} on a side: the spread is not known, only the threshold decides"
    lead = _UNDIRECTED if about.metric.polarity == 0 else ""
    return row.with_verdict(Judged(row.judged.verdict, lead + few))


def _single_row(key: str, base: Runs, new: Runs, side: str) -> ResultRow:
    about = _topic(key, {})
    shown = (_displayed_number(base, key), _displayed_number(new, key))
    undecisive = replace(about, metric=replace(about.metric, is_gate=False))
    return undecisive.row(shown, incomparable(f"only the {side} has it"))


def _samples(run: NamedNumbers, key: str) -> Samples:
    values = run.samples.get(key, np.array([run.values[key]]))
    return Samples(values, np.arange(len(values), dtype=np.int64), "sample")


def _displayed_number(runs: Runs, key: str) -> float | None:
    values = [run.values[key] for run in runs if key in run.values]
    return statistics.median(values) if values else None


def _has_spread(sides: Sequence[Sequence[Samples]]) -> bool:
    """Whether the spread of a number can be estimated: enough runs or samples, all above 0, since
    their logarithms are compared.
    """
    if not all(bool((samples.values > 0).all()) for side in sides for samples in side):
        return False
    if max(map(len, sides)) >= MIN_RUNS:
        return True
    return min(sum(map(len, side)) for side in sides) >= MIN_SAMPLES


def _correct_tests(rows: list[ResultRow]) -> list[ResultRow]:
    """Return the rows with a correction for multiple tests: changes that fail the
    Benjamini-Hochberg procedure (5 %) among all tested rows become undecided.
    """
    tested = [place for place, row in enumerate(rows) if row.p is not None]
    if len(tested) < 2:
        return rows
    probabilities: Floats = np.array([rows[place].p for place in tested], np.float64)
    for place, passes in zip(tested, is_significant(probabilities).tolist(), strict=True):
        if not passes and rows[place].judged.verdict in _CHANGED:
            why = f"not significant among {plural(len(tested), 'number')} (Benjamini-Hochberg, 5 %)"
            rows[place] = rows[place].with_verdict(Judged("undecided", why))
    return rows
