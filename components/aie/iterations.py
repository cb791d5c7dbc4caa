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
from components.contrast import choose_ink
from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import gmacs, integer, plain
from components.theme import FADE, palette, phase_color
from components.tick_formats import NUMBER_TICKS
from schema.array_types import Bools, Floats, Ints

_HEIGHT = 270
_MAX_TILE_POINTS = 2_000
"""Points of tiles that are drawn; of more points every n-th is drawn."""
_PEAK_SETTINGS = ("peak_macs_per_cycle", "clock_hz")
"""Columns of frame `run` that a peak depends on."""
_MAX_LABELLED = 24
"""Up to this many iterations have their values printed in the bars."""


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
        *_phase_bars(shown, value, selection, theme),
        *_tile_points(frame, value, track, theme),
    ]
    if reference is not None:
        traces += _reference_marks(reference[reference["track"] == track], value, theme)
    peak_rate = None
    if peak is not None and rated:
        peak_rate = peak.system if track == SYSTEM else peak.core
    return figure(traces, _layout(shown, value, peak_rate, theme), theme)


def shown_track(frame: pd.DataFrame, selection: Selection) -> str:
    """Choose the track for the bars: the selected track if it has iterations, else SYSTEM, the
    whole array.
    """
    track = selection.track
    return track if track is not None and (frame["track"] == track).any() else SYSTEM


def _phase_bars(
    shown: pd.DataFrame, value: str, selection: Selection, theme: str
) -> list[dict[str, Any]]:
    """Build a bar trace per phase; `value` is the column of the heights.

    Partial iterations are hatched, iterations on fewer cores dotted, iterations that are not
    selected faded.
    """
    colours = palette(theme)
    best = best_iteration(shown)
    labelled = len(shown) <= _MAX_LABELLED
    most = int(shown["cores"].to_numpy(np.int64, na_value=0).max())
    number = shown["iteration"].to_numpy(dtype=np.int64)
    height = shown[value].to_numpy(dtype=np.float64, na_value=np.nan)
    chosen = number == selection.iteration
    whole = shown["complete"].to_numpy(dtype=bool)
    fewer = shown["cores"].to_numpy(dtype=np.int64, na_value=most) < most
    lit = ((selection.iteration is None) | chosen) & _in_window(shown, selection)
    text = _bar_text(shown, value, best, whole & ~fewer) if labelled else None
    data = _bar_data(shown, most)
    phases = shown["phase"].to_numpy(object)
    traces = []
    for phase in dict.fromkeys(name for name in phases.tolist() if pd.notna(name)):
        own = phases == phase
        colour = phase_color(str(phase), theme)
        opacity = np.where(lit[own], 1.0, FADE)
        traces.append(
            {
                "type": "bar",
                "name": plain(phase),
                "x": number[own],
                "y": height[own],
                "marker": {
                    "color": colour,
                    "opacity": opacity,
                    "line": {"color": colours.selection, "width": np.where(chosen[own], 2.0, 0.0)},
                    "pattern": {
                        "shape": np.where(whole[own], np.where(fewer[own], ".", ""), "/"),
                        "size": 6,
                    },
                },
                "text": None if text is None else text[own],
                "textposition": "inside",
                "insidetextanchor": "end",
                "insidetextfont": {
                    "color": [choose_ink(colour, colours.panel, share) for share in opacity]
                },
                "textangle": 0,
                "constraintext": "inside",
                "customdata": data[own],
                "hovertemplate": _BAR_HOVER,
            }
        )
    return traces


def _in_window(part: pd.DataFrame, selection: Selection) -> np.ndarray:
    """Compute a mask of the iterations that overlap the selected window [begin, end).

    When no window is selected, the mask is True for all iterations.
    """
    if selection.window is None:
        return np.ones(len(part), dtype=bool)
    begin, end = selection.window
    overlap = (part["first_start"] < end) & (part["last_end"] > begin)
    return np.asarray(overlap.fillna(False), dtype=bool)


def _bar_text(part: pd.DataFrame, value: str, best: int | None, plain_bars: Bools) -> np.ndarray:
    """Format the value to print in each bar, in an array of objects, after a line `best` in the bar
    of iteration `best`.

    "" for a bar with a pattern (`plain_bars` False), since text on it is hard to read.
    """
    write = gmacs if value == "gmacs_per_s" else integer
    rows = zip(part["iteration"], part[value], plain_bars, strict=True)
    return np.array(
        [
            ("best<br>" if i == best else "") + write(v) if is_plain else ""
            for i, v, is_plain in rows
        ],
        dtype=object,
    )


_BAR_HOVER = (
    "<b>iteration %{customdata[0]}</b> %{customdata[2]}%{customdata[3]}<br>%{customdata[4]} GMAC/s · "
    "%{customdata[5]:.1%} of peak<br>span %{customdata[6]:,} · kernels %{customdata[7]:,}<extra></extra>"
)


def _bar_data(part: pd.DataFrame, most: int) -> np.ndarray:
    """Build the customdata of the bars: iteration, track, phase, note, rate, utilisation, span,
    kernels.

    An array of objects, shape (bars, 8): a browser does not send binary arrays back on a click.
    """
    cores = part["cores"].to_numpy(dtype=np.int64, na_value=most)
    few = [
        f", {count} of {most} cores: not counted" if count < most else ""
        for count in cores.tolist()
    ]
    note = np.where(part["complete"], np.array(few, dtype=object), ", partial: not counted")
    phases = part["phase"].astype("str")
    columns = [
        part["iteration"],
        part["track"].astype("str"),
        np.array([plain(phase) for phase in phases], dtype=object),
        note,
        np.array([gmacs(rate) for rate in part["gmacs_per_s"]], dtype=object),
        part["utilization"],
        part["span"],
        part["kernels"],
    ]
    return np.column_stack([np.asarray(column, dtype=object) for column in columns])


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


def best_iteration(frame: pd.DataFrame, rows: Bools | None = None) -> int | None:
    """Find the number of the fastest complete perf iteration among a track's iterations on the most
    cores. `rows` is a mask of the iterations of the track; by default all are of it.

    Returns None if no such iteration has a rate.
    """
    perf = complete_perf(frame)
    counted = on_most_cores(frame, perf if rows is None else perf & rows)
    rates = frame["gmacs_per_s"].to_numpy(np.float64)
    places = np.flatnonzero(counted & ~np.isnan(rates))
    if not len(places):
        return None
    return int(frame["iteration"].to_numpy()[places[rates[places].argmax()]])


def complete_perf(frame: pd.DataFrame) -> Bools:
    """Return a mask of the complete perf iterations of a frame `iterations`."""
    is_perf: Bools = np.asarray(frame["phase"].array == "perf", bool)
    is_complete: Bools = frame["complete"].to_numpy(bool)
    return is_perf & is_complete


def on_most_cores(frame: pd.DataFrame, rows: Bools) -> Bools:
    """Restrict a mask of a track's iterations to those that use as many cores as the iteration with
    the most; iterations on fewer cores are left out, as in headlines.
    """
    cores = frame["cores"].to_numpy(dtype=np.int64, na_value=0)
    is_most: Bools = cores == cores[rows].max(initial=0)
    return rows & is_most


def _layout(shown: pd.DataFrame, value: str, peak: float | None, theme: str) -> dict[str, Any]:
    colours = palette(theme)
    layout: dict[str, Any] = {
        "height": _HEIGHT,
        "bargap": 0.25,
        "barmode": "overlay",
        "xaxis": {
            "title": {"text": "iteration"},
            "tickformat": "d",
            "dtick": 1 if len(shown) <= _MAX_LABELLED else None,
        },
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
