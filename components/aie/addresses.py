"""Events by the address of the instruction that raised them, for cores that were traced without
times.

Each core runs its own program, so that equal addresses of two cores are different places.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from components.byte_axis import address_ticks
from components.figure import Figure
from components.graph import figure, nothing
from components.index_axis import index_axis
from components.numbers import count_text, integer, percent, plain, shorten
from components.row_axis import row_axis
from components.theme import event_color, palette

MAX_ADDRESSES = 80
"""Addresses that are drawn at most, those with the most events."""
MAX_POINTS = 8_000
"""Events that are drawn at most in the order of capture, the first of them."""
_ROW_PX, _FRAME_PX, _ORDER_PX = 20, 96, 320


def address_counts(records: pd.DataFrame) -> pd.DataFrame:
    """Count the rows of a frame `program_counters` per `track`, `pc` and `name`.

    The result has these columns and `events`, the count, with the largest first. No rows without
    events.
    """
    keys = [records["track"].astype("str"), records["pc"], records["name"].astype("str")]
    counted = records.groupby(keys, sort=True).size().rename("events").reset_index()
    return counted.sort_values("events", ascending=False, kind="stable", ignore_index=True)


def address_bars(counts: pd.DataFrame, theme: str) -> Figure:
    """Draw the number of events per address from `address_counts`, stacked by event name.

    Only the 80 addresses (MAX_ADDRESSES) with the most events are drawn. When there are no rows,
    the figure has no traces.
    """
    shown = _shown_places(counts)
    if not shown:
        return nothing(theme)
    at = {place: row for row, place in enumerate(shown)}
    several = counts["track"].nunique() > 1
    bars = [_bars(name, part, at, theme) for name, part in counts.groupby("name", sort=True)]
    layout = {
        "barmode": "stack",
        "bargap": 0.25,
        "height": _FRAME_PX + _ROW_PX * len(shown),
        "margin": {"l": 130 if several else 84, "r": 16, "t": 34, "b": 40},
        "xaxis": {"title": {"text": "events"}, "rangemode": "tozero"},
        "yaxis": row_axis([_place_text(*place, several=several) for place in shown]),
    }
    return figure([bar for bar in bars if len(bar["x"])], layout, theme)


def _totals(counts: pd.DataFrame) -> pd.Series:
    """Sum the events per core and address, as a series with the index (track, pc)."""
    return counts.groupby(["track", "pc"])["events"].sum()


def _shown_places(counts: pd.DataFrame) -> list[tuple[str, int]]:
    return sorted(
        (str(track), int(pc)) for track, pc in _totals(counts).nlargest(MAX_ADDRESSES).index
    )


def _place_text(track: str, pc: int, *, several: bool) -> str:
    return f"{plain(track)} {pc:#06x}" if several else f"{pc:#06x}"


def _bars(
    name: str, part: pd.DataFrame, at: dict[tuple[str, int], int], theme: str
) -> dict[str, Any]:
    total = {place: count for place, count in _totals(part).items() if place in at}
    label = plain(shorten(name))
    hover = [
        f"<b>{_place_text(*place, several=True)}</b> {label}<br>{count_text(count, 'event')}"
        for place, count in total.items()
    ]
    return {
        "type": "bar",
        "orientation": "h",
        "name": label,
        "x": np.array([*total.values()], np.int64),
        "y": np.array([at[place] for place in total], np.int64),
        "hovertext": hover,
        "hoverinfo": "text",
        "marker": {
            "color": event_color(name, theme),
            "line": {"width": 0.5, "color": palette(theme).panel},
        },
    }


def address_order(records: pd.DataFrame, theme: str) -> Figure:
    """Draw the address of each event over its number in the order of capture, which is not a time.

    Only the first 8,000 rows (MAX_POINTS) of the frame `program_counters` are drawn. When there are
    no rows, the figure has no traces.
    """
    shown = records.head(MAX_POINTS)
    if shown.empty:
        return nothing(theme)
    points = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": plain(shorten(str(name))),
            "x": part["order"].to_numpy(np.int64),
            "y": part["pc"].to_numpy(np.int64),
            "marker": {"size": 5, "color": event_color(str(name), theme)},
            "text": [plain(str(track)) for track in part["track"]],
            "hovertemplate": f"{plain(shorten(str(name)))}<br>%{{text}}, record %{{x}}, %{{y:#06x}}<extra></extra>",
        }
        for name, part in shown.groupby(shown["name"].astype("str"), sort=True)
    ]
    layout = {
        "height": _ORDER_PX,
        "margin": {"l": 84, "r": 16, "t": 34, "b": 40},
        "xaxis": index_axis(
            "order of capture on the core, no time",
            int(shown["order"].min()),
            int(shown["order"].max()),
        ),
        "yaxis": {
            "title": {"text": "address in program memory"},
            **address_ticks(shown["pc"].min(), shown["pc"].max()),
        },
    }
    return figure(points, layout, theme)


def addresses_caption(counts: pd.DataFrame) -> str:
    """Return the caption: number of events, addresses and cores, and the address with the most
    events.

    A sentence that no event has an address, if there are no events.
    """
    total = int(counts["events"].sum())
    if not total:
        return "No event has an address."
    by_place = _totals(counts)
    track, pc = by_place.idxmax()
    most = int(by_place.max())
    cores = counts["track"].nunique()
    where = f"{count_text(len(by_place), 'address')} of {count_text(cores, 'core')}"
    place = _place_text(track, pc, several=cores > 1)
    return f"{count_text(total, 'event')} at {where}; most at {place}: {integer(most)}, {percent(most / total)} of the events."


def addresses_left_out(counts: pd.DataFrame, records: int, *, by_order: bool) -> str:
    """Return a note about the number of events or addresses that are not drawn, "" if all are
    drawn.

    `records` is the number of events; `by_order` is whether the figure is `address_order`, else
    `address_bars`.
    """
    if by_order:
        left = max(records - MAX_POINTS, 0)
        return f"{count_text(left, 'later event')} left out." if left else ""
    left = max(len(_totals(counts)) - MAX_ADDRESSES, 0)
    return f"{count_text(left, 'address')} with fewer events left out." if left else ""
