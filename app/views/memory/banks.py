"""Views of the banks of a memory: blocks in banks, and candidates for bank conflicts."""

from __future__ import annotations

import pandas as pd
from dash import html

from analysis.memory.bank_occupants import bank_occupants, steps_around
from analysis.memory.cursor import cursor
from analysis.memory.findings.bank_conflicts import bank_conflicts
from app.views.memory.shown import shown_map
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from app.views.view import ContentView, Part, Width
from components.memory.captions import NO_BANKS
from components.memory.conflict_list import conflict_list, conflicts_caption
from components.memory.occupants_table import occupants_caption, occupants_table
from components.memory.step_captions import NO_TABLE
from services.run.capabilities import Capability
from services.run.data import RunData


def conflicts_part(data: RunData, state: RunState) -> Part:
    """List blocks of a step's computation and transfers that share a bank; a hint about the missing
    data if the log has no banks or transfers.
    """
    candidates = _find_conflicts(data, state)
    if candidates is None:
        return _lacking(data, state)
    return Part(
        conflict_list(candidates) if len(candidates) else html.Div(), conflicts_caption(candidates)
    )


def _lacking(data: RunData, state: RunState) -> Part:
    """Lay out a hint about the data that a log lacks for the views of banks.

    The result is empty for sources without banks.
    """
    shown = shown_map(data, state)
    if shown is None or not data.can(Capability.LAYER_GROUPS):
        return Part(None, "")
    words = NO_TABLE if shown.whole("banks") else NO_BANKS
    return Part(html.P(words, className="ts-panel-hint"), "")


def _find_conflicts(data: RunData, state: RunState) -> pd.DataFrame | None:
    """Return the candidates for bank conflicts in the displayed attempt, a row per pair of blocks.

    The result is None if the attempt has no banks or its log does not have the transfers of each
    step.
    """
    shown = shown_map(data, state)
    if shown is None or not shown.whole("banks"):
        return None
    events = data.memory.attempt_events(shown.number)
    return bank_conflicts(shown, events) if len(events) else None


def occupants_part(data: RunData, state: RunState) -> Part:
    """List the blocks in each bank at the steps around the cursor; a hint about the missing data if
    the log has no banks.
    """
    shown = shown_map(data, state)
    if shown is None or not shown.whole("banks"):
        return _lacking(data, state)
    step = cursor(shown, state.memory)
    around = steps_around(shown, step, state.memory.span)
    occupants = bank_occupants(shown, around)
    if not len(occupants):
        return Part(None, "")
    return Part(
        occupants_table(shown, occupants, around, step), occupants_caption(shown, occupants, around)
    )


def conflicts_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the candidates for bank conflicts in the displayed attempt; empty if
    there are no candidates.
    """
    shown = shown_map(data, state)
    conflicts = _find_conflicts(data, state)
    if shown is None or conflicts is None or not len(conflicts):
        return []
    return [plain_table(f"candidates for bank conflicts in {shown.label}", conflicts)]


_NEEDS = frozenset({Capability.ADDRESSES})
OCCUPANTS = ContentView(
    id="occupants",
    title="Blocks in banks",
    help="The blocks in each bank at each step, around the step cursor; a cell's tooltip has their bytes.",
    needs=_NEEDS,
    group="memory",
    width=Width.FULL,
    make=occupants_part,
)
CONFLICTS = ContentView(
    id="conflicts",
    title="Bank conflicts",
    help="Candidates: blocks that one step computes with and transfers in the same bank. Not every candidate costs time.",
    needs=_NEEDS,
    group="memory",
    width=Width.HALF,
    stack="lists",
    make=conflicts_part,
    tables=conflicts_tables,
)
