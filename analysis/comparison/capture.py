"""Samples of an array's capture: its complete perf iterations, and the part of each
tile in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.gemm import Gemm, read_gemm
from analysis.aie.headline import mean_rate
from analysis.aie.iteration_parts import OWN_STALLS, SLACK, adjacent_rows
from analysis.aie.iterations import measured_iterations, system_mask
from analysis.aie.kernel_kinds import MAIN
from analysis.comparison.sampled import Samples
from analysis.statistics.grouped import GroupedValues
from schema.array_types import Floats, Ints
from schema.comparison import CAPTURE, TILE, WARMUP
from schema.peak_rates import RATES, exceeds_peak

Values = tuple[Samples, float | None]
"""Samples, and the number that summarises them."""
OF_RATES = frozenset((*RATES, WARMUP))
"""Metrics that are no usable measure if rates of a capture exceed the peak."""
_NO_ITERATION = -1
"""Iteration of a kernel that is in none."""


@dataclass(frozen=True)
class ModelError:
    """Error of a prediction: residuals of the whole run by metric, and the predicted cycles of a
    kernel, from which the residual of each iteration follows.
    """

    residuals: Mapping[str, float | None]
    kernel_cycles: float | None = None


NO_MODEL = ModelError({})
"""Of a capture without a prediction."""


class KernelTimes(NamedTuple):
    """Kernels of a capture, an element each: number of the core in `cores` (track names, sorted),
    iteration, duration (ticks).
    """

    cores: list[str]
    core: Ints
    iteration: Ints
    duration: Floats


@dataclass(frozen=True)
class Capture:
    """Frames of a capture, computed by one method: `run` as a record, iterations, kernels, and
    `parts` (`iteration_parts`, sorted by track and iteration).

    `columns` maps each core to its column of the array. `model` is the error of a performance
    model's prediction.
    """

    run_id: str
    run: Mapping[str, object]
    iterations: pd.DataFrame
    kernels: pd.DataFrame
    parts: pd.DataFrame
    columns: Mapping[str, int]
    model: ModelError = NO_MODEL

    @cached_property
    def gemm(self) -> Gemm:
        """The GEMM settings (sizes, tiling, cores, clock) of the capture's run."""
        return read_gemm(dict(self.run))

    @cached_property
    def compared_rows(self) -> pd.DataFrame:
        """Rows of frame `iterations` for the whole array in the capture's compared iterations, in
        order: complete perf iterations with the largest number of cores. May be empty.
        """
        return self.iterations[measured_iterations(self.iterations)]

    @cached_property
    def compared_numbers(self) -> Ints:
        """Numbers of the capture's compared iterations, in order."""
        numbers: Ints = self.compared_rows["iteration"].to_numpy(np.int64)
        return numbers

    @cached_property
    def cores(self) -> int:
        """Number of cores on which the capture's compared iterations are based, 0 without such
        iterations.
        """
        return int(self.compared_rows["cores"].max()) if len(self.compared_rows) else 0

    @cached_property
    def tiles(self) -> list[str]:
        """Sorted track names of the capture's cores that have iterations; [] if no core has any."""
        return _number_cores(self.iterations["track"].array[~system_mask(self.iterations)])[0]

    @cached_property
    def durations(self) -> KernelTimes:
        """Main kernels of the capture's compared iterations. Kernels that are left out (`kept`
        False) are missing.
        """
        kernels = self.kernels
        iteration = kernels["iteration"].to_numpy(np.int64, na_value=_NO_ITERATION)
        chosen = kernels["kept"].to_numpy(bool) & np.asarray(kernels["name"].array == MAIN, bool)
        chosen &= np.isin(iteration, self.compared_numbers)
        cores, core = _number_cores(kernels["track"].array[chosen])
        # A kernel that lost a marker has no duration, and is not kept.
        duration = kernels["duration"].array[chosen].to_numpy(np.float64)
        return KernelTimes(cores, core, iteration[chosen], duration)

    @cached_property
    def of_iterations(self) -> tuple[Ints, GroupedValues]:
        """Numbers of the iterations with a kernel in `durations`, and these durations (ticks) by
        iteration.
        """
        kernels = self.durations
        groups = GroupedValues.of(kernels.duration, kernels.iteration)
        return kernels.iteration[groups.places], groups

    @cached_property
    def split(self) -> pd.DataFrame:
        """Rows of `iteration_parts` (ticks) for the capture's compared iterations, sorted by track
        and iteration.
        """
        chosen = np.isin(self.parts["iteration"].to_numpy(np.int64), self.compared_numbers)
        return self.parts[chosen].reset_index(drop=True)

    @cached_property
    def _times(self) -> dict[str, Floats]:
        """Map each stall, late start and both parts of the slack to its ticks, an element per row
        of `split`.
        """
        causes = {**OWN_STALLS, **{name: (name,) for name in ("start_skew", *SLACK)}}
        return {
            name: np.sum([self.split[column].to_numpy(np.float64) for column in columns], axis=0)
            for name, columns in causes.items()
        }

    @cached_property
    def of_run(self) -> dict[str, Values]:
        """Map each metric of CAPTURE to (samples, number that summarises them) of the capture's
        whole array; metrics without samples are left out, and rates that are impossible.
        """
        values = {name: SAMPLES[name](self) for name in CAPTURE}
        left_out = OF_RATES if self.impossible_share is not None else ()
        return {
            name: samples
            for name, samples in values.items()
            if len(samples[0]) and name not in left_out
        }

    @cached_property
    def impossible_share(self) -> float | None:
        """Share of the peak (above 1) that the fastest compared iteration reaches; None if no such
        iteration exceeds the peak.
        """
        share = self.rated["utilization"].to_numpy(np.float64, na_value=np.nan)
        most = float(np.nanmax(share)) if np.isfinite(share).any() else None
        return most if exceeds_peak(most) else None

    def of_tile(self, tile: str) -> dict[str, Values]:
        """Map each metric of TILE to (samples, number that summarises them) of the core with this
        track name; metrics without samples are left out, {} for an unknown core.
        """
        samples = self._of_tiles.get(tile, {})
        return {name: samples[name] for name in TILE if name in samples and len(samples[name][0])}

    @cached_property
    def _of_tiles(self) -> dict[str, dict[str, Values]]:
        """Map each core of the capture (track name) to its metrics, and each metric to (samples per
        iteration, the number that summarises them, None if unknown).
        """
        elapsed, numbers = (self.split[name].to_numpy() for name in ("elapsed", "iteration"))
        by_tile: dict[str, dict[str, Values]] = {}
        for tile, rows in adjacent_rows(self.split["track"].tolist()):
            by_tile[tile] = {
                name: (
                    Samples(time[rows] / elapsed[rows], numbers[rows]),
                    _ratio(time[rows], elapsed[rows]),
                )
                for name, time in self._times.items()
            }
        for name, values in (("median_kernel", self._tile_kernels), ("span", self._tile_spans)):
            for tile, of_tile in values.items():
                by_tile.setdefault(tile, {})[name] = of_tile
        return by_tile

    @cached_property
    def _tile_kernels(self) -> dict[str, Values]:
        """Map each core to its median kernel duration (ticks) per compared iteration, and of all of
        them.
        """
        kernels = self.durations
        groups = GroupedValues.of(kernels.duration, kernels.core, kernels.iteration)
        core, iteration = (numbers[groups.places] for numbers in (kernels.core, kernels.iteration))
        medians = GroupedValues.of(kernels.duration, kernels.core).medians().tolist()
        return _by_core(kernels.cores, core, Samples(groups.medians(), iteration), medians)

    @cached_property
    def _tile_spans(self) -> dict[str, Values]:
        """Map each core to its spans (ticks, first start to last end) in complete compared
        iterations, and to their median.
        """
        rows = self.iterations
        numbers = rows["iteration"].to_numpy(np.int64)
        chosen = ~system_mask(rows) & rows["complete"].to_numpy(bool)
        chosen &= np.isin(numbers, self.compared_numbers)
        cores, core = _number_cores(rows["track"].array[chosen])
        order = np.lexsort((numbers[chosen], core))
        spans = rows["span"].to_numpy(np.float64)[chosen][order]
        medians = GroupedValues.of(spans, core[order]).medians().tolist()
        return _by_core(cores, core[order], Samples(spans, numbers[chosen][order]), medians)

    @cached_property
    def rated(self) -> pd.DataFrame:
        """Rows of the capture's compared iterations (`compared_rows`) with a known rate."""
        return self.compared_rows[self.compared_rows["gmacs_per_s"].notna()]

    @cached_property
    def rates(self) -> Values:
        """Rates (GMAC/s) of the rated iterations, and their summed work over their summed time."""
        return _rates(self.rated)

    @cached_property
    def _split_places(self) -> tuple[Ints, Ints]:
        """Numbers of the iterations of `split`, and the place of each of its rows among them."""
        iteration = self.split["iteration"].to_numpy(np.int64)
        return np.unique(iteration, return_inverse=True)

    def stall(self, name: str) -> Values:
        """Compute (samples, number) of a stall: its share (0 to 1) in the time of all cores per
        compared iteration, and over all these iterations. The number is `None` without iterations.
        """
        numbers, place = self._split_places
        elapsed = self.split["elapsed"].to_numpy(np.float64)
        time = self._times[name]
        whole, part = (
            np.bincount(place, weights=weights, minlength=len(numbers))
            for weights in (elapsed, time)
        )
        return Samples(part / whole, numbers), _ratio(time, elapsed)


def _mean_rate(capture: Capture) -> Values:
    return capture.rates


def _best_rate(capture: Capture) -> Values:
    samples, _ = capture.rates
    return samples, float(samples.values.max()) if len(samples) else None


def _worst_rate(capture: Capture) -> Values:
    samples, _ = capture.rates
    return samples, float(samples.values.min()) if len(samples) else None


def _warmup_rate(capture: Capture) -> Values:
    rows = capture.iterations
    chosen = (
        system_mask(rows)
        & rows["complete"].to_numpy(bool)
        & np.asarray(rows["phase"].array == "warmup", bool)
    )
    return _rates(rows[chosen & rows["gmacs_per_s"].notna().to_numpy(bool)])


def _rates(rows: pd.DataFrame) -> Values:
    """Compute (samples, number) of iterations: their rates (GMAC/s), and their summed work over
    their summed time; the number is `None` when no iteration has a rate.
    """
    rate, work = (rows[name].to_numpy(np.float64) for name in ("gmacs_per_s", "work_macs"))
    return Samples(rate, rows["iteration"].to_numpy(np.int64)), mean_rate(work, rate)


def _utilization(capture: Capture) -> Values:
    rows = capture.rated
    share, work = (rows[name].to_numpy(np.float64) for name in ("utilization", "work_macs"))
    has_share = share > 0
    # The total is weighted by time, so it may differ from the mean of the samples.
    cycles = (rows["elapsed"] * rows["cores"]).to_numpy(np.float64)
    shown = (
        capture.gemm.utilization(float(work.sum()), float(cycles.sum()), 1)
        if has_share.any()
        else None
    )
    return Samples(share[has_share], rows["iteration"].to_numpy(np.int64)[has_share]), shown


def _median_kernel(capture: Capture) -> Values:
    numbers, groups = capture.of_iterations
    return Samples(groups.medians(), numbers), _kernel_quantile(capture, 0.5)


def _p95_kernel(capture: Capture) -> Values:
    numbers, groups = capture.of_iterations
    return Samples(groups.quantiles(0.95), numbers), _kernel_quantile(capture, 0.95)


def _kernel_quantile(capture: Capture, share: float) -> float | None:
    """Compute the quantile `share` (0 to 1) of all kernel durations (ticks); `None` without
    kernels.
    """
    duration = capture.durations.duration
    return float(np.percentile(duration, 100 * share)) if len(duration) else None


def _model_compute(capture: Capture) -> Values:
    """Compute the size of the model's error per compared iteration, and of the whole run."""
    predicted = capture.model.kernel_cycles
    shown = capture.model.residuals.get("model_compute")
    if predicted is None or shown is None:
        return _NO_SAMPLES
    numbers, groups = capture.of_iterations
    medians = groups.medians()
    is_positive = medians > 0
    errors = np.abs((predicted - medians[is_positive]) / medians[is_positive])
    return Samples(errors, numbers[is_positive]), abs(shown)


def _model_error(capture: Capture, name: str) -> Values:
    """Return the size of a residual of the whole run as its only sample."""
    residual = capture.model.residuals.get(name)
    if residual is None:
        return _NO_SAMPLES
    return Samples(np.array([abs(residual)]), np.zeros(1, np.int64), "run"), abs(residual)


_NO_SAMPLES: Values = (Samples(np.empty(0), np.empty(0, np.int64)), None)
SAMPLES: Mapping[str, Callable[[Capture], Values]] = {
    "gmacs_mean": _mean_rate,
    "gmacs_best": _best_rate,
    "gmacs_worst": _worst_rate,
    "warmup_gmacs": _warmup_rate,
    "utilization": _utilization,
    "median_kernel": _median_kernel,
    "p95_kernel": _p95_kernel,
    **{name: partial(Capture.stall, name=name) for name in OWN_STALLS},
    "model_compute": _model_compute,
    **{name: partial(_model_error, name=name) for name in ("model_wait", "model_total")},
}
"""Metric of CAPTURE -> function that computes its samples and its number."""


def _number_cores(tracks: pd.Categorical) -> tuple[list[str], Ints]:
    """Return the names of tracks, sorted, and the number of each element's name among them."""
    used = np.unique(tracks.codes)
    names = [str(tracks.categories[code]) for code in used.tolist()]
    cores = sorted(names)
    numbers = np.zeros(len(tracks.categories), np.int64)
    numbers[used] = [cores.index(name) for name in names]
    return cores, numbers[tracks.codes]


def _by_core(
    cores: Sequence[str], core: Ints, samples: Samples, shown: Sequence[float]
) -> dict[str, Values]:
    """Map each core to its own samples and to its number in `shown`; `core` is the ascending number
    of the core of each sample.
    """
    edges = np.searchsorted(core, np.arange(len(cores) + 1)).tolist()
    return {
        name: (Samples(samples.values[first:last], samples.numbers[first:last]), number)
        for name, first, last, number in zip(cores, edges, edges[1:], shown, strict=False)
    }


def _ratio(part: Floats, whole: npt.NDArray[np.generic]) -> float | None:
    total = float(whole.sum(dtype=np.float64))
    return float(part.sum()) / total if total > 0 else None
