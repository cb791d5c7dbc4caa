"""Processor time of scripts by frame, from the trace of a Chromium."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_FRAME = "FireAnimationFrame"
_SCRIPTS = frozenset(
    (_FRAME, "EventDispatch", "FunctionCall", "TimerFire", "RunMicrotasks", "EvaluateScript")
)
"""Names of the events that run scripts; they may contain each other."""


def script_of_frames(events: Iterable[Mapping[str, Any]]) -> list[float]:
    """Compute the milliseconds of script since the previous frame, for each animation frame.

    Time is that of the thread's processor (`tdur`, in microseconds), so that a busy machine does
    not count.
    """
    scripts = [e for e in events if e.get("name") in _SCRIPTS and e.get("ph") == "X"]
    threads = {(e["pid"], e["tid"]) for e in scripts if e["name"] == _FRAME}
    own = sorted((e for e in scripts if (e["pid"], e["tid"]) in threads), key=lambda e: e["ts"])
    frames = []
    spent = 0.0
    reached = 0.0
    for event in own:
        # An event inside another event is part of its time.
        if event["ts"] >= reached:
            spent += event.get("tdur", event["dur"])
            reached = event["ts"] + event["dur"]
        if event["name"] == _FRAME:
            frames.append(spent / 1e3)
            spent = 0.0
    return frames
