"""Rate per iteration: bars of the whole array by phase, points of the tiles, and the peak rate as a
line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.aie.iterations import measured_iterations
from analysis.selection import Selection
from analysis.timeline.rows import SYSTEM
from components.aie.counted_iterations import shown_track
from components.aie.iteration_bars import phase_bars
from components.figure import Figure
from components.graph import empty_figure, figure
from components.index_axis import index_axis
from components.numbers import gmacs, plain
from components.theme import palette
from components.tick_formats import NUMBER_TICKS
from schema.array_types import Floats, Ints

_HEIGHT = 270
_MAX_TILE_POINTS = 2_000
"""Points of tiles that are drawn; of more points every n-th is drawn."""
_PEAK_SETTINGS = ("peak_macs_per_cycle", "clock_hz")
"""Columns of frame `run` that a peak depends on."""


@dataclass(frozen=True)
class Peak:
    """Peak rate of a run's iterations in GMAC/s: `core` of a single core, `system` of all cores
    that the iterations use.

    If some cores of the array were not traced, the peak covers the remaining cores, as in the
    waterfall. A rate is None if it is unknown.
    """

    core: float | None = None
    system: float | None = None

    @classmethod
    def of(cls, run: pd.DataFrame, iterations: pd.DataFrame) -> Peak:
        """Compute the peak in GMAC/s from peak_macs_per_cycle and clock_hz of a frame `run` and the
        largest number of cores of the measured iterations.

        Rates are None if a setting is missing; `system` also if there are no measured iterations.
        """
        settings = [run[name].iloc[0] for name in _PEAK_SETTINGS] if len(run) else [pd.NA]
        if pd.isna(settings).any():
            return cls()
        core = float(settings[0]) * float(settings[1]) / 1e9
        cores = iterations["cores"][measured_iterations(iterations)]
        return cls(core, core * int(cores.max()) if len(cores) else None)


def iterations(
    frame: pd.DataFrame,
    selection: Selection,
    theme: str,
    *,
    reference: pd.DataFrame | None = None,
    peak: Peak | None = None,
) -> Figure:
    """Draw GMAC/s per iteration from a frame `iterations`; if the work is unknown, spans in ticks.

    Bars are the iterations of the whole array, or of the selected tile. `reference` is the same
    frame computed by the other method. A click's customdata is [iteration, track]. When there are
    no iterations, the figure shows only a sentence.
    """
    track = shown_track(frame, selection)
    places = np.flatnonzero(frame["track"].array == track)
    shown = frame.iloc[places[frame["iteration"].to_numpy()[places].argsort()]]
    if not len(shown):
        return empty_figure(
            "No iterations: no kernels were found between long lock stalls.", theme, _HEIGHT
        )
    rated = bool(shown["gmacs_per_s"].notna().any())
    value = "gmacs_per_s" if rated else "span"
    traces = [
        *phase_bars(shown, value, selection, theme),
        *_tile_points(frame, value, track, theme),
    ]
    if reference is not None:
        own = np.asarray(reference["track"].array == track, bool)
        traces += _reference_marks(reference[["iteration", "track", value]][own], value, theme)
    peak_rate = None
    if peak is not None and rated:
        peak_rate = peak.system if track == SYSTEM else peak.core
    return figure(traces, _layout(shown, value, peak_rate, theme), theme)


def _tile_points(frame: pd.DataFrame, value: str, track: str, theme: str) -> list[dict[str, Any]]:
    """Build small points with the values of single cores, spread around the bars of the whole
    array.

    A core's rate is multiplied by the number of cores, so that it is comparable with the array's
    rate. Returns an empty list if the bars are of one tile. Beyond 2,000 points every n-th is
    drawn.
    """
    of_tiles = np.asarray(frame["track"].array != SYSTEM, bool)
    places = np.flatnonzero(of_tiles & frame["complete"].to_numpy(bool))
    if track != SYSTEM or not len(places):
        return []
    # Division rounded up, so that the points do not exceed the limit.
    drawn = places[:: max(1, -(-len(places) // _MAX_TILE_POINTS))]
    names = pd.Categorical(frame["track"].array[drawn])
    number = frame["iteration"].to_numpy()[drawn]
    rates = frame["gmacs_per_s"].to_numpy(np.float64)[drawn]
    height = frame[value].to_numpy(dtype=np.float64, na_value=np.nan)[drawn]
    scale = _core_counts(number, names) if value == "gmacs_per_s" else 1.0
    is_ranked = isinstance(frame["track"].dtype, pd.CategoricalDtype)
    # Nine columns of points within the width of a bar, so that tiles do not cover each other.
    spread = ((names.codes if is_ranked else np.zeros(len(drawn))) % 9 - 4) / 14
    texts = [str(name) for name in names]
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "tiles x cores" if value == "gmacs_per_s" else "tiles",
            "x": number.astype(np.float64) + spread,
            "y": height * scale,
            "marker": {"size": 4, "color": palette(theme).ink, "opacity": 0.45},
            "customdata": np.column_stack(
                [
                    number.astype(object),
                    np.array(texts, dtype=object),
                    np.array([plain(text) for text in texts], dtype=object),
                    np.array([gmacs(rate) for rate in rates.tolist()], dtype=object),
                    frame["span"].to_numpy(object)[drawn],
                ]
            ),
            "hovertemplate": "<b>%{customdata[2]}</b> iteration %{customdata[0]}<br>%{customdata[3]} GMAC/s on its "
            "own · span %{customdata[4]:,}<extra></extra>",
        }
    ]


def _core_counts(numbers: Ints, names: pd.Categorical) -> Floats:
    """Count the tracks that have the iteration of each row, by its number and the row's track."""
    codes = names.codes.astype(np.int64)
    _, iteration = np.unique(numbers, return_inverse=True)
    pairs = np.unique(iteration * (codes.max(initial=0) + 1) + codes)
    counts = np.bincount(pairs // (codes.max(initial=0) + 1))
    return np.asarray(counts[iteration], np.float64)


def _reference_marks(part: pd.DataFrame, value: str, theme: str) -> list[dict[str, Any]]:
    """Build the trace of open diamonds with the values of the reference method; empty without rows."""
    if not len(part):
        return []
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "reference method",
            "x": part["iteration"].to_numpy(dtype=np.int64),
            "y": part[value].to_numpy(dtype=np.float64, na_value=np.nan),
            "marker": {
                "symbol": "diamond-open",
                "size": 9,
                "color": palette(theme).ink,
                "line": {"width": 1.5},
            },
            "customdata": np.column_stack(
                [
                    np.asarray(part["iteration"], dtype=object),
                    np.asarray(part["track"].astype("str"), dtype=object),
                ]
            ),
            "hovertemplate": "reference: iteration %{x}<br>%{y:.3~s}<extra></extra>",
        }
    ]


def _layout(shown: pd.DataFrame, value: str, peak: float | None, theme: str) -> dict[str, Any]:
    colours = palette(theme)
    layout: dict[str, Any] = {
        "height": _HEIGHT,
        "bargap": 0.25,
        "barmode": "overlay",
        "xaxis": index_axis(
            "iteration", int(shown["iteration"].min()), int(shown["iteration"].max())
        ),
        "yaxis": {
            "title": {
                "text": "GMAC/s" if value == "gmacs_per_s" else "cycles, first start to last end"
            },
            "rangemode": "tozero",
            "tickformat": NUMBER_TICKS,
        },
        "annotations": [],
        "shapes": [],
    }
    if peak:
        line = {"color": colours.capacity, "width": 1, "dash": "dash"}
        layout["shapes"].append(
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": peak,
                "y1": peak,
                "line": line,
            }
        )
        note = _note(f"peak {gmacs(peak)}", 1, peak, colours.ink)
        layout["annotations"].append(note | {"xref": "paper", "xanchor": "right"})
        # Leave room for the label above the line of the peak.
        layout["yaxis"]["range"] = [
            0,
            max(peak, float(np.nanmax(shown[value].to_numpy(dtype=float)))) * 1.12,
        ]
    return layout


def _note(text: str, x: float, y: float, colour: str) -> dict[str, Any]:
    return {
        "text": text,
        "x": x,
        "y": y,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 11, "color": colour},
    }
