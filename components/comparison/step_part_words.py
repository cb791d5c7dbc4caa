"""Sentence about the part of a profile's step that changed most, and labels of the parts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from analysis.comparison.step_parts import STEP, Change, SideParts, StepParts
from components.kernels.device_names import device_label
from components.kernels.device_words import REASON_LABELS
from components.kernels.step_words import time_text
from components.numbers import signed_text
from schema.plurals import plural

PART_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "step": "step",
        "compute": "compute",
        "communication_exposed": "exposed communication",
        "copy_exposed": "exposed copies",
        "idle": "idle",
    }
)
"""Part of a step -> label."""
_MIN_CHANGE = 0.01
"""Relative change of a step below which its parts changed against each other: the largest counts,
whatever its direction.
"""


def parts_sentence(parts: StepParts | None) -> str:
    """Describe how the time of a step changed, and the part that changed most; "" if the parts are
    unknown.

    `345 -> 410 ms a step (+19 %): +50.0 ms idle, mostly host.` The time is the typical step of both
    sides, else the mean of their counted steps, without steps the window from the first execution
    to the last.
    """
    if parts is None:
        return ""
    before, after = _shown_times(parts)
    relative = f" ({_percent(after / before - 1)})" if before else ""
    lead = f"{_change_text(before, after)} {_time_words(parts)}{relative}{_device_words(parts)}"
    return f"{lead}: {_part_words(parts)}."


def reason_label(reason: str) -> str:
    """Return the label of a reason for idle time."""
    return REASON_LABELS[reason]


def signed_time(ns: float) -> str:
    """Format a change of a time with its sign and unit; 0 has no sign."""
    return signed_text(time_text(abs(ns)), ns)


def has_typical_steps(parts: StepParts) -> bool:
    """Whether both sides have a typical step."""
    return parts.base.step_ns is not None and parts.new.step_ns is not None


def _shown_times(parts: StepParts) -> tuple[float, float]:
    if parts.base.step_ns is not None and parts.new.step_ns is not None:
        return parts.base.step_ns, parts.new.step_ns
    return parts.base.parts[STEP], parts.new.parts[STEP]


def _change_text(before: float, after: float) -> str:
    """Format two times, with a single unit if it is the same: `345 -> 410 ms`."""
    base = time_text(before)
    new = time_text(after)
    number, _, unit = base.rpartition(" ")
    return f"{number if new.endswith(f' {unit}') else base} -> {new}"


def _time_words(parts: StepParts) -> str:
    if not parts.base.steps:
        return "from the first execution to the last"
    if has_typical_steps(parts):
        return "a step"
    return f"a step, the mean of {parts.base.steps} and {plural(parts.new.steps, 'counted step')}"


def _device_words(parts: StepParts) -> str:
    if parts.base.device == parts.new.device:
        return ""
    names = [device_label(side.device, side.interface) for side in (parts.base, parts.new)]
    return f", {' and '.join(names)}"


def _part_words(parts: StepParts) -> str:
    step, *changes = parts.parts
    main = _main_change(step, changes, parts.base)
    if not main.change:
        return "no part changed"
    words = f"{signed_time(main.change)} {PART_LABELS[main.name]}"
    return f"{words}{_reason_words(main, parts)}" if main.name == "idle" else words


def _main_change(step: Change, changes: list[Change], base: SideParts) -> Change:
    """Find the part that changed most, in the direction of the step if that changed."""
    if abs(step.change) >= _MIN_CHANGE * base.parts[STEP]:
        return max(changes, key=lambda part: part.change * (1 if step.change > 0 else -1))
    return max(changes, key=lambda part: abs(part.change))


def _reason_words(idle: Change, parts: StepParts) -> str:
    """Name the reason with at least half of the change of the idle time; "" if there is none."""
    sign = 1 if idle.change > 0 else -1
    reason = max(parts.reasons, key=lambda change: change.change * sign, default=None)
    if reason is None or 2 * reason.change * sign < abs(idle.change):
        return ""
    return f", mostly {reason_label(reason.name)}"


def _percent(relative: float) -> str:
    rounded = round(100 * abs(relative))
    return f"{signed_text(str(rounded), relative)} %" if rounded else "0 %"
