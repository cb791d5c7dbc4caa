"""The slider of capacities: from a little below the bound to more than any placement so far needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.views.lab.state import LabState
from schema.digits import is_whole
from services.lab.data import LabData

SLIDER = "lab-slider"
_BELOW = 0.95
"""Part of the bound at which the slider begins: there it is proved that nothing fits."""
_PLACES = 400


def slider(data: LabData, state: LabState) -> dict[str, Any]:
    """Return range and value of the slider; without a capacity it stands at its end."""
    static = 0 if data.problem is None else data.problem.static_bytes
    bound = data.lower_bound or 0
    stored = data.stored_map
    known = [bound, *(one.extent or 0 for one in data.answers)]
    known += [] if stored is None else [stored.whole("extent") or 0, (stored.whole("capacity") or 0) - static]
    low, high = static + int(bound * _BELOW), static + max(*known, bound + 1)
    step = max(1, (high - low) // _PLACES)
    places = -((low - high) // step)
    # A browser moves its slider to a place: were the value none, it would look as if somebody had moved it.
    place = places if state.capacity is None else min(max(round((state.capacity - low) / step), 0), places)
    return {"min": low, "max": low + places * step, "step": step, "value": low + place * step}


def slide_capacity(state: LabState, data: LabData, value: object) -> LabState:
    """Return the state with the capacity that the slider was moved to."""
    text, now = str(value), slider(data, state)
    if not is_whole(text, len(str(2**62))):
        return state
    # What the page itself set is no news: rounded to a step of the slider, it would change the question.
    same = abs(int(text) - int(now["value"])) < int(now["step"])
    return state if same else replace(state, capacity=int(text))
