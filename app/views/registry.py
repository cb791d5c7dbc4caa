"""Every view of a run's page, in reading order, and every key.

Page, callbacks, snapshot and keyboard help go by these. A run has the views whose needs it meets; no run has two of
one id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from app.views import durations, state
from app.views.aie import panels as array
from app.views.aie import steps as array_steps
from app.views.aie.waterfall import WATERFALL
from app.views.choice import Choice
from app.views.jumps import JUMP
from app.views.kernels import panels as kernel_panels
from app.views.kernels import parts as kernel_parts
from app.views.keys import Key
from app.views.memory import devices, panels, parts
from app.views.memory import steps as memory_steps
from app.views.state import RunState
from app.views.timeline import panels as timeline
from app.views.timeline import steps as timeline_steps
from app.views.view import Link, Plot, View, Words
from services.runs import RunData

VIEWS: tuple[View, ...] = (
    parts.ATTEMPTS,
    parts.LEVELS,
    parts.ALIVE,
    parts.BLOCK,
    parts.PACKING,
    parts.CONFLICTS,
    panels.MAP,
    parts.COMPARE,
    panels.BANKS,
    parts.OCCUPANTS,
    panels.LIVE,
    panels.TIMESTEPS,
    array.ITERATIONS,
    WATERFALL,
    array.FLOORPLAN,
    timeline.TIMELINE_OF_TILES,
    timeline.TIMELINE_OF_DEVICES,
    kernel_parts.KERNELS,
    kernel_parts.KERNEL,
    kernel_parts.PROGRAM,
    durations.DURATIONS_OF_TILES,
    durations.DURATIONS_OF_KERNELS,
    array.STALLS,
    kernel_panels.ROOFLINE,
    devices.DEVICES,
    devices.ALIVE,
    devices.BUFFER,
    devices.MAP,
    devices.LIVE,
    kernel_parts.COUNTS,
    kernel_panels.COUNTERS,
)
"""The views in reading order."""

KEYS: tuple[Key, ...] = (*timeline_steps.KEYS, *array_steps.KEYS, *memory_steps.KEYS)
"""The keys; of several bindings of a key a run has the first whose needs it meets."""


def _choices() -> Iterator[Choice]:
    for view in VIEWS:
        yield from view.choices


def _values(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for choice in _choices() if choice.name == name for value in choice.options))


CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType({one.name: _values(one.name) for one in _choices()})
"""Name of every choice -> the values that any view gives it, the default first."""


def parse(query: str) -> RunState:
    """Return the view state that a query string names."""
    return state.parse(query or "", CHOICES)


def views_of(data: RunData) -> list[View]:
    """Return the views that a run has, in reading order."""
    return [view for view in VIEWS if view.shown_for(data)]


def plots_of(data: RunData) -> list[Plot]:
    """Return the plots that a run has, in reading order."""
    return [view for view in views_of(data) if isinstance(view, Plot)]


def plot_of(data: RunData, view_id: str) -> Plot | None:
    """Return the plot of an id that the run has."""
    return next((view for view in plots_of(data) if view.id == view_id), None)


def words_of(data: RunData, view_id: str) -> Words | None:
    """Return the view in words of an id that the run has."""
    return next((view for view in views_of(data) if isinstance(view, Words) and view.id == view_id), None)


def links() -> list[Link]:
    """Return the links that stand inside of views, and those of their answers."""
    return [JUMP, *(link for view in VIEWS for link in view.links)]


def pressed(view: RunState, data: RunData, key: str) -> RunState:
    """Return the view state after a key."""
    binding = next((one for one in KEYS if key in one.keys and data.can(*one.needs)), None)
    return view if binding is None else binding.step(view, data, key)
