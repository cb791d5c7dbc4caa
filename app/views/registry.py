"""All views of a run's page in reading order, and all of its keys.

Page, callbacks, snapshot and keyboard help use these tuples. A run has every view that needs no
other capabilities than the run's; no run has two views with the same id.
"""

from __future__ import annotations

from app.views import durations
from app.views.actions import apply_zoom
from app.views.aie import actions as array_steps
from app.views.aie import panels as array
from app.views.aie.addresses import ADDRESSES
from app.views.aie.pace import LIMITERS, TILE_TIMES
from app.views.aie.waterfall import WATERFALL
from app.views.design import floorplan as array_with_design
from app.views.design import graph as design_graph
from app.views.design.plan import PLAN
from app.views.design.stalls import STALLS as STALLS_OF_DESIGN
from app.views.design.tile_memory import TILE_BANKS, TILE_MAP
from app.views.jumps import JUMP
from app.views.kernels import content_views as kernel_views
from app.views.kernels import panels as kernel_panels
from app.views.kernels.calls import CALLS
from app.views.kernels.device_time import DEVICE_TABLE, DEVICE_TIME
from app.views.kernels.idle import GAPS, IDLE
from app.views.kernels.operators import OPERATORS as FRAMEWORK_OPERATORS
from app.views.kernels.ranks import RANKS
from app.views.kernels.steps import STEPS
from app.views.key import Key
from app.views.memory import actions as memory_steps
from app.views.memory import allocator, attempts, banks, blocks, devices, groups, panels
from app.views.memory.comparison import COMPARE
from app.views.memory.peak import PEAK, PEAK_OF_DEVICE
from app.views.memory.stacks import STACKS
from app.views.results import numbers as results
from app.views.state import RunState
from app.views.tiling import network
from app.views.tiling.advice import ADVICE
from app.views.tiling.array import SIZES
from app.views.tiling.buffers import BUFFERS
from app.views.tiling.operators import CHOICES as CHOICES_OF_OPERATOR
from app.views.tiling.operators import OPERATORS
from app.views.tiling.size_sweep import SIZE_SWEEP
from app.views.tiling.tile_times import TILE_CYCLES
from app.views.timeline import actions as timeline_steps
from app.views.timeline import panels as timeline
from app.views.timeline.counters import COUNTERS_IN_VIEW
from app.views.view import View
from app.views.view_page import ViewPage
from app.views.view_plugins import find_plugins

BUILT_IN: tuple[View, ...] = (
    results.NUMBERS,
    results.SAMPLES,
    timeline.TIMELINE_OF_DEVICES,
    COUNTERS_IN_VIEW,
    DEVICE_TIME,
    DEVICE_TABLE,
    IDLE,
    GAPS,
    STEPS,
    RANKS,
    array_with_design.FLOORPLAN_OF_DESIGN,
    design_graph.GRAPH_OF_DESIGN,
    groups.GROUPS,
    attempts.ATTEMPTS,
    attempts.LEVELS,
    attempts.TILES,
    allocator.DEVICES,
    blocks.ALIVE,
    panels.STEP_STACK,
    PEAK,
    blocks.PACKING,
    banks.CONFLICTS,
    network.NETWORK,
    OPERATORS,
    panels.MAP,
    blocks.BLOCK,
    COMPARE,
    panels.BANKS,
    panels.LIVE,
    allocator.ALLOCATED,
    panels.TIMESTEPS,
    groups.CURVE,
    banks.OCCUPANTS,
    STACKS,
    BUFFERS,
    CHOICES_OF_OPERATOR,
    TILE_CYCLES,
    network.CAPACITIES,
    network.SWEEP,
    network.JOINT,
    TILE_TIMES,
    LIMITERS,
    PLAN,
    STALLS_OF_DESIGN,
    array.ITERATIONS,
    WATERFALL,
    array.FLOORPLAN,
    array_with_design.FLOORPLAN_OF_CAPTURE,
    timeline.TIMELINE_OF_TILES,
    FRAMEWORK_OPERATORS,
    CALLS,
    kernel_views.KERNELS,
    kernel_views.KERNEL,
    kernel_views.PROGRAM,
    durations.DURATIONS_OF_TILES,
    durations.DURATIONS_OF_KERNELS,
    array.STALLS,
    SIZES,
    SIZE_SWEEP,
    ADVICE,
    ADDRESSES,
    TILE_MAP,
    TILE_BANKS,
    design_graph.GRAPH_OF_CAPTURE,
    kernel_panels.ROOFLINE,
    devices.DEVICES,
    devices.ALIVE,
    PEAK_OF_DEVICE,
    devices.MAP,
    devices.BUFFER,
    devices.LIVE,
    kernel_views.COUNTS,
    kernel_panels.COUNTERS,
)
"""The views of this project in reading order."""

# After the built-in views, because a plugin must not take the id of one of them.
PLUGINS = find_plugins(BUILT_IN)
"""Entry points of other packages, with their views or errors."""
VIEWS = (*BUILT_IN, *(view for found in PLUGINS for view in found.views))
"""All views; views of other packages come last."""

KEYS: tuple[Key, ...] = (*timeline_steps.KEYS, *array_steps.KEYS, *memory_steps.KEYS)
"""All key bindings; if a key has several, a run has the first binding whose needs it meets."""

RUN = ViewPage(name="run", views=VIEWS, state=RunState, zoomed=apply_zoom, keys=KEYS, jumps=(JUMP,))
"""The page of a run."""
CHOICES = RUN.choices
"""Name of every option -> the values that any view offers for it, the default first."""
parse = RUN.parse
"""Parse a query string of the run page."""
