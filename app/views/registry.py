"""Every view of a run's page, in reading order, and every key.

Page, callbacks, snapshot and keyboard help go by these. A run has the views whose needs it meets; no run has two of
one id.
"""

from __future__ import annotations

from app.views import durations, state
from app.views.aie import panels as array
from app.views.aie import steps as array_steps
from app.views.aie.waterfall import WATERFALL
from app.views.jumps import JUMP
from app.views.kernels import panels as kernel_panels
from app.views.kernels import parts as kernel_parts
from app.views.keys import Key
from app.views.memory import devices, panels, parts
from app.views.memory import steps as memory_steps
from app.views.screen import Screen, choices_of
from app.views.state import RunState
from app.views.steps import zoomed
from app.views.tiling.array import SIZES
from app.views.tiling.buffers import BUFFERS
from app.views.tiling.operators import CHOICES as CHOICES_OF_OPERATOR
from app.views.tiling.operators import OPERATORS
from app.views.timeline import panels as timeline
from app.views.timeline import steps as timeline_steps
from app.views.view import View

VIEWS: tuple[View, ...] = (
    parts.ATTEMPTS,
    parts.LEVELS,
    parts.ALIVE,
    parts.PACKING,
    parts.CONFLICTS,
    panels.MAP,
    parts.BLOCK,
    parts.COMPARE,
    panels.BANKS,
    parts.OCCUPANTS,
    panels.LIVE,
    panels.TIMESTEPS,
    OPERATORS,
    BUFFERS,
    CHOICES_OF_OPERATOR,
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
    SIZES,
    kernel_panels.ROOFLINE,
    devices.DEVICES,
    devices.ALIVE,
    devices.MAP,
    devices.BUFFER,
    devices.LIVE,
    kernel_parts.COUNTS,
    kernel_panels.COUNTERS,
)
"""The views in reading order."""

KEYS: tuple[Key, ...] = (*timeline_steps.KEYS, *array_steps.KEYS, *memory_steps.KEYS)
"""The keys; of several bindings of a key a run has the first whose needs it meets."""


CHOICES = choices_of(VIEWS)
"""Name of every choice -> the values that any view gives it, the default first."""


def parse(query: str) -> RunState:
    """Return the view state that a query string names."""
    return state.parse(query or "", CHOICES)


RUN = Screen(name="run", views=VIEWS, parse=parse, zoomed=zoomed, keys=KEYS, jumps=(JUMP,))
"""The page of a run."""
