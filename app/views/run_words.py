"""Texts about a run that page and snapshot share: the metrics of its strip, and its selection in
words.
"""

from __future__ import annotations

from collections.abc import Mapping

from analysis.memory.allocation_totals import allocation_totals
from analysis.memory.device_memory import device_memory
from analysis.timeline.marker_windows import window_name
from app.views.design.tile_memory import selected_map
from app.views.design.words import stalls_caption
from app.views.kernels.device_sentence import profile_sentence
from app.views.memory.groups import log_sentence
from app.views.memory.shown import shown_map
from app.views.registry import RUN
from app.views.state import RunState
from components import summary
from components.aie.above_peak import peak_caption
from components.aie.pace import pace_caption
from components.aie.slices import slice_caption
from components.aie.waiting import waiting_caption
from components.caption import joined_captions
from components.incomplete import incomplete_caption
from components.kernels.device_words import busy_scope
from components.kernels.operator_words import operators_sentence
from components.memory.allocation_words import allocations_sentence
from components.memory.device_memory_words import memory_sentence
from components.memory.scopes import memory_scopes
from components.memory.words import memory_words
from components.numbers import count_text, shorten
from schema.choices import METHODS
from schema.headlines import is_nothing_placed
from schema.impossible import impossible_metrics
from schema.peak_rates import has_impossible_rates
from services.run.allocation_totals import has_allocation_totals
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.device_memory import has_device_memory
from services.run.node_operators import OPERATOR_FRAMES, has_node_operators, node_operators
from services.run.profile import ProfileData

_OF_PLACED = ("peak_memory", "capacity_use")
"""Metrics about the blocks that were placed."""


def first_sentence(data: RunData, state: RunState) -> str:
    """Join the sentences of `main_sentences`; "" if there are none."""
    return joined_captions(*main_sentences(data, state))


def main_sentences(data: RunData, state: RunState) -> list[str]:
    """List the main results of a run, the most important first, and at last which data they do not
    cover, if some is missing. Empty if there is neither.
    """
    return [*filter(None, (*_results(data, state), incomplete_caption(data.diagnostics)))]


def _results(data: RunData, state: RunState) -> list[str]:
    """List the main results of a run, the most important first: rates of a capture that are
    impossible or an iteration or kernel that is, a core that waits to the end, the limiters if rates are possible, and what its
    design explains of the stalls; the failed layer groups of a compile log; the operators of a
    profile of ONNX Runtime; the bytes of a buffer assignment of XLA; the time and the peak memory
    of devices.

    "" stands for a result that the run does not have.
    """
    if data.can(Capability.LAYER_GROUPS, Capability.ADDRESSES):
        return [log_sentence(data)]
    if has_allocation_totals(data.frames):
        return [allocations_sentence(allocation_totals(data.frame("allocation_totals")))]
    if has_node_operators(str(data.run.iloc[0]["source"])):
        operators = node_operators({name: data.frame(name) for name in OPERATOR_FRAMES})
        return [
            operators_sentence(
                operators.rows, operators.runs, operators.unattributed, operators.outside_ns
            )
        ]
    impossible = peak_caption(data.diagnostics)
    waiting = waiting_caption(data.diagnostics)
    # A gain over a rate that is impossible would not come.
    stated = state.method == METHODS[0] and not has_impossible_rates(data.headline)
    pace = pace_caption(data.pace) if stated and data.pace is not None else ""
    memory = memory_sentence(device_memory(data.known)) if has_device_memory(data.known) else ""
    # The time of devices comes before their memory, since a trace is taken for its times.
    times = profile_sentence(data) if data.can(Capability.NAMED_KERNELS) else ""
    design = stalls_caption(data.design, state) if data.design is not None else ""
    slices = slice_caption(data.tracks, data.iterations) if data.can(Capability.ITERATIONS) else ""
    return [impossible, waiting, pace, slices, design, times, memory]


def strip_metrics(data: RunData) -> tuple[str, ...]:
    """Return the names of the metrics at the top of the page, in order."""
    if data.can(Capability.NAMED_KERNELS):
        return summary.profile_strip(data.headline)
    if data.memory.facts.allocator:
        return summary.allocator_strip(data.headline)
    if data.can(Capability.MEMORY):
        return summary.memory_strip(data.headline)
    if data.can(Capability.ITERATIONS):
        return summary.STRIP
    if data.can(Capability.RESULTS):
        # The headline has the first number, and the table has all.
        return ()
    # A log of tiles alone has none of the numbers of a capture.
    return tuple(name for name in summary.STRIP if data.headline.get(name) is not None)


def strip_scopes(data: RunData, method: str) -> Mapping[str, str]:
    """Map metrics that do not cover the whole run to the words for the part that they cover: an
    attempt or level of a memory, the steps of a profile, the stalls of a capture. The word of
    impossible metrics is "impossible".
    """
    scopes = dict(memory_scopes(data.memory.attempts)) if data.can(Capability.ADDRESSES) else {}
    if is_nothing_placed(data.headline):
        scopes |= dict.fromkeys(_OF_PLACED, "nothing placed")
    elif failed := int(data.headline.get("failed_blocks") or 0):
        scopes |= dict.fromkeys(_OF_PLACED, f"{count_text(failed, 'block')} not placed")
    impossible = impossible_metrics(data.headline)
    scopes |= dict.fromkeys(impossible, "impossible")
    if data.can(Capability.ITERATIONS):
        # The card of stall shares has the stalls of the traced time, with waiting for other cores.
        robust = method == METHODS[0]
        scopes["lock_stall_share"] = "own, in iterations" if robust else "of traced time"
        # Its tile is that of the kernel's time, from which the share follows.
        scopes |= {"median_kernel": "impossible"} if "kernel_utilization" in impossible else {}
    if not data.can(Capability.NAMED_KERNELS):
        return scopes
    device = data.profile.busiest
    if device is not None:
        scopes["busy_share"] = busy_scope(device)
    elif data.headline.get("busy_share") is not None:
        # Nodes of the host, or a source without classes of executions.
        scopes["busy_share"] = "whole profile"
    return scopes


def selection_words(data: RunData, state: RunState) -> dict[str, str]:
    """Return part of the view state -> its value in words, for the parts that are selected or
    searched.
    """
    words = summary.selection_words(state.selection, data.unit)
    if data.can(Capability.NAMED_KERNELS):
        words |= _profile_words(data.profile, state)
    is_tile = data.can(Capability.DESIGN, Capability.TIMELINE)
    shown = selected_map(data, state) if is_tile else shown_map(data, state)
    words |= memory_words(state.memory, shown) | _found_words(state)
    return words | RUN.selection_words(data, state)


def _profile_words(profile: ProfileData, state: RunState) -> dict[str, str]:
    """Return the words that only profiles have: `window`, the name of a marker window, and
    `kernel`, the run of the selected kernel.

    Parts that are not selected are left out.
    """
    chosen = state.selection
    named = (
        window_name(profile.frame("markers"), chosen.window, profile.extent)
        if chosen.window
        else None
    )
    words = {"window": shorten(named, 60)} if named else {}
    if chosen.kernel is not None and chosen.kernel < len(profile.kernels):
        kernel = profile.kernels.iloc[chosen.kernel]
        words["kernel"] = f"run {kernel['run']} on {shorten(str(kernel['track']), 30)}"
    return words


def _found_words(state: RunState) -> dict[str, str]:
    words = {"find": state.find, "search": state.search}
    return {part: f"“{shorten(text, 30)}”" for part, text in words.items() if text}
