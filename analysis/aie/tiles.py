"""Compute a row of numbers per traced tile, for the floor plan and the tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from analysis.aie.iteration_parts import OWN_STALLS, SLACK
from analysis.aie.kernel_kinds import counted_mask
from schema.array_types import Bools, Floats, Ints


@dataclass(frozen=True)
class TileMetric:
    """A number of a tile: column name, label, unit as in the schema, and its event, if any.

    `share_of` follows a share and names its whole.
    """

    name: str
    label: str
    unit: str
    event: str = ""
    share_of: str = ""


TILE_METRICS: Mapping[str, TileMetric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            TileMetric("median_kernel", "median kernel", "ticks"),
            TileMetric("gmacs", "GMAC/s, mean of complete perf iterations", "GMAC/s"),
            TileMetric("kernels", "kernels kept", "kernels"),
            TileMetric("left_out", "kernels left out", "kernels"),
            TileMetric("lock_stall", "lock stall", "ratio", "LOCK_STALL", "of the time"),
            TileMetric("memory_stall", "memory stall", "ratio", "MEMORY_STALL", "of the time"),
            TileMetric("stream_stall", "stream stall", "ratio", "STREAM_STALL", "of the time"),
            TileMetric("cascade_stall", "cascade stall", "ratio", "CASCADE_STALL", "of the time"),
            TileMetric("slack", "slack: waiting and early end", "ratio", share_of="of the time"),
            TileMetric(
                "waits_for",
                "waits for the core that sets the pace",
                "ratio",
                share_of="of the time",
            ),
            TileMetric("vector", "vector", "ratio", "INSTR_VECTOR", "of traced time"),
            TileMetric("findings", "findings", "findings"),
        )
    }
)


def tile_table(
    tracks: pd.DataFrame,
    kernels: pd.DataFrame,
    iterations: pd.DataFrame,
    activity: pd.DataFrame,
    diagnostics: pd.DataFrame,
    *,
    parts: pd.DataFrame | None = None,
    parts_in: Bools | None = None,
    waits: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Compute a row per track: track, kind, row, col, slice and every metric of TILE_METRICS.

    Metrics are float64, NaN if a track has no number; shares are 0 to 1, durations ticks. If
    `parts` (frame `iteration_parts`; `parts_in` is a mask of the rows that count, by default all) is
    given, stalls are the core's own, as shares of the time in iterations, and there is slack; else
    stalls are shares of the traced time. `waits` has the share of the time that a core waits for
    another. `findings` counts warnings and errors with a location that names the track.
    """
    names = pd.Index(tracks["track"].astype("str"))
    table = {"track": names, "kind": tracks["kind"].astype("str").array, "row": tracks["row"].array}
    numbers = dict.fromkeys(TILE_METRICS, np.full(len(names), np.nan))
    numbers |= _kernel_numbers(kernels, names)
    is_perf = np.asarray(iterations["phase"].array == "perf", bool)
    perf = is_perf & iterations["complete"].to_numpy(bool)
    numbers["gmacs"] = _means(
        _places(iterations["track"], names)[perf],
        iterations["gmacs_per_s"].to_numpy(np.float64, na_value=np.nan)[perf],
        len(names),
    )
    shares = _shares(activity, names)
    numbers |= {
        metric.name: shares[metric.event]
        for metric in TILE_METRICS.values()
        if metric.event in shares
    }
    for name, own in ({} if parts is None else _own_shares(parts, parts_in, names)).items():
        # A stall is unknown, not 0, if the core does not trace it.
        numbers[name] = own if name == "slack" else np.where(np.isnan(numbers[name]), np.nan, own)
    numbers["waits_for"] = np.array(
        [(waits or {}).get(name, np.nan) for name in names], dtype=np.float64
    )
    numbers["findings"] = _findings(names, diagnostics)
    table |= {"col": tracks["col"].array, "slice": _slices(tracks)}
    return pd.DataFrame({**table, **numbers})


def _slices(tracks: pd.DataFrame) -> list[str]:
    """Return the slice of the trace buffer that has each track, "" without slices."""
    if "slice" not in tracks:
        return [""] * len(tracks)
    labels: list[str] = tracks["slice"].fillna("").astype(str).tolist()
    return labels


def _kernel_numbers(kernels: pd.DataFrame, names: pd.Index[str]) -> dict[str, Floats]:
    """Map `median_kernel` (ticks), `kernels` (number that are kept) and `left_out` (number) to an
    array with an element per track, in the order of `names`; NaN for tracks without kernels.
    """
    at = _places(kernels["track"], names)
    is_counted = kernels["kept"].to_numpy(dtype=bool)
    has_kernels = np.bincount(at[at >= 0], minlength=len(names)) > 0
    rows = {"kernels": (at >= 0) & is_counted, "left_out": (at >= 0) & ~is_counted}
    counts = {name: np.bincount(at[mask], minlength=len(names)) for name, mask in rows.items()}
    counted = counted_mask(kernels)
    durations = kernels["duration"].to_numpy(np.float64, na_value=np.nan)
    medians = _medians(at[counted], durations[counted], len(names))
    return {"median_kernel": medians} | {
        name: np.where(has_kernels, count.astype(np.float64), np.nan)
        for name, count in counts.items()
    }


def _places(column: pd.Series[Any], names: pd.Index[str]) -> Ints:
    """Return the position (from 0) of each row's track among `names`, -1 if it is missing.

    Categories are looked up once, not per row.
    """
    place = {name: at for at, name in enumerate(names.tolist())}
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return np.array([place.get(str(name), -1) for name in column.tolist()], dtype=np.int64)
    categories = column.dtype.categories.tolist()
    places = np.array([*(place.get(str(name), -1) for name in categories), -1], np.int64)
    return np.asarray(places[column.cat.codes.to_numpy()], dtype=np.int64)


def _means(at: Ints, values: Floats, count: int) -> Floats:
    """Return the mean of the values at each place from 0 to `count` - 1; NaN without values. Values
    that are NaN, and places of -1, do not count.
    """
    groups = _group(at, values, count)
    return np.array([math.fsum(own) / len(own) if len(own) else np.nan for own in groups])


def _medians(at: Ints, values: Floats, count: int) -> Floats:
    """Return the median of the values at each place, as `_means` returns their mean."""
    groups = _group(at, values, count)
    return np.array([np.median(own) if len(own) else np.nan for own in groups])


def _group(at: Ints, values: Floats, count: int) -> list[Floats]:
    """Return the values at each place from 0 to `count` - 1, without NaN."""
    known = (at >= 0) & ~np.isnan(values)
    places = at[known]
    order = np.argsort(places, kind="stable")
    bounds = np.searchsorted(places[order], np.arange(1, count))
    return np.split(values[known][order], bounds)[:count]


def _shares(activity: pd.DataFrame, names: pd.Index[str]) -> dict[str, Floats]:
    """Map each event of TILE_METRICS that occurs to its summed share (0 to 1) of the traced time of
    each track, in the order of `names`; NaN for tracks without the event.
    """
    at = _places(activity["track"], names)
    events = activity["name"].astype("str").to_numpy(dtype=object)
    share = activity["share"].to_numpy(dtype=np.float64, na_value=np.nan)
    shares = {}
    for event in {metric.event for metric in TILE_METRICS.values() if metric.event}.intersection(
        events
    ):
        rows = (events == event) & (at >= 0)
        shares[event] = _sums(at[rows], share[rows], len(names))
    return shares


def _sums(at: Ints, values: Floats, count: int) -> Floats:
    """Sum the values at each place from 0 to `count` - 1, ignoring NaN; NaN if a place
    has no rows.
    """
    is_known = ~np.isnan(values)
    sums = np.bincount(at[is_known], weights=values[is_known], minlength=count)
    return np.where(np.bincount(at, minlength=count) > 0, sums, np.nan)


def _own_shares(
    parts: pd.DataFrame, parts_in: Bools | None, names: pd.Index[str]
) -> dict[str, Floats]:
    """Map each stall of OWN_STALLS and `slack` to its shares (0 to 1) of the time in iterations, a
    number per track in the order of `names`. Stalls are the core's own; NaN for tracks without
    iterations.
    """
    columns = {**OWN_STALLS, "slack": SLACK, "elapsed": ("elapsed",)}
    part_names = [*dict.fromkeys(part for of in columns.values() for part in of)]
    at = _places(parts["track"], names)
    rows = at >= 0 if parts_in is None else (at >= 0) & parts_in
    sums = {
        part: _sums(at[rows], parts[part].to_numpy(np.float64)[rows], len(names))
        for part in part_names
    }
    totals = {name: np.sum([sums[part] for part in of], axis=0) for name, of in columns.items()}
    elapsed = totals.pop("elapsed")
    # Iterations may take no time.
    with np.errstate(divide="ignore", invalid="ignore"):
        return {name: total / elapsed for name, total in totals.items()}


def _findings(tracks: pd.Index[str], diagnostics: pd.DataFrame) -> Floats:
    """Count for each track, in order, the warnings and errors with a location that names the track;
    0 without any. `core 1` in a location is not found in `core 12`.
    """
    severity = diagnostics["severity"].array
    is_serious = np.asarray((severity == "error") | (severity == "warning"), bool)
    serious = [str(place) for place in diagnostics["location"].array[is_serious]]
    return np.array(
        [sum(_names(place, track) for place in serious) for track in tracks], dtype=np.float64
    )


def _names(place: str, track: str) -> bool:
    at = place.find(track)
    # "core 1" must not match "core 12".
    return at >= 0 and not place[at + len(track) : at + len(track) + 1].isdigit()
