"""The option that hides the counters below the lanes of a timeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analysis.timeline.rows import TimelineData
from app.views.option import Option
from app.views.page_data import State

_SHOWN, _HIDDEN = "shown", "hidden"
_LABELS = {_SHOWN: "with counters", _HIDDEN: "without counters"}


def counters_option(has_counters: Callable[[Any], bool]) -> Option:
    """Create the option; `has_counters` returns whether page data has counters to hide."""
    return Option("counters", "counters below the lanes", _LABELS, offered=has_counters)


_OPTION = counters_option(lambda _data: True)


def timeline_shown(timeline: TimelineData, state: State) -> TimelineData:
    """Return the data of a timeline, without its counters if the option hides them."""
    return timeline.without_counters() if _OPTION.of(state) == _HIDDEN else timeline
