"""View of the program addresses that raised events, for cores that were traced by program counter."""

from __future__ import annotations

import pandas as pd

from app.views.option import Option
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from app.views.view import Panel, Plot, Width
from components.aie import addresses as figures
from services.run.capabilities import Capability
from services.run.data import RunData

_BY = Option(
    "events_by", "how events are drawn", {"count": "events by address", "order": "order of capture"}
)


def _records_of_track(data: RunData, state: RunState) -> pd.DataFrame:
    records = data.profile.frame("program_counters")
    track = state.selection.track
    own = records[records["track"] == track]
    return own if len(own) else records


def addresses_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the number of events per program address, or their order, of the selected core; of all
    cores if it has no such events.
    """
    records = _records_of_track(data, state)
    counts = figures.address_counts(records)
    by_order = _BY.of(state) == "order"
    drawn = (
        figures.address_order(records, theme) if by_order else figures.address_bars(counts, theme)
    )
    left = figures.addresses_left_out(counts, len(records), by_order=by_order)
    return Panel(drawn, figures.addresses_caption(counts), left)


def addresses_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the events per address, of the selected core or all cores."""
    return [
        plain_table("events by address", figures.address_counts(_records_of_track(data, state)))
    ]


ADDRESSES = Plot(
    id="addresses",
    title="Events by address",
    help=(
        "Cores that are traced by program counter (EVENT_PC) record which instruction raised an event, "
        "and the order, but no times: timelines, iterations and rates exclude "
        "them. If a tile is selected, only its events are shown."
    ),
    needs=frozenset({Capability.PROGRAM_COUNTERS}),
    width=Width.FULL,
    choices=(_BY,),
    draw=addresses_panel,
    tables=addresses_tables,
)
