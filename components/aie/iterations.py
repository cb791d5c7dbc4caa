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
from schema.array_types import Bools

_HEIGHT = 270
_MAX_TILE_POINTS = 2_000
"""Points of tiles that are drawn; of more points every n-th is drawn."""
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
        row = run.iloc[0] if len(run) else None
        if row is None or pd.isna(row["peak_macs_per_cycle"]) or pd.isna(row["clock_hz"]):
            return cls()
        core = float(row["peak_macs_per_cycle"]) * float(row["clock_hz"]) / 1e9
        cores = iterations.loc[measured_iterations(iterations), "cores"]
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
    shown = frame[frame["track"] == track].sort_values("iteration")
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
    most = int(shown["cores"].fillna(0).max())
    traces = []
    for phase, part in shown.groupby("phase", observed=True, sort=False):
        number = part["iteration"].to_numpy(dtype=np.int64)
        chosen = number == selection.iteration
        whole = part["complete"].to_numpy(dtype=bool)
        fewer = part["cores"].to_numpy(dtype=np.int64, na_value=most) < most
        lit = ((selection.iteration is None) | chosen) & _in_window(part, selection)
        colour = phase_color(str(phase), theme)
        opacity = np.where(lit, 1.0, FADE)
        traces.append(
            {
                "type": "bar",
                "name": plain(phase),
                "x": number,
                "y": part[value].to_numpy(dtype=np.float64, na_value=np.nan),
                "marker": {
                    "color": colour,
                    "opacity": opacity,
                    "line": {"color": colours.selection, "width": np.where(chosen, 2.0, 0.0)},
                    "pattern": {"shape": np.where(whole, np.where(fewer, ".", ""), "/"), "size": 6},
                },
                "text": _bar_text(part, value, best, whole & ~fewer) if labelled else None,
                "textposition": "inside",
                "insidetextanchor": "end",
                "insidetextfont": {
                    "color": [choose_ink(colour, colours.panel, share) for share in opacity]
                },
                "textangle": 0,
                "constraintext": "inside",
                "customdata": _bar_data(part, most),
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
    columns = [
        part["iteration"],
        part["track"].astype("str"),
        part["phase"].astype("str").map(plain),
        note,
        part["gmacs_per_s"].map(gmacs),
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
    tiles = frame[(frame["track"] != SYSTEM) & frame["complete"].astype(bool)]
    if track != SYSTEM or not len(tiles):
        return []
    # Division rounded up, so that the points do not exceed the limit.
    each = max(1, -(-len(tiles) // _MAX_TILE_POINTS))
    tiles = tiles.iloc[::each]
    cores = tiles.groupby("iteration")["track"].transform("nunique").to_numpy(dtype=np.float64)
    scale = cores if value == "gmacs_per_s" else 1.0
    rank = (
        tiles["track"].cat.codes.to_numpy()
        if hasattr(tiles["track"], "cat")
        else np.zeros(len(tiles))
    )
    # Nine columns of points within the width of a bar, so that tiles do not cover each other.
    spread = (rank % 9 - 4) / 14
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "tiles x cores" if value == "gmacs_per_s" else "tiles",
            "x": tiles["iteration"].to_numpy(dtype=np.float64) + spread,
            "y": tiles[value].to_numpy(dtype=np.float64, na_value=np.nan) * scale,
            "marker": {"size": 4, "color": palette(theme).ink, "opacity": 0.45},
            "customdata": np.column_stack(
                [
                    np.asarray(tiles["iteration"], dtype=object),
                    np.asarray(tiles["track"].astype("str"), dtype=object),
                    np.asarray(tiles["track"].astype("str").map(plain), dtype=object),
                    np.asarray(tiles["gmacs_per_s"].map(gmacs), dtype=object),
                    np.asarray(tiles["span"], dtype=object),
                ]
            ),
            "hovertemplate": "<b>%{customdata[2]}</b> iteration %{customdata[0]}<br>%{customdata[3]} GMAC/s on its "
            "own · span %{customdata[4]:,}<extra></extra>",
        }
    ]


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


def best_iteration(shown: pd.DataFrame) -> int | None:
    """Find the number of the fastest complete perf iteration among a track's iterations on the most
    cores.

    Returns None if no such iteration has a rate.
    """
    perf = shown[shown["complete"].astype(bool) & (shown["phase"] == "perf")]
    counted = on_most_cores(perf)
    counted = counted[counted["gmacs_per_s"].notna()]
    if not len(counted):
        return None
    return int(counted["iteration"].to_numpy()[int(counted["gmacs_per_s"].to_numpy().argmax())])


def on_most_cores(rows: pd.DataFrame) -> pd.DataFrame:
    """Select the iterations of a track that use as many cores as the iteration with the most;
    iterations on fewer cores are left out, as in headlines.
    """
    cores = rows["cores"].to_numpy(dtype=np.int64, na_value=0)
    return rows[cores == cores.max(initial=0)]


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
