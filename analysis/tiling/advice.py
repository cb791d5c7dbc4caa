"""Advise on the tile size of a GEMM, from measured sizes and a model fitted to them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from analysis.tiling.array_gemm import Whole, array_tile, fitting_tiles
from analysis.tiling.kernel_period import MIN_SIZES, PeriodModel, fit_period
from schema.array_types import Ints

Size = tuple[int, int, int]
"""m, k, n of a tile."""


@dataclass(frozen=True)
class MeasuredRun:
    """A run of the GEMM with a tile size, and its rate in GMAC/s."""

    run_id: str
    size: Size
    gmacs: float


@dataclass(frozen=True)
class MeasuredSize:
    """A tile size that was measured.

    `runs` is the number of runs, `gmacs` their median rate in GMAC/s, `run_id` the fastest run;
    `won` is True for the size with the highest rate.
    """

    size: Size
    runs: int
    gmacs: float
    run_id: str
    won: bool


@dataclass(frozen=True)
class PredictedSize:
    """A tile size that was not measured: its predicted rate in GMAC/s, and the bounds `low` and
    `high` of the 95 % interval.
    """

    size: Size
    gmacs: float
    low: float
    high: float


@dataclass(frozen=True)
class RefusedSize:
    """A tile size without a prediction, with the reason."""

    size: Size
    reason: str


@dataclass(frozen=True)
class BestSize:
    """The recommended tile size, its rate in GMAC/s, and whether the rate was measured."""

    size: Size
    gmacs: float
    measured: bool


@dataclass(frozen=True)
class Advice:
    """Measured and predicted sizes, the best first, refused sizes, and the recommended size.

    Refused sizes are sorted by distance from the measured sizes, the nearest first. `best` is None
    without measured sizes.
    """

    measured: tuple[MeasuredSize, ...]
    model: PeriodModel | None
    predicted: tuple[PredictedSize, ...]
    refused: tuple[RefusedSize, ...]
    best: BestSize | None

    @property
    def shared_reason(self) -> str:
        """Reason of all refused sizes of the advice, if at least two sizes are refused and all for
        the same reason; else "".
        """
        reasons = {refused.reason for refused in self.refused}
        return reasons.pop() if len(reasons) == 1 and len(self.refused) > 1 else ""


def advise_size(whole: Whole, runs: Sequence[MeasuredRun]) -> Advice:
    """Compute the advice for a GEMM from runs with different tile sizes.

    With fewer than MIN_SIZES (6) measured sizes, or if no model fits, `model` is None and all other
    sizes are refused. Without runs `best` is None.
    """
    measured = _measured_sizes(runs)
    sizes = [entry.size for entry in measured]
    candidates = [size for size in fitting_tiles(whole) if size not in set(sizes)]
    model = _fit_model(whole, measured)
    if model is None:
        reason = _few_words(len(sizes))
        return Advice(
            measured,
            None,
            (),
            tuple(RefusedSize(size, reason) for size in candidates),
            _best(measured, ()),
        )
    reasons = {size: _outside(size, sizes) for size in candidates}
    predicted = _predict_sizes(
        whole, model, [size for size, reason in reasons.items() if not reason]
    )
    outside = sorted(
        (size for size, reason in reasons.items() if reason),
        key=lambda size: (_distance(size, sizes), size),
    )
    refused = tuple(RefusedSize(size, reasons[size]) for size in outside)
    return Advice(measured, model, predicted, refused, _best(measured, predicted))


def _measured_sizes(runs: Sequence[MeasuredRun]) -> tuple[MeasuredSize, ...]:
    by_size: defaultdict[Size, list[MeasuredRun]] = defaultdict(list)
    for run in runs:
        by_size[run.size].append(run)
    rates = {size: median(run.gmacs for run in same) for size, same in by_size.items()}
    ranked = sorted(by_size, key=lambda size: (-rates[size], size))
    best = {
        size: max(same, key=lambda run: (run.gmacs, run.run_id)).run_id
        for size, same in by_size.items()
    }
    return tuple(
        MeasuredSize(size, len(by_size[size]), rates[size], best[size], size == ranked[0])
        for size in ranked
    )


def _fit_model(whole: Whole, measured: Sequence[MeasuredSize]) -> PeriodModel | None:
    tiles = np.array([entry.size for entry in measured], np.int64).reshape(-1, 3)
    macs = whole.M * whole.K * whole.N
    # 1 GMAC/s is 1 MAC per ns, so that periods are ns.
    periods = np.array([macs / entry.gmacs / _kernels(whole, entry.size) for entry in measured])
    return fit_period(tiles, periods, whole.element_bytes)


def _kernels(whole: Whole, size: Size) -> int:
    return array_tile(whole, *size).kernels_per_core


def _predict_sizes(
    whole: Whole, model: PeriodModel, sizes: Sequence[Size]
) -> tuple[PredictedSize, ...]:
    tiles: Ints = np.array(sizes, np.int64).reshape(-1, 3)
    periods = model.period(tiles, whole.element_bytes)
    macs = whole.M * whole.K * whole.N
    width = model.width
    rates = [
        macs / (_kernels(whole, size) * period) for size, period in zip(sizes, periods, strict=True)
    ]
    predictions = [
        PredictedSize(size, float(rate), float(rate / (1 + width)), float(rate * (1 + width)))
        for size, rate in zip(sizes, rates, strict=True)
    ]
    return tuple(sorted(predictions, key=lambda prediction: (-prediction.gmacs, prediction.size)))


def _few_words(measured: int) -> str:
    return f"a prediction needs {MIN_SIZES} measured sizes, but the runs have {measured}"


def _outside(size: Size, measured: Sequence[Size]) -> str:
    """Describe in a clause the dimensions of a size that are outside the measured range (also the
    product m k n); "" if there are none.
    """
    texts = []
    for name, value, values in _extents(size, measured):
        low = min(values)
        high = max(values)
        if not low <= value <= high:
            texts.append(f"{name} = {value} is outside of the measured {low} to {high}")
    return "; ".join(texts)


def _distance(size: Size, measured: Sequence[Size]) -> float:
    """Compute the distance from a size to the measured range in doublings, summed over m, k, n and
    m k n; 0 inside.
    """
    spans = [(value, min(values), max(values)) for _, value, values in _extents(size, measured)]
    return sum(
        max(math.log2(low / value), math.log2(value / high), 0.0) for value, low, high in spans
    )


def _extents(size: Size, measured: Sequence[Size]) -> list[tuple[str, int, list[int]]]:
    parts = [(name, size[at], [other[at] for other in measured]) for at, name in enumerate("mkn")]
    return [*parts, ("m k n", _volume(size), [_volume(other) for other in measured])]


def _volume(size: Size) -> int:
    return size[0] * size[1] * size[2]


def _best(measured: Sequence[MeasuredSize], predicted: Sequence[PredictedSize]) -> BestSize | None:
    """Return the best measured size, or the first predicted size whose whole interval is above its
    rate; None without measured sizes.
    """
    if not measured:
        return None
    first = measured[0]
    better = next((candidate for candidate in predicted if candidate.low > first.gmacs), None)
    return (
        BestSize(first.size, first.gmacs, True)
        if better is None
        else BestSize(better.size, better.gmacs, False)
    )
