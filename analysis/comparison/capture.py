"""Samples of an array's capture: its complete perf iterations, and the part of each
tile in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.gemm import Gemm, read_gemm
from analysis.aie.headline import mean_rate
from analysis.aie.iteration_parts import OWN_STALLS, SLACK
from analysis.aie.iterations import measured_iterations, system_mask
from analysis.aie.kernel_kinds import MAIN
from analysis.comparison.sampled import Samples
from schema.array_types import Floats
from schema.comparison import CAPTURE, TILE

Values = tuple[Samples, float | None]
"""Samples, and the number that summarises them."""


@dataclass(frozen=True)
class ModelError:
    """Error of a prediction: residuals of the whole run by metric, and the predicted cycles of a
    kernel, from which the residual of each iteration follows.
    """

    residuals: Mapping[str, float | None]
    kernel_cycles: float | None = None


NO_MODEL = ModelError({})
"""Of a capture without a prediction."""


@dataclass(frozen=True)
class Capture:
    """Frames of a capture, computed by one method: `run` as a record, iterations, kernels, and
    `parts` (`iteration_parts`).

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
    def cores(self) -> int:
        """Number of cores on which the capture's compared iterations are based, 0 without such
        iterations.
        """
        return int(self.compared_rows["cores"].max()) if len(self.compared_rows) else 0

    @cached_property
    def tiles(self) -> list[str]:
        """Sorted track names of the capture's cores that have iterations; [] if no core has any."""
        own = ~system_mask(self.iterations)
        return sorted(self.iterations.loc[own, "track"].astype("str").unique())

    @cached_property
    def durations(self) -> pd.DataFrame:
        """Main kernels of the capture's compared iterations, a row each: track (str), iteration and
        duration (float64, ticks). Kernels that are left out (`kept` False) are missing.
        """
        kernels = self.kernels
        chosen = kernels["kept"].to_numpy(bool) & (kernels["name"] == MAIN).to_numpy(bool)
        chosen &= kernels["iteration"].isin(self.compared_rows["iteration"]).to_numpy(bool)
        # From arrays: a selection of rows and columns costs more than all else of a small capture.
        columns = {
            "track": kernels["track"].array[chosen].astype("str"),
            "iteration": np.asarray(kernels["iteration"].array[chosen], np.int64),
            "duration": kernels["duration"].to_numpy(np.float64, na_value=np.nan)[chosen],
        }
        return pd.DataFrame(columns, index=kernels.index[chosen])

    @cached_property
    def iteration_medians(self) -> pd.Series[float]:
        """Median duration (ticks) of the kernels in `durations` of each iteration, indexed by
        iteration.
        """
        return self.durations.groupby("iteration")["duration"].median()

    @cached_property
    def split(self) -> pd.DataFrame:
        """Rows of `iteration_parts` (ticks) for the capture's compared iterations, sorted by track
        and iteration.
        """
        rows = self.parts[self.parts["iteration"].isin(self.compared_rows["iteration"])]
        return rows.sort_values(["track", "iteration"], kind="stable", ignore_index=True)

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
        whole array; metrics without samples are left out.
        """
        values = {name: SAMPLES[name](self) for name in CAPTURE}
        return {name: samples for name, samples in values.items() if len(samples[0])}

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
        for tile, rows in self.split.groupby("track", sort=False).indices.items():
            by_tile[str(tile)] = {
                name: (
                    Samples(time[rows] / elapsed[rows], numbers[rows]),
                    _ratio(time[rows], elapsed[rows]),
                )
                for name, time in self._times.items()
            }
        for name, values in (("median_kernel", self._tile_kernels), ("span", self._tile_spans)):
            for tile, rows in values.groupby(level="track").indices.items():
                own = values.iloc[rows]
                samples = Samples(
                    own.to_numpy(np.float64),
                    own.index.get_level_values("iteration").to_numpy(np.int64),
                )
                by_tile.setdefault(str(tile), {})[name] = (
                    samples,
                    self._middles[name].get(str(tile)),
                )
        return by_tile

    @cached_property
    def _tile_kernels(self) -> pd.Series[float]:
        """Median kernel duration (ticks) in each compared iteration, indexed by track and
        iteration.
        """
        return self.durations.groupby(["track", "iteration"])["duration"].median()

    @cached_property
    def _tile_spans(self) -> pd.Series[float]:
        """Spans of cores (ticks, first start to last end) in complete compared iterations, indexed
        by track and iteration.
        """
        rows = self.iterations
        is_own = ~system_mask(rows) & rows["complete"].to_numpy(bool)
        chosen = is_own & rows["iteration"].isin(self.compared_rows["iteration"]).to_numpy(bool)
        track = rows["track"].array[chosen].astype("str")
        places = pd.MultiIndex.from_arrays(
            [track, rows["iteration"].to_numpy()[chosen]], names=["track", "iteration"]
        )
        spans = rows["span"].to_numpy(np.float64)[chosen]
        return pd.Series(spans, index=places, name="span").sort_index()

    @cached_property
    def _middles(self) -> dict[str, dict[str, float]]:
        """Map `median_kernel` and `span` to the median of all kernels' durations and of spans
        (ticks) of each core: metric -> core -> ticks.
        """
        kernels = self.durations.groupby("track")["duration"].median()
        return {
            "median_kernel": kernels.to_dict(),
            "span": self._tile_spans.groupby(level="track").median().to_dict(),
        }

    @cached_property
    def rated(self) -> pd.DataFrame:
        """Rows of the capture's compared iterations (`compared_rows`) with a known rate."""
        return self.compared_rows[self.compared_rows["gmacs_per_s"].notna()]

    def stall(self, name: str) -> Values:
        """Compute (samples, number) of a stall: its share (0 to 1) in the time of all cores per
        compared iteration, and over all these iterations. The number is `None` without iterations.
        """
        numbers, place = np.unique(self.split["iteration"].to_numpy(np.int64), return_inverse=True)
        elapsed = self.split["elapsed"].to_numpy(np.float64)
        time = self._times[name]
        whole, part = (
            np.bincount(place, weights=weights, minlength=len(numbers))
            for weights in (elapsed, time)
        )
        return Samples(part / whole, numbers), _ratio(time, elapsed)


def _mean_rate(capture: Capture) -> Values:
    return _rates(capture.rated)


def _best_rate(capture: Capture) -> Values:
    samples, _ = _rates(capture.rated)
    return samples, float(samples.values.max()) if len(samples) else None


def _worst_rate(capture: Capture) -> Values:
    samples, _ = _rates(capture.rated)
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
    return _kernel_samples(capture.durations, capture.iteration_medians, 0.5)


def _p95_kernel(capture: Capture) -> Values:
    return _kernel_samples(
        capture.durations, capture.durations.groupby("iteration")["duration"].quantile(0.95), 0.95
    )


def _kernel_samples(
    durations: pd.DataFrame, per_iteration: pd.Series[float], share: float
) -> Values:
    """Return (samples, number): `per_iteration`, the quantile of each iteration in ticks, and the
    quantile `share` (0 to 1) of all durations. The number is `None` if there are no kernels.
    """
    shown = float(durations["duration"].quantile(share)) if len(durations) else None
    return Samples(
        per_iteration.to_numpy(np.float64), per_iteration.index.to_numpy(np.int64)
    ), shown


def _model_compute(capture: Capture) -> Values:
    """Compute the size of the model's error per compared iteration, and of the whole run."""
    predicted = capture.model.kernel_cycles
    shown = capture.model.residuals.get("model_compute")
    if predicted is None or shown is None:
        return _NO_SAMPLES
    medians = capture.iteration_medians[capture.iteration_medians > 0]
    errors = ((predicted - medians) / medians).abs()
    return Samples(errors.to_numpy(np.float64), errors.index.to_numpy(np.int64)), abs(shown)


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


def _ratio(part: Floats, whole: npt.NDArray[np.generic]) -> float | None:
    total = float(whole.sum(dtype=np.float64))
    return float(part.sum()) / total if total > 0 else None
