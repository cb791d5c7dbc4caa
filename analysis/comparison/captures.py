"""Captures of an array against each other: which numbers can be compared, and what came of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.comparison.capture import Capture, Values
from analysis.comparison.rows import Row, Subject, Thresholds
from analysis.comparison.sampled import families, sampled_row
from analysis.comparison.verdict import incomparable
from schema.comparison import CAPTURE, TILE, ComparedMetric

_SIZE, _TILING, _GRID = ("M", "K", "N"), ("m", "k", "n"), ("rows", "cols")
_IN_SECONDS = ("gmacs_mean", "gmacs_best", "gmacs_worst", "warmup_gmacs")
_OF_KERNELS = ("median_kernel", "p95_kernel")


def capture_rows(base: Sequence[Capture], new: Sequence[Capture], thresholds: Thresholds) -> list[Row]:
    """Return the rows of the runs, then those of their tiles; `thresholds` maps metrics to a user's own."""
    rows = [
        row
        for metric in CAPTURE.values()
        if (
            row := _row(
                Subject.of(metric, thresholds), _of_run(base, metric), _of_run(new, metric), _why(base, new, metric)
            )
        )
    ]
    shared, _, _ = tiles(base, new)
    return rows + families([row for tile in shared for row in _tile_rows(base, new, tile, thresholds)])


def tiles(base: Sequence[Capture], new: Sequence[Capture]) -> tuple[list[str], list[str], list[str]]:
    """Return the cores that both sides have, those that the base alone has, and those that the new alone has."""
    one, other = ({tile for capture in side for tile in capture.tiles} for side in (base, new))
    return sorted(one & other), sorted(one - other), sorted(other - one)


def _tile_rows(base: Sequence[Capture], new: Sequence[Capture], tile: str, thresholds: Thresholds) -> Iterator[Row]:
    """Give the rows of a core."""
    one, other = ([capture.of_tile(tile) for capture in side] for side in (base, new))
    for name, metric in TILE.items():
        values = [[of_run.get(name) for of_run in side] for side in (one, other)]
        row = _row(Subject.of(metric, thresholds, "tile", tile), values[0], values[1], _why_tile(base, new, metric))
        if row is not None:
            yield row


def _of_run(side: Sequence[Capture], metric: ComparedMetric) -> list[Values | None]:
    return [capture.of_run.get(metric.name) for capture in side]


def _row(about: Subject, base: list[Values | None], new: list[Values | None], reason: str) -> Row | None:
    """Return the row of a metric; none where neither side has a number."""
    sides = [[values for values in side if values is not None] for side in (base, new)]
    if not any(sides):
        return None
    shown = (_shown(sides[0]), _shown(sides[1]))
    samples = [[samples for samples, _ in side] for side in sides]
    if reason:
        counts = (sum(map(len, samples[0])), sum(map(len, samples[1])))
        return about.row(shown, incomparable(reason), counts)
    return sampled_row(about, samples[0], samples[1], shown)


def _shown(side: list[Values]) -> float | None:
    """Return the mean of the runs' numbers."""
    known = [number for _, number in side if number is not None]
    return sum(known) / len(known) if known else None


def _why(base: Sequence[Capture], new: Sequence[Capture], metric: ComparedMetric) -> str:
    """Return why a number of the runs cannot be compared, empty where it can."""
    if metric.name in _OF_KERNELS:
        return _differ(base, new, _TILING, "the kernel's tile")
    reasons = (
        _differ(base, new, _SIZE, "the GEMM's size"),
        _differ(base, new, _GRID, "the grid of cores"),
        _cores(base, new),
        _differ(base, new, ("clock_hz",), "the clock") if metric.name in _IN_SECONDS else "",
        _differ(base, new, ("mac_dtype",), "the data type") if metric.name == "utilization" else "",
    )
    return next(filter(None, reasons), "")


def _why_tile(base: Sequence[Capture], new: Sequence[Capture], metric: ComparedMetric) -> str:
    if metric.name in _OF_KERNELS:
        return _differ(base, new, _TILING, "the kernel's tile")
    return _differ(base, new, _SIZE, "the GEMM's size") or _differ(base, new, _GRID, "the grid of cores")


def _differ(base: Sequence[Capture], new: Sequence[Capture], keys: tuple[str, ...], what: str) -> str:
    """Return how the sides differ in settings, in words; empty where they do not."""
    one, other = (sorted({_text(capture, keys) for capture in side}) for side in (base, new))
    return "" if one == other else f"{what} differs ({', '.join(keys)}: {', '.join(one)} and {', '.join(other)})"


def _text(capture: Capture, keys: tuple[str, ...]) -> str:
    return "x".join(_value(key, capture.run.get(key)) for key in keys)


def _value(key: str, value: object) -> str:
    if value is None:
        return "?"
    if key == "clock_hz" and isinstance(value, float):
        return f"{value / 1e9:g} GHz"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _cores(base: Sequence[Capture], new: Sequence[Capture]) -> str:
    one, other = (sorted({capture.cores for capture in side if capture.cores}) for side in (base, new))
    if one == other or not one or not other:
        return ""
    return f"iterations rest on {_listed(one)} and {_listed(other)} cores"


def _listed(counts: Sequence[int]) -> str:
    return " or ".join(map(str, counts))
