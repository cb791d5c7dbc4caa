"""Piece of a run's head: the parts of its memory peak, and the way to the changes that lower it."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

from dash import dcc

from analysis.memory.selection import MemorySelection
from app.views.drawing import Properties
from app.views.jumps import caption_parts
from app.views.memory.peak import ADVICE, PEAK
from app.views.state import RunState
from components.memory.peak_words import parts_sentence
from services.run.data import RunData
from services.run.peak import headline_map, map_peak

HIDDEN: Properties = {"run-peak": {"children": [], "hidden": True}}
"""Properties of a run without memory."""


def peak_properties(data: RunData, state: RunState, _theme: str) -> Properties:
    """Write the parts of the peak of the headline's map, with a link to card *Peak* that replays
    the changes which lower it.
    """
    amap = headline_map(data.memory)
    parts = None if amap is None else map_peak(data.memory, data.frame("device_memory"), amap)
    sentence = "" if amap is None or parts is None else parts_sentence(amap, parts)
    if not sentence:
        return HIDDEN
    children = [*caption_parts("head", sentence), " ", _advice_link(data, state)]
    return {"run-peak": {"children": children, "hidden": False}}


def _advice_link(data: RunData, state: RunState) -> dcc.Link:
    # The sentence is about the headline's attempt, whichever attempt is selected.
    advised = replace(
        state, memory=MemorySelection(), chosen={**state.chosen, ADVICE.name: "advice"}
    )
    address = f"/run/{quote(data.run_id)}?{advised.query()}#{PEAK.id}"
    return dcc.Link("What lowers it", href=address, title="Replay the changes that lower the peak")
