"""A run in words: the metrics of its strip, and what of it is selected; its page and its snapshot show both."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.timeline.marker_windows import window_name
from app.views.memory.groups import log_sentence
from app.views.memory.shown import shown_map
from app.views.registry import RUN
from app.views.state import RunState
from components import summary
from components.aie.pace import pace_answer
from components.memory.scopes import memory_scopes
from components.memory.words import memory_words
from components.numbers import shorten
from schema.choices import METHODS
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.profile import ProfileData


def first_sentence(data: RunData, state: RunState) -> str:
    """Return what the reader of a run came for: of a capture what sets the pace, of a log which groups failed."""
    if data.can(Capability.LAYER_GROUPS, Capability.ADDRESSES):
        return log_sentence(data)
    stated = state.method == METHODS[0] and data.pace is not None
    return pace_answer(data.pace) if stated else ""


def strip_metrics(data: RunData) -> tuple[str, ...]:
    """Return the metrics that head the run, in order."""
    if data.can(Capability.NAMED_KERNELS):
        return summary.profile_strip(data.headline)
    return summary.memory_strip(data.headline) if data.can(Capability.MEMORY) else summary.STRIP


def strip_scopes(data: RunData) -> Mapping[str, str]:
    """Return what of the run the metrics of its strip are about, where that is not all of it."""
    return memory_scopes(data.memory.attempts) if data.can(Capability.ADDRESSES) else {}


def selection_words(data: RunData, state: RunState) -> dict[str, str]:
    """Return what is selected in words, by the part of the view state."""
    words = summary.selection_words(state.selection, data.unit)
    if data.can(Capability.NAMED_KERNELS):
        words |= _profile_words(data.profile, state)
    words |= memory_words(state.memory, shown_map(data, state)) | _found_words(state)
    return words | RUN.selection_words(data, state)


def _profile_words(profile: ProfileData, state: RunState) -> dict[str, str]:
    """Return what only profiles have: windows between markers go by their names, a kernel by its run."""
    chosen = state.selection
    named = window_name(profile.frame("markers"), chosen.window, profile.extent) if chosen.window else None
    words = {"window": shorten(named, 60)} if named else {}
    if chosen.kernel is not None and chosen.kernel < len(profile.kernels):
        kernel = profile.kernels.iloc[chosen.kernel]
        words["kernel"] = f"run {kernel['run']} on {shorten(str(kernel['track']), 30)}"
    return words


def _found_words(state: RunState) -> dict[str, str]:
    words = {"find": state.find, "search": state.search}
    return {part: f"“{shorten(text, 30)}”" for part, text in words.items() if text}
