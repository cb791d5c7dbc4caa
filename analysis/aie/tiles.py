"""One row of numbers per traced tile, for the floor plan and the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from analysis.aie.iteration_parts import OWN_STALLS, PARTS, SLACK
from analysis.aie.kernel_kinds import counted_kernels


@dataclass(frozen=True)
class TileMetric:
    """A number of a tile: column name, label, unit as in the schema, and where it comes from."""

    name: str
    label: str
    unit: str
    event: str = ""


TILE_METRICS: Mapping[str, TileMetric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            TileMetric("median_kernel", "median kernel", "ticks"),
            TileMetric("gmacs", "GMAC/s, mean of complete perf iterations", "GMAC/s"),
            TileMetric("kernels", "kernels kept", "kernels"),
            TileMetric("left_out", "kernels left out", "kernels"),
            TileMetric("lock_stall", "lock stall", "ratio", "LOCK_STALL"),
            TileMetric("memory_stall", "memory stall", "ratio", "MEMORY_STALL"),
            TileMetric("stream_stall", "stream stall", "ratio", "STREAM_STALL"),
            TileMetric("cascade_stall", "cascade stall", "ratio", "CASCADE_STALL"),
            TileMetric("slack", "slack: waiting and early end", "ratio"),
            TileMetric("vector", "vector", "ratio", "INSTR_VECTOR"),
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
) -> pd.DataFrame:
    """Return one row per track: track, kind, row, col and every metric of TILE_METRICS as float64 (NaN: none).

    With `parts` (rows of `iteration_parts`) stalls are shares of the time in iterations that are the core's own, and
    there is slack; else they are shares of the traced time.
    `findings` counts warnings and errors whose location names the track.
    """
    table = tracks[["track", "kind", "row", "col"]].astype({"track": "str", "kind": "str"}).set_index("track")
    kept = kernels["kept"].astype(bool)
    counted = counted_kernels(kernels)
    table["median_kernel"] = _track_names(
        counted["duration"].astype("float64").groupby(counted["track"], observed=True).median()
    )
    cores = kernels["track"].unique().astype("str")
    for column, mask in (("kernels", kept), ("left_out", ~kept)):
        counts = _track_names(kernels.loc[mask, "track"].value_counts())
        table[column] = counts.reindex(cores, fill_value=0).astype("float64")
    perf = iterations[iterations["complete"].astype(bool) & (iterations["phase"] == "perf")]
    table["gmacs"] = _track_names(perf.groupby("track", observed=True)["gmacs_per_s"].mean())
    shares = _shares(activity)
    for metric in TILE_METRICS.values():
        if metric.event:
            table[metric.name] = shares.get(metric.event, np.nan)
    table["slack"] = np.nan
    for name, share in ({} if parts is None else _own_shares(parts)).items():
        own = share.reindex(table.index)
        # a core that does not trace a stall has none that is known
        table[name] = own if name == "slack" else own.where(table[name].notna())
    table["findings"] = _findings(table.index, diagnostics)
    return table.reset_index().astype(dict.fromkeys(TILE_METRICS, np.float64))


def _shares(activity: pd.DataFrame) -> Mapping[str, pd.Series[Any]]:
    """Return per event of TILE_METRICS that occurs its share of the traced time of each track."""
    wanted = activity[activity["name"].isin([metric.event for metric in TILE_METRICS.values()])]
    keys = [wanted[key].astype("str") for key in ("name", "track")]
    total = wanted["share"].groupby(keys).sum()
    return {event: total.loc[event] for event in total.index.unique("name")}


def _own_shares(parts: pd.DataFrame) -> Mapping[str, pd.Series[Any]]:
    """Return per stall and of the slack the share of each core's time in iterations."""
    sums = parts.groupby(parts["track"].astype("str"))[["elapsed", *PARTS]].sum()
    columns = {**OWN_STALLS, "slack": SLACK}
    return {name: sums[[*of]].sum(axis=1) / sums["elapsed"] for name, of in columns.items()}


def _track_names(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return values of tracks by name instead of category."""
    return values.set_axis(values.index.astype("str"))


def _findings(tracks: pd.Index[str], diagnostics: pd.DataFrame) -> pd.Series[float]:
    """Count warnings and errors per track that their location names."""
    serious = diagnostics.loc[diagnostics["severity"].isin(["error", "warning"]), "location"].astype("str")
    counts = [sum(_names(place, track) for place in serious) for track in tracks]
    return pd.Series(counts, index=tracks, dtype="float64")


def _names(place: str, track: str) -> bool:
    at = place.find(track)
    return at >= 0 and not place[at + len(track) : at + len(track) + 1].isdigit()
