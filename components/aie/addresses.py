"""Events by the address of the instruction that raised them, of cores that were traced without times.

Cores run programs of their own: one address of two cores is two places.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from components.figure import Figure
from components.graph import figure, nothing
from components.numbers import count_text, integer, percent, plain, shorten
from components.row_axis import row_axis
from components.theme import event_color, palette

MOST_ADDRESSES = 80
"""Addresses that are drawn, those that raised most events."""
MOST_POINTS = 8_000
"""Events that are drawn in the order of capture, the first ones."""
_ROW_PX, _FRAME_PX, _ORDER_PX = 20, 96, 320


def address_counts(records: pd.DataFrame) -> pd.DataFrame:
    """Return rows of frame `program_counters` counted by `track`, `pc` and `name`, most `events` first."""
    keys = [records["track"].astype("str"), records["pc"], records["name"].astype("str")]
    counted = records.groupby(keys, sort=True).size().rename("events").reset_index()
    return counted.sort_values("events", ascending=False, kind="stable", ignore_index=True)


def address_bars(counts: pd.DataFrame, theme: str) -> Figure:
    """Draw how many events each address raised, of what `address_counts` returns, by the events' names."""
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
    """Return events by core and address."""
    return counts.groupby(["track", "pc"])["events"].sum()


def _shown_places(counts: pd.DataFrame) -> list[tuple[str, int]]:
    return sorted((str(track), int(pc)) for track, pc in _totals(counts).nlargest(MOST_ADDRESSES).index)


def _place_text(track: str, pc: int, *, several: bool) -> str:
    return f"{plain(track)} {pc:#06x}" if several else f"{pc:#06x}"


def _bars(name: str, part: pd.DataFrame, at: dict[tuple[str, int], int], theme: str) -> dict[str, Any]:
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
        "marker": {"color": event_color(name, theme), "line": {"width": 0.5, "color": palette(theme).panel}},
    }


def address_order(records: pd.DataFrame, theme: str) -> Figure:
    """Draw the address of each event over the order of its capture, which is no time."""
    shown = records.head(MOST_POINTS)
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
        "xaxis": {"title": {"text": "order of capture on the core, no time"}},
        "yaxis": {"title": {"text": "address in program memory"}, "tickformat": "#x"},
    }
    return figure(points, layout, theme)


def addresses_answer(counts: pd.DataFrame) -> str:
    """Say how many events which addresses raised, and which raised most."""
    total = int(counts["events"].sum())
    if not total:
        return "No event has an address."
    by_place = _totals(counts)
    track, pc = by_place.idxmax()
    most, cores = int(by_place.max()), counts["track"].nunique()
    where = f"{count_text(len(by_place), 'address')} of {count_text(cores, 'core')}"
    place = _place_text(track, pc, several=cores > 1)
    return f"{count_text(total, 'event')} at {where}; most at {place}: {integer(most)}, {percent(most / total)}."


def addresses_left_out(counts: pd.DataFrame, records: int, *, by_order: bool) -> str:
    """Say what is not drawn; empty where all is."""
    if by_order:
        left = max(records - MOST_POINTS, 0)
        return f"{count_text(left, 'later event')} left out." if left else ""
    left = max(len(_totals(counts)) - MOST_ADDRESSES, 0)
    return f"{count_text(left, 'address')} with fewer events left out." if left else ""
