"""The slider of capacities; each of its steps is a capacity with a name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from app.views.lab.state import LabState
from components.counts import part_text
from components.numbers import size
from schema.digits import is_whole
from services.lab.data import LabData

SLIDER, SAID = "lab-slider", "lab-slider-said"
_MAX_BANKS = 64
_NO_CAPACITY = "no capacity: the least extent"


@dataclass(frozen=True)
class CapacityStep:
    """A capacity in bytes, including constants, and its names; None searches for the least extent."""

    capacity: int | None
    names: tuple[str, ...]


def capacity_steps(data: LabData) -> list[CapacityStep]:
    """Return the steps of the slider in ascending order; the last step has no capacity.

    The capacities are powers of two, numbers of banks, the bound, and the file's extent and
    capacity.
    """
    static = 0 if data.problem is None else data.problem.static_bytes
    bound = static + (data.lower_bound or 0)
    stored = data.stored_map
    named: dict[int, list[str]] = {bound: ["the bound"]}
    alive = data.bytes_alive
    if alive is not None and static + alive != bound:
        named = {bound: ["the bound with alignment"], static + alive: ["the bytes alive at once"]}
    lowest = min(named)
    if stored is not None:
        extent = stored.whole("extent")
        own = stored.whole("capacity")
        if extent is not None and data.is_placed:
            named.setdefault(static + extent, []).append("the file's extent")
        if own:
            named.setdefault(own, []).append("the file's capacity")
        if bank := stored.whole("bank_bytes"):
            banks = min(stored.whole("banks") or 0, _MAX_BANKS)
            for count in range(1, banks + 1):
                named.setdefault(bank * count, []).append(f"{part_text(count, banks, 'bank')}")
    # The first step is the largest power of two below the bounds: no placement fits there.
    power = 1 << max((lowest - 1).bit_length() - 1, 0)
    # Ends when a power of two is the largest step: the next power is twice that.
    while power < 2 * max(named):
        named.setdefault(power, []).append("a power of two")
        power *= 2
    steps = [
        CapacityStep(capacity, tuple(named[capacity])) for capacity in sorted(named) if capacity > 0
    ]
    return [*steps, CapacityStep(None, (_NO_CAPACITY,))]


def slider(data: LabData, state: LabState) -> dict[str, Any]:
    """Return `min`, `max`, `step` and `value` of the slider, positions in `capacity_steps`; the
    value is the step nearest to the chosen capacity, the last without a capacity.
    """
    steps = capacity_steps(data)
    return {"min": 0, "max": len(steps) - 1, "step": 1, "value": _place(steps, state.capacity)}


def slider_words(data: LabData, state: LabState) -> str:
    """Return the requested capacity as a size, followed by its names if the slider has it; without
    a capacity "no capacity: the least extent".
    """
    if state.capacity is None:
        return _NO_CAPACITY
    names = next(
        (step.names for step in capacity_steps(data) if step.capacity == state.capacity), ()
    )
    return ", ".join([size(state.capacity), *names])


def slide_capacity(state: LabState, data: LabData, value: object) -> LabState:
    """Return the state with the capacity at slider position `value`.

    Unchanged if the value is no position, or is the position at which the slider already is.
    """
    text = str(value)
    steps = capacity_steps(data)
    if not is_whole(text, len(str(len(steps)))) or int(text) >= len(steps):
        return state
    # The page itself may have set the slider to the nearest step. Reading that as an action would
    # replace a capacity between two steps.
    same = int(text) == _place(steps, state.capacity)
    return state if same else replace(state, capacity=steps[int(text)].capacity)


def _place(steps: list[CapacityStep], capacity: int | None) -> int:
    if capacity is None:
        return len(steps) - 1
    distances = [abs(step.capacity - capacity) for step in steps if step.capacity is not None]
    return distances.index(min(distances))
