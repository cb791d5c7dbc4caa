"""Captions of the views of an AIE capture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.aie.kernel_kinds import counted_kernels
from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.pace import Pace
from analysis.kernels.distribution import summary
from analysis.selection import Selection
from analysis.timeline.rows import SYSTEM
from components.aie.counted_iterations import (
    best_iteration,
    complete_perf,
    on_most_cores,
    shown_track,
)
from components.aie.stalls import SHARES, SHOWN
from components.caption import Caption, Jump
from components.counts import part_text, with_unit
from components.numbers import count_text, integer, percent, shorten, significant, ticks_time
from schema.array_types import Bools, Objects
from schema.plurals import plural
from schema.rounding import THIN

_MIN_EXCESS = 0.03
"""An iteration is worth a sentence if it exceeds the median by this share."""
_MAX_EVEN_EXCESS = 0.02
"""Median kernels are called equal if the slowest exceeds the fastest by less than this share."""
_MAX_NAME_CHARACTERS = 30
"""Characters of a tile's name at most."""


def iterations_caption(
    frame: pd.DataFrame, selection: Selection, events: pd.DataFrame | None = None
) -> str:
    """Return the caption of the iterations: how much slower than the median of all the slowest
    complete perf iteration is, and which is the fastest.

    `events` is a frame `events`; if set, the caption includes a cause of the slow iteration, if one
    explains at least half of the excess time. When there is no complete perf iteration, it states
    that.
    """
    track = shown_track(frame, selection)
    # Arrays, since a frame of some columns and rows takes as long as the rest of a small run.
    is_shown = np.asarray(frame["track"].array == track, bool)
    elapsed = frame["elapsed"].to_numpy(dtype=np.float64)
    every = is_shown & complete_perf(frame) & (elapsed > 0)
    if not every.any():
        return "No complete perf iteration: the rate is not known."
    perf = np.flatnonzero(on_most_cores(frame, every))
    is_rated = bool(frame["gmacs_per_s"].notna().to_numpy()[perf].any())
    rest = _uncounted_sentence(int(every.sum()) - len(perf), is_rated)
    ticks = elapsed[perf]
    median = np.median(ticks)
    excess = ticks.max() - median
    count = count_text(len(perf), "perf iteration")
    if len(perf) < 2:
        return f"{count}.{rest}"
    best, jumps = _best(frame, is_shown)
    # Below this limit the slowest iteration is not worth a link of its own.
    if excess < _MIN_EXCESS * median:
        return Caption(
            f"{count}, none more than {percent(_MIN_EXCESS)} slower than the median.{best}{rest}",
            *jumps,
        )
    slower = percent(excess / median)
    row = frame.iloc[perf[int(ticks.argmax())]]
    reason, tiles = _reason(row, excess, events)
    lead = f"Iteration {row['iteration']}"
    sentence = f"{lead} is {slower} slower than the median of {count}{reason}.{best}{rest}"
    return Caption(sentence, Jump(lead, "iteration", int(row["iteration"])), *tiles, *jumps)


def _uncounted_sentence(fewer: int, is_rated: bool) -> str:
    """Return sentences about the number of iterations on fewer cores (`fewer`), and that bars are
    cycles if there are no rates.

    Each begins with a space; "" if all iterations use the same cores and there are rates.
    """
    few = f" Not counted: {count_text(fewer, 'iteration')} on fewer cores." if fewer else ""
    return few if is_rated else f"{few} Bars are cycles: GMAC/s needs sizes and clock in Settings."


def _best(frame: pd.DataFrame, rows: Bools) -> tuple[str, tuple[Jump, ...]]:
    """Return the sentence " Best: iteration N." about the fastest iteration of some rows (a mask),
    with its link in a tuple.

    ("", ()) if there are no rates.
    """
    best = best_iteration(frame, rows)
    if best is None:
        return "", ()
    words = f"iteration {best}"
    return f" Best: {words}.", (Jump(words, "iteration", best),)


def _reason(
    row: pd.Series[Any], excess: float, events: pd.DataFrame | None
) -> tuple[str, tuple[Jump, ...]]:
    """Find the cause of at least half of an iteration's excess time (`excess`, in ticks): a lock
    stall, or cores that start late.

    Returns words that continue the sentence, and links to tiles; ("", ()) if neither explains it.
    """
    track, length = (None, 0) if events is None else _longest_stall(events, row)
    if length >= excess / 2:
        tile = _tile(str(track))
        return f": a lock stall of {count_text(length, 'cycle')} on {tile.text}", (tile,)
    late = row["elapsed"] - row["span"]
    return (
        f": its cores are up to {count_text(late, 'cycle')} apart" if late >= excess / 2 else ""
    ), ()


def _tile(track: str) -> Jump:
    return Jump(shorten(track, _MAX_NAME_CHARACTERS), "track", track)


def _longest_stall(events: pd.DataFrame, row: pd.Series[Any]) -> tuple[str | None, int]:
    """Find track and length (ticks) of the longest lock stall between an iteration's first start
    and last end.

    Returns (None, 0) if there is no stall. For an iteration of a single track only its own stalls
    count.
    """
    inside = (events["start"] >= row["first_start"]) & (events["end"] <= row["last_end"])
    mask = inside & (events["name"] == "LOCK_STALL")
    if row["track"] != SYSTEM:
        mask &= events["track"] == row["track"]
    stalls = events[mask]
    if not len(stalls):
        return None, 0
    length = (stalls["end"] - stalls["start"]).to_numpy(dtype=np.int64)
    worst = int(length.argmax())
    return str(stalls["track"].iloc[worst]), int(length[worst])


def durations_caption(
    kernels: pd.DataFrame, unit: str = "cycles", clock_hz: float | None = None
) -> str:
    """Return the caption of kernel durations: median, p95 and number of counted kernels, the
    longest kernel, and the kernels left out with reasons.

    A single kernel has its duration alone. Durations are in `unit`; the median is also given as a
    time if `clock_hz` is set. If no kernel is valid, it states that.
    """
    is_counted = kernels["kept"].astype(bool)
    counted_rows = counted_kernels(kernels)
    numbers = summary(counted_rows["duration"])
    if numbers.median is None:
        return "No valid kernel in the selection." + _left_out(kernels, is_counted)
    time = f" ({ticks_time(numbers.median, clock_hz)})" if clock_hz else ""
    median = f"{with_unit(integer(numbers.median), unit)}{time}"
    which = _which(counted_rows, int(is_counted.sum()))
    if numbers.n == 1:
        return f"{which} of {median}.{_left_out(kernels, is_counted)}"
    spread = f"Median {median}, p95 {integer(numbers.p95)} over "
    longest, jumps = _longest_kernel(counted_rows, numbers.median)
    return Caption(f"{spread}{which}.{longest}{_left_out(kernels, is_counted)}", *jumps)


def _longest_kernel(rows: pd.DataFrame, median: float) -> tuple[str, tuple[Jump, ...]]:
    """Return the sentence about the longest kernel, with links to its tile and iteration.

    ("", ()) if no kernel is longer than the median.
    """
    row = rows.iloc[int(rows["duration"].to_numpy(np.float64, na_value=-1.0).argmax())]
    if not row["duration"] > median:
        return "", ()
    jumps = [_tile(str(row["track"]))]
    if pd.notna(row["iteration"]):
        jumps.append(Jump(f"iteration {row['iteration']}", "iteration", int(row["iteration"])))
    place = ", ".join(jump.text for jump in jumps)
    return f" Longest: {integer(row['duration'])} on {place}.", tuple(jumps)


def _which(counted_rows: pd.DataFrame, kept: int) -> str:
    """Format the counted kernels: `3 584 main kernels, 448 of other kinds not counted`."""
    kinds = counted_rows["name"].astype("str").unique()
    kind = f"{shorten(kinds[0], 30)} kernel" if len(kinds) == 1 else "kernel"
    others = kept - len(counted_rows)
    rest = f", {integer(others)} of other kinds not counted" if others else ""
    return f"{count_text(len(counted_rows), kind)}{rest}"


def _left_out(kernels: pd.DataFrame, is_counted: pd.Series[bool]) -> str:
    """Format the kernels left out: ` 3 of 96 kernels left out: why (2), why else (1).`

    If no kernel is left out, the sentence gives their number. "" if there are no kernels at all.
    """
    if is_counted.all():
        return (
            ""
            if not len(is_counted)
            else f" {count_text(len(is_counted), 'kernel')}, none left out."
        )
    reasons = (
        kernels.loc[~is_counted, "reason"]
        .astype("str")
        .replace("", "unknown reason")
        .value_counts()
    )
    words = [shorten(str(reason), 60) for reason in reasons.index[:3]]
    if len(reasons) > 1:
        words = [f"{word} ({integer(count)})" for word, count in zip(words, reasons, strict=False)]
    others = int(reasons.iloc[3:].sum())
    more = f", {count_text(len(reasons) - 3, 'other reason')} ({integer(others)})" if others else ""
    return f" {part_text((~is_counted).sum(), len(is_counted), 'kernel')} left out: {', '.join(words)}{more}."


def stalls_caption(activity: pd.DataFrame, selection: Selection, share: str = "share") -> str:
    """Return the caption of the stalls: which stall takes the largest share of the time, and on
    which tile it takes most.

    `share` is a key of SHARES. With a selected tile only its stalls count. If no stalls were
    traced, it states that.
    """
    stalls = [name for name in SHOWN if name.endswith("_STALL")]
    # Arrays, because filters and groups of a frame take as long as the rest of a small run.
    names, tracks = (np.asarray(activity[key].array, object) for key in ("name", "track"))
    values = activity[share].to_numpy(np.float64, na_value=np.nan)
    rows = np.isin(names, stalls) & ~np.isnan(values)
    if selection.track is not None and (rows & (tracks == selection.track)).any():
        rows &= tracks == selection.track
    if not rows.any():
        return "No stalls were traced."
    means = _mean_shares(activity, names, rows, share)
    name = max(means, key=lambda stall: means[stall])
    own = np.flatnonzero(rows & (names == name))
    worst = own[values[own].argsort()[-1]]
    tiles = len({*tracks[own]})
    main = f"{SHOWN[name].capitalize()} takes {percent(means[name])} {SHARES[share]}"
    tile = _tile(str(tracks[worst]))
    also = ", waiting for other cores included" if name == "LOCK_STALL" else ""
    also += _open_words(tracks[own[activity["open"].to_numpy(bool)[own]]].tolist())
    if tiles == 1:
        return Caption(f"{main} on {tile.text}{also}.", tile)
    return Caption(
        f"{main} on {plural(tiles, 'tile')}, most on {tile.text} ({percent(values[worst])}){also}.",
        tile,
    )


def _open_words(tracks: Sequence[str]) -> str:
    """Describe on which tracks a stall is open at the end: it counts up to the last time stamp
    there.
    """
    if not tracks:
        return ""
    where = _tile(tracks[0]).text if len(tracks) == 1 else plural(len(tracks), "tile")
    return f"; still open at the end on {where}, counted up to the last time stamp there"


def _mean_shares(
    activity: pd.DataFrame, names: Objects, rows: Bools, share: str
) -> dict[str, float]:
    """Compute the share (0 to 1) of each event over all tiles from some rows (a mask), by event name
    in alphabetical order.

    When shares are of the traced time, tiles are weighted by their traced time, as in the headline.
    """
    of_event = {str(name): rows & (names == name) for name in sorted({*names[rows]})}
    if share != "share":
        values = activity[share].to_numpy(np.float64, na_value=np.nan)
        return {name: math.fsum(values[own]) / int(own.sum()) for name, own in of_event.items()}
    busy, window = (activity[key].to_numpy(np.int64) for key in ("busy", "window"))
    return {name: int(busy[own].sum()) / int(window[own].sum()) for name, own in of_event.items()}


def floorplan_caption(
    tiles: pd.DataFrame,
    shape: tuple[int, int] | None = None,
    pace: Pace | None = None,
    of_slice: str = "",
) -> str:
    """Return the caption of the floor plan: number of traced cores, the first limiter that has a
    tile, and the core with the slowest median kernel.

    `shape` is (rows, columns) of the cores that share the work, None if unknown. When there is no
    `pace`, no limiter is mentioned. If `of_slice` is given, only the cores of this slice of the
    trace buffer are compared.
    """
    cores = tiles[tiles["kind"] == "core"]
    if of_slice:
        cores = cores[cores["slice"] == of_slice]
    expected = shape[0] * shape[1] if shape else None
    traced = (
        f"{len(cores)} of {plural(expected, 'core')} traced"
        if expected and expected != len(cores)
        else count_text(len(cores), "core") + " traced"
    )
    traced += f" in slice {shorten(of_slice, 40)}" if of_slice else ""
    limiter = next((limiter for limiter in pace.limiters if limiter.track), None) if pace else None
    first: list[Jump] = []
    if pace and limiter:
        traced += f"; {_rank_words(pace, limiter)} "
        traced += f"({limiter.what.replace('_', ' ')}, {percent(limiter.share)} of the time)"
        first = [Jump(limiter.where, "track", str(limiter.track))]
    slowest, tile = _slowest_kernels(cores)
    limited = (
        [limiter.track for limiter in pace.limiters if limiter.what == "kernels"] if pace else []
    )
    if tile and tile[0].value in limited:
        # A limiter already gives the time that the longer kernels of this core take.
        slowest = ""
        tile = []
    return Caption(f"{traced}{slowest}.", *first, *tile)


def _rank_words(pace: Pace, limiter: Limiter) -> str:
    """Describe the rank of a limiter as the sentence about the pace does."""
    rank = pace.limiters.index(limiter)
    if rank == 0 and limiter.together:
        return f"{limiter.where} and {pace.limiters[1].where} set the pace together"
    if rank == 0:
        return f"{limiter.where} sets the pace"
    return f"{limiter.where} {'comes next' if rank == 1 else f'is limiter {rank + 1}'}"


def _slowest_kernels(cores: pd.DataFrame) -> tuple[str, list[Jump]]:
    """Return words that continue a sentence with the core with the slowest median kernel, and the
    link to it in a list.

    ("", []) with fewer than 2 cores; no link if the medians differ by less than 2 %.
    """
    medians = cores[cores["median_kernel"].notna()].sort_values("median_kernel")
    if len(medians) < 2:
        return "", []
    fast = medians.iloc[0]
    slow = medians.iloc[-1]
    ratio = slow["median_kernel"] / fast["median_kernel"] - 1 if fast["median_kernel"] else 0.0
    if ratio < _MAX_EVEN_EXCESS:
        # Relative to the largest median, as the scale of the figure.
        spread = 1 - fast["median_kernel"] / slow["median_kernel"] if slow["median_kernel"] else 0.0
        return (
            f"; median kernels differ by {significant(spread * 100, 2)}{THIN}% of the slowest",
            [],
        )
    tile = _tile(str(slow["track"]))
    return (
        f"; the median kernel of {tile.text} is {percent(ratio)} longer than that of the fastest core",
        [tile],
    )


def health_caption(diagnostics: pd.DataFrame) -> str:
    """Return the number of findings by severity as a sentence: `1 error, 2 warnings, 3 notes.`

    "No errors or warnings." without such findings, with the number of notes if there are any.
    """
    counts = diagnostics["severity"].astype("str").value_counts()
    words = [
        count_text(int(counts[name]), name) for name in ("error", "warning") if counts.get(name, 0)
    ]
    notes = int(counts.get("info", 0))
    if not words:
        return (
            "No errors or warnings."
            if not notes
            else f"No errors or warnings, {count_text(notes, 'note')}."
        )
    return ", ".join([*words, *([count_text(notes, "note")] if notes else [])]) + "."
