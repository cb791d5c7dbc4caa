"""Events by the address of the instruction that raised them, of cores that were traced without times."""

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
    shown = _shown_addresses(counts)
    if not shown:
        return nothing(theme)
    at = {pc: row for row, pc in enumerate(shown)}
    rows = counts[counts["pc"].isin(at)]
    bars = [_bars(name, part, at, theme) for name, part in rows.groupby("name", sort=True)]
    layout = {
        "barmode": "stack",
        "bargap": 0.25,
        "height": _FRAME_PX + _ROW_PX * len(shown),
        "margin": {"l": 84, "r": 16, "t": 34, "b": 40},
        "xaxis": {"title": {"text": "events"}, "rangemode": "tozero"},
        "yaxis": row_axis([f"{pc:#06x}" for pc in shown]),
    }
    return figure(bars, layout, theme)


def _shown_addresses(counts: pd.DataFrame) -> list[int]:
    totals = counts.groupby("pc")["events"].sum().nlargest(MOST_ADDRESSES)
    return sorted(int(pc) for pc in totals.index)


def _bars(name: str, part: pd.DataFrame, at: dict[int, int], theme: str) -> dict[str, Any]:
    total = part.groupby("pc")["events"].sum()
    hover = [f"<b>{pc:#06x}</b> {plain(shorten(name))}<br>{count_text(count, 'event')}" for pc, count in total.items()]
    return {
        "type": "bar",
        "orientation": "h",
        "name": plain(shorten(name)),
        "x": total.to_numpy(np.int64),
        "y": np.array([at[int(pc)] for pc in total.index], np.int64),
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
            "hovertemplate": f"{plain(shorten(str(name)))}<br>record %{{x}}, address %{{y:#x}}<extra></extra>",
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
    cores, addresses = counts["track"].nunique(), counts["pc"].nunique()
    by_address = counts.groupby("pc")["events"].sum()
    most = int(by_address.idxmax())
    share = percent(by_address.max() / total)
    where = f"{count_text(addresses, 'address')} of {count_text(cores, 'core')}"
    return f"{count_text(total, 'event')} at {where}; most at {most:#06x}: {integer(by_address.max())}, {share}."


def addresses_left_out(counts: pd.DataFrame, records: int, *, by_order: bool) -> str:
    """Say what is not drawn; empty where all is."""
    if by_order:
        left = max(records - MOST_POINTS, 0)
        return f"{count_text(left, 'later event')} left out." if left else ""
    left = max(counts["pc"].nunique() - MOST_ADDRESSES, 0)
    return f"{count_text(left, 'address')} with fewer events left out." if left else ""
