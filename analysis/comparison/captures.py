"""Compares captures of an array: which numbers are comparable, and the result row of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from analysis.comparison.capture import OF_RATES, Capture, Values
from analysis.comparison.rows import ResultRow, RowTopic, Thresholds
from analysis.comparison.sampled import families, sampled_row
from analysis.comparison.verdict import incomparable
from schema.comparison import CAPTURE, TILE, ComparedMetric, Condition
from schema.decimals import share_percent
from schema.peak_rates import IMPOSSIBLE, IMPOSSIBLE_PEAK
from schema.plurals import plural

Captures = Sequence[Capture]


def capture_rows(base: Captures, new: Captures, thresholds: Thresholds) -> list[ResultRow]:
    """Compare captures: rows of the runs (metrics of CAPTURE), then rows of the tiles that both
    sides have.

    `thresholds` maps metrics to user-defined thresholds; metrics without a number on either side
    have no row.
    """
    rows = [
        row for metric in CAPTURE.values() if (row := capture_row(base, new, metric, thresholds))
    ]
    shared, _, _ = tiles(base, new)
    return rows + families(
        [row for tile in shared for row in _tile_rows(base, new, tile, thresholds)]
    )


def capture_row(
    base: Captures, new: Captures, metric: ComparedMetric, thresholds: Thresholds
) -> ResultRow | None:
    """Compare a metric of whole runs in a row; `None` if neither side has a number, or for an
    optional metric if a side has none.

    Numbers under different conditions (size, clock ...) are incomparable. If all rates of a side
    exceed the peak, its number is unknown and the row is incomparable.
    """
    about = RowTopic.of(metric, thresholds)
    values = [_of_run(side, metric) for side in (base, new)]
    impossible = _describe_impossible(base, new, values) if metric.name in OF_RATES else ""
    if impossible and (metric.is_gate or any(map(any, values))):
        shown = (_mean_of_runs(values[0]), _mean_of_runs(values[1]))
        return about.row(shown, incomparable(impossible))
    if metric.is_optional and not all(any(side) for side in values):
        return None
    row = _row(about, values[0], values[1], _find_reason(base, new, metric))
    left_out = _describe_left_out(base, new) if metric.is_gate and metric.name in OF_RATES else ""
    if row is None or not left_out:
        return row
    reason = "; ".join(filter(None, (row.judged.reason, left_out)))
    return row.with_verdict(replace(row.judged, reason=reason))


def tiles(base: Captures, new: Captures) -> tuple[list[str], list[str], list[str]]:
    """List the cores (track names, sorted) that both sides have, that only the base has, and that
    only the new side has: three lists.
    """
    base_tiles, new_tiles = (
        {tile for capture in side for tile in capture.tiles} for side in (base, new)
    )
    return (
        sorted(base_tiles & new_tiles),
        sorted(base_tiles - new_tiles),
        sorted(new_tiles - base_tiles),
    )


def _tile_rows(
    base: Captures, new: Captures, tile: str, thresholds: Thresholds
) -> Iterator[ResultRow]:
    """Yield the result rows of a core, a row per metric of TILE for which either side
    has a number.
    """
    base_samples, new_samples = (
        [capture.of_tile(tile) for capture in side] for side in (base, new)
    )
    for name, metric in TILE.items():
        values = [[of_run.get(name) for of_run in side] for side in (base_samples, new_samples)]
        row = _row(
            RowTopic.of(metric, thresholds, "tile", tile),
            values[0],
            values[1],
            _find_reason(base, new, metric),
        )
        if row is not None:
            yield row


def _of_run(side: Captures, metric: ComparedMetric) -> list[Values | None]:
    return [capture.of_run.get(metric.name) for capture in side]


def _row(
    about: RowTopic, base: list[Values | None], new: list[Values | None], reason: str
) -> ResultRow | None:
    """Build the row of a metric, incomparable if there is a `reason`; `None` if neither side has a
    number.
    """
    sides = [[values for values in side if values is not None] for side in (base, new)]
    if not any(sides):
        return None
    shown = (_mean_of_runs(base), _mean_of_runs(new))
    samples = [[samples for samples, _ in side] for side in sides]
    if reason:
        # Incomparable numbers are still listed, but not tested.
        counts = (sum(map(len, samples[0])), sum(map(len, samples[1])))
        return about.row(shown, incomparable(reason), counts)
    return sampled_row(about, samples[0], samples[1], shown)


def _mean_of_runs(side: Sequence[Values | None]) -> float | None:
    """Compute the mean of the numbers of a side's runs, without unknown numbers; `None` if all are
    unknown.
    """
    numbers = [values[1] for values in side if values is not None and values[1] is not None]
    return sum(numbers) / len(numbers) if numbers else None


def _find_reason(base: Captures, new: Captures, metric: ComparedMetric) -> str:
    """Describe in a clause the first condition of the metric that the two sides do not have in
    common; "" if they have all.
    """
    return next(
        filter(None, (_DIFFERENCES[condition](base, new) for condition in metric.conditions)), ""
    )


def _differ(base: Captures, new: Captures, *, keys: tuple[str, ...], what: str) -> str:
    """Describe how the sides differ in the settings `keys` (`what` names them, such as `the
    clock`); "" if both have the same set of values.
    """
    base_texts, new_texts = (
        sorted({_text(capture, keys) for capture in side}) for side in (base, new)
    )
    if base_texts == new_texts:
        return ""
    return f"{what} differs ({', '.join(keys)}: {', '.join(base_texts)} and {', '.join(new_texts)})"


def _text(capture: Capture, keys: tuple[str, ...]) -> str:
    return "x".join(_value(key, capture.run.get(key)) for key in keys)


def _value(key: str, value: object) -> str:
    if value is None:
        return "?"
    if key == "clock_hz" and isinstance(value, float):
        return f"{value / 1e9:g} GHz"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _describe_impossible(
    base: Captures, new: Captures, values: Sequence[Sequence[Values | None]]
) -> str:
    """Describe in a clause each side that has no number because its rates exceed the peak; "" if
    there is no such side.
    """
    clauses = []
    is_same = [capture.run_id for capture in base] == [capture.run_id for capture in new]
    names = ("run",) if is_same and len(base) == 1 else ("base", "new side")
    for name, side, numbers in zip(names, (base, new), values, strict=False):
        shares = [capture.impossible_share for capture in side if capture.impossible_share]
        if shares and not any(numbers):
            clauses.append(f"the {name} reaches {share_percent(max(shares))} of its peak")
    return f"{' and '.join(clauses)}, {IMPOSSIBLE_PEAK}" if clauses else ""


def _describe_left_out(base: Captures, new: Captures) -> str:
    """Describe in a clause how many runs of each side the comparison leaves out because their rates
    exceed the peak; "" if it leaves out no run.
    """
    clauses = []
    for name, side in (("base", base), ("new side", new)):
        count = sum(capture.impossible_share is not None for capture in side)
        if count:
            clauses.append(f"{count} of {plural(len(side), 'run')} of the {name}")
    are = "is" if len(clauses) == 1 and clauses[0].startswith("1 ") else "are"
    return f"{' and '.join(clauses)} {are} left out: {IMPOSSIBLE}" if clauses else ""


def _cores(base: Captures, new: Captures) -> str:
    base_counts, new_counts = (
        sorted({capture.cores for capture in side if capture.cores}) for side in (base, new)
    )
    if base_counts == new_counts or not base_counts or not new_counts:
        return ""
    return f"iterations rest on {_list_counts(base_counts)} and {_list_counts(new_counts)} cores"


def _list_counts(counts: Sequence[int]) -> str:
    return " or ".join(map(str, counts))


_DIFFERENCES: Mapping[Condition, Callable[[Captures, Captures], str]] = {
    "size": partial(_differ, keys=("M", "K", "N"), what="the GEMM's size"),
    "grid": partial(_differ, keys=("rows", "cols"), what="the grid of cores"),
    "cores": _cores,
    "clock": partial(_differ, keys=("clock_hz",), what="the clock"),
    "data type": partial(_differ, keys=("mac_dtype",), what="the data type"),
    "tile": partial(_differ, keys=("m", "k", "n"), what="the kernel's tile"),
}
"""Condition -> function that describes how two sides violate it; it returns "" if they meet it."""
