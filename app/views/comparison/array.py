"""Views that compare captures of an array: iterations, durations, tiles, parts of the time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.aie.iteration_parts import time_share
from analysis.aie.iterations import system_mask
from analysis.comparison.attribution import CAUSES
from analysis.comparison.capture import Capture, KernelTimes
from analysis.comparison.rows import ResultRow
from analysis.statistics.outliers import find_outliers
from app.views.comparison.state import CompareState, toggle_part
from app.views.comparison.view import ComparePlot
from app.views.option import Option
from app.views.view import Panel, Width, custom, whole
from components.comparison import iterations as iteration_figures
from components.comparison import parts as part_figures
from components.comparison.durations import FORMS, durations
from components.comparison.iterations import RunIterations
from components.comparison.sides import SIDES
from components.comparison.tile_changes import tile_changes
from components.comparison.words import delta_words, number, relative_words
from components.counts import part_text, with_unit
from components.numbers import count_text, integer, points_text, shorten, signed_text
from components.verdicts import verdict_words
from schema.array_types import Floats
from schema.comparison import TILE
from services.comparison.compared_runs import ComparedRun
from services.comparison.data import CompareData
from services.run.capabilities import Capability

_NEEDS = frozenset({Capability.ITERATIONS})
_AUTOMATIC = "most"
_METRIC = Option(
    "tile_metric",
    "number of the tiles",
    {_AUTOMATIC: "largest change", **{metric.name: metric.label for metric in TILE.values()}},
)
FORM = Option("durations", "form of the distribution", FORMS)
_MAX_NAMED = 4
_MIN_CHANGE = 0.001


def iterations_panel(data: CompareData, state: CompareState, theme: str) -> Panel:
    """Draw the iterations of all runs on a shared axis, for the selected tile or the system."""
    runs = [
        _iterations(side, run, state.selection.track)
        for side, own in zip(SIDES, (data.base, data.new), strict=True)
        for run in own
    ]
    odd = sum(int((run.odd & run.counted).sum()) for run in runs)
    row = None if state.selection.track else data.row("gmacs_mean")
    caption = f"{count_text(sum(int(run.counted.sum()) for run in runs), 'iteration')} compared"
    if row:
        caption = f"GMAC/s mean: {number(row.base, row)} and {number(row.new, row)}, {caption}"
    excluded = f"; {count_text(odd, 'outlier')} excluded" if odd else ""
    return Panel(
        iteration_figures.iterations(runs, state.selection.iteration, theme),
        f"{caption}{excluded}.",
    )


def _iterations(side: str, run: ComparedRun, track: str) -> RunIterations:
    """Return the complete iterations of a run that have a rate, in order, for a tile (`track`) or
    for the system if that is ""; outliers and compared iterations are marked.
    """
    capture = run.capture
    frame = capture.iterations
    own = np.asarray(frame["track"].array == track, bool) if track else system_mask(frame)
    every_rate = frame["gmacs_per_s"].to_numpy(np.float64, na_value=np.nan)
    # Arrays, because a frame of some rows and all columns takes as long as the rest of a small run.
    places = np.flatnonzero(own & frame["complete"].to_numpy(bool) & ~np.isnan(every_rate))
    numbers = frame["iteration"].to_numpy(np.int64)[places]
    order = np.argsort(numbers)
    numbers = numbers[order]
    rates = every_rate[places[order]]
    counted_rows = np.isin(numbers, capture.compared_numbers)
    odd = np.zeros(len(rates), bool)
    # Outliers are judged on the logarithm of the rates, among the compared iterations only.
    odd[np.flatnonzero(counted_rows)[find_outliers(np.log(rates[counted_rows]))]] = True
    return RunIterations(side, str(run.stored.run["name"]), numbers, rates, counted_rows, odd)


def iteration_clicked(
    state: CompareState, _data: CompareData, click: Mapping[str, Any]
) -> CompareState:
    """Return the state with the iteration of the clicked point selected, or cleared if it was
    selected; unchanged if the click has no iteration.
    """
    number = whole(next(iter(custom(click)), None))
    return state if number is None else toggle_part(state, "iteration", number)


def durations_panel(data: CompareData, state: CompareState, theme: str) -> Panel:
    """Draw the durations of the kernels in compared iterations of both sides, of the selected tile
    and iteration if there are any.
    """
    sides = {
        side: _durations([run.capture for run in own], state)
        for side, own in zip(SIDES, (data.base, data.new), strict=True)
    }
    unit = str(data.new[0].made["run"]["time_unit"].iloc[0])
    figure = durations(sides, theme, form=FORM.of(state), unit=unit)
    return Panel(figure, _medians_caption(sides, unit))


def _medians_caption(sides: Mapping[str, np.ndarray], unit: str) -> str:
    """Write the median durations of both sides; of a side without a kernel that it has no kernel."""
    medians = [
        with_unit(integer(float(np.median(values))), unit) if len(values) else "no kernel"
        for values in sides.values()
    ]
    if not any(map(len, sides.values())):
        return ""
    return f"Median {medians[0]} and {medians[1]}."


def _durations(captures: Sequence[Capture], state: CompareState) -> Floats:
    return np.concatenate([_selected_durations(capture.durations, state) for capture in captures])


def _selected_durations(kernels: KernelTimes, state: CompareState) -> Floats:
    """Return the durations (ticks) of the kernels of the selected tile and iteration, or of all."""
    chosen = np.ones(len(kernels.duration), bool)
    if state.selection.track:
        is_core = np.array([core == state.selection.track for core in kernels.cores], bool)
        chosen &= is_core[kernels.core]
    if state.selection.iteration is not None:
        chosen &= kernels.iteration == state.selection.iteration
    return kernels.duration[chosen]


def tiles_panel(data: CompareData, state: CompareState, theme: str) -> Panel:
    """Draw the change of each core from base to new, by the chosen metric or the metric that
    changed on most tiles.
    """
    metric = TILE[_tile_metric(data, _METRIC.of(state))]
    rows = {
        row.key: row
        for row in data.result.rows
        if row.level == "tile" and row.metric.name == metric.name
    }
    cores = _cores(data.new[0].frames["tracks"])
    changes = [rows.get(track) for track in cores["track"]]
    cores |= {
        "harm": [_harm(row) for row in changes],
        "text": [
            "" if row is None else relative_words(row.relative) or delta_words(row)
            for row in changes
        ],
        "hover": ["no number on both sides" if row is None else _hover(row) for row in changes],
        "verdict": ["" if row is None else row.judged.verdict for row in changes],
    }
    tiles = pd.DataFrame(cores)
    return Panel(
        tile_changes(tiles, state.selection.track, metric.label, theme),
        _tiles_caption(data, rows.values()),
    )


def _cores(tracks: pd.DataFrame) -> dict[str, Any]:
    """Return columns `track`, `row` and `col` of the cores among the tracks of a run, each once."""
    is_core = np.asarray(tracks["kind"].array == "core", bool)
    first: dict[str, int] = {}
    for at, track in enumerate(tracks["track"].array[is_core].tolist()):
        first.setdefault(str(track), at)
    places = {name: tracks[name].array[is_core][[*first.values()]] for name in ("row", "col")}
    return {"track": [*first], **places}


def _tile_metric(data: CompareData, chosen: str) -> str:
    """Return the name of the chosen metric; if it is automatic, of the metric that changed on most
    tiles, or of the first metric.
    """
    if chosen != _AUTOMATIC:
        return chosen
    changed = Counter(
        row.metric.name
        for row in data.result.rows
        if row.level == "tile"
        and row.judged.verdict in ("regressed", "improved")
        and row.metric.polarity
    )
    return max(TILE, key=lambda name: changed[name])


def _harm(row: ResultRow | None) -> float:
    """Return the relative change of a row (absolute if there is no relative change), positive if
    the new side is worse; NaN if unknown.
    """
    if row is None:
        return float("nan")
    change = row.relative if row.relative is not None else row.delta
    # Without a polarity, growth counts as worse.
    return float("nan") if change is None else -change * (row.metric.polarity or -1)


def _hover(row: ResultRow) -> str:
    change = f"{number(row.base, row)} → {number(row.new, row)}"
    text = f"{row.metric.label}: {change}<br>{verdict_words(row.judged.verdict)}"
    return f"{text}: {row.judged.reason}" if row.judged.reason else text


def _tiles_caption(data: CompareData, rows: Collection[ResultRow]) -> str:
    """Return sentences with the number of tiles that are worse and better, and the tiles that are
    missing on the other side.
    """
    verdicts = [row.judged.verdict for row in rows]
    worse = verdicts.count("regressed")
    better = verdicts.count("improved")
    sentence = f"{part_text(worse, len(verdicts), 'tile')} worse, {integer(better)} better."
    pairs: Mapping[str, list[str]] = data.result.pairs.get("tiles", {})  # type: ignore[assignment]
    alone = [_alone(side, pairs.get(f"only_{side}", [])) for side in SIDES]
    return " ".join([sentence, *filter(None, alone)])


def _alone(side: str, tiles: Sequence[str]) -> str:
    """Return a sentence with at most _MAX_NAMED (4) tiles that only this side has; "" if there are
    none.
    """
    if not tiles:
        return ""
    names = ", ".join(shorten(name, 20) for name in tiles[:_MAX_NAMED])
    return f"Only in {side}: {names}{' …' if len(tiles) > _MAX_NAMED else ''}."


def tile_clicked(state: CompareState, data: CompareData, click: Mapping[str, Any]) -> CompareState:
    """Return the state with the tile of the clicked cell selected, or cleared if it was selected;
    unchanged if no run has the tile.
    """
    tile = next(iter(custom(click)), None)
    tracks = {track for run in (data.base[0], data.new[0]) for track in run.capture.tiles}
    return toggle_part(state, "track", tile) if tile in tracks else state


def parts_panel(data: CompareData, state: CompareState, theme: str) -> Panel:
    """Draw the shares of the time of the compared iterations on both sides, for the selected tile
    and iteration or all; a side without iterations is named in the caption.
    """
    shares = {
        side: _shares([run.capture for run in own], state)
        for side, own in zip(SIDES, (data.base, data.new), strict=True)
    }
    without = [side for side in SIDES if not shares[side]]
    if without:
        caption = f"No complete perf iteration in {' and '.join(without)} here."
        return Panel(part_figures.parts(shares, theme), caption)
    changes = {name: shares["new"][name] - share for name, share in shares["base"].items()}
    largest = max(changes, key=lambda name: abs(changes[name]))
    if abs(changes[largest]) < _MIN_CHANGE:
        return Panel(
            part_figures.parts(shares, theme),
            "No share of the time differs from base by 0.1 percentage points.",
        )
    moved = signed_text(points_text(changes[largest]), changes[largest])
    return Panel(
        part_figures.parts(shares, theme),
        f"Largest change of a share of the time vs base: {part_figures.LABELS[largest]} {moved}.",
    )


def _shares(captures: Sequence[Capture], state: CompareState) -> dict[str, float]:
    """Map each part of the time to its share (0 to 1) of the cores' time in the selection; parts
    without a share are left out.
    """
    rows = pd.concat([capture.split for capture in captures])
    if state.selection.track:
        rows = rows[rows["track"].astype("str") == state.selection.track]
    if state.selection.iteration is not None:
        rows = rows[rows["iteration"] == state.selection.iteration]
    parts = {**CAUSES, "waiting": ("waiting",), "early_end": ("end_skew",)}
    shares = {name: time_share(rows, columns) for name, columns in parts.items()}
    return {name: share for name, share in shares.items() if share is not None}


ITERATIONS = ComparePlot(
    id="iterations",
    title="Iterations",
    help=(
        "GMAC/s of complete iterations of both sides: filled points are compared, open points are warm-up "
        "or have fewer cores, crossed points are excluded as outliers. Dashed: means. Click selects an iteration."
    ),
    needs=_NEEDS,
    group="array",
    width=Width.WIDE,
    draw=iterations_panel,
    on_click=iteration_clicked,
)
TILES = ComparePlot(
    id="tiles",
    title="Changes per tile",
    help="Tiles at their places on the chip, red where the number got worse, green where better, with the verdict's "
    "sign. The false discovery rate is limited to 5 %. Click selects a tile.",
    needs=_NEEDS,
    group="array",
    width=Width.NARROW,
    choices=(_METRIC,),
    draw=tiles_panel,
    on_click=tile_clicked,
)
DURATIONS = ComparePlot(
    id="durations",
    title="Kernel durations",
    help="Main kernels in compared iterations, of the selected tile and iteration or all: shares of each side's "
    "kernels. Dashed: medians.",
    needs=_NEEDS,
    group="array",
    choices=(FORM,),
    draw=durations_panel,
)
PARTS = ComparePlot(
    id="parts",
    title="Where the time goes",
    help="Shares of the cores' time in compared iterations: late start, kernels, the core's own stalls, gaps, "
    "waiting for other cores, early end. They sum to all of it.",
    needs=_NEEDS,
    group="array",
    draw=parts_panel,
)
VIEWS = (ITERATIONS, TILES, DURATIONS, PARTS)
"""The views of captures."""
