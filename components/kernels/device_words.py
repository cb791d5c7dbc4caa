"""Sentence of where the time of a profile's devices goes."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.kernels.breakdown import DeviceBreakdown, busiest
from analysis.kernels.idle import REASONS, DeviceIdle
from components.kernels.step_words import time_text
from components.numbers import count_text

REASON_LABELS = {name: name.replace("_", " ") for name in REASONS}
"""Reason for idle time -> label."""
_MIN_SHARE = 0.01
"""Parts below this share of the time are left out of the sentence."""


def device_sentence(
    devices: Sequence[DeviceBreakdown], idle_times: Sequence[DeviceIdle], step_ns: float | None
) -> str:
    """Describe the busiest device, in counted steps if there are any, else in its window.

    `idle_times` explain the idle time of the same devices, `step_ns` is the typical time of a step.

    `345 ms a step: GPU busy 54 %, communication 17 % exposed, copies 2 % exposed; idle 46 %, of it
    30 % host.` Parts below 1 % are left out, and the time of a step if no step is typical.
    """
    device = busiest(list(devices))
    if device is None:
        return "No spans of a device: the trace has the host alone."
    step = "" if step_ns is None else f"{time_text(step_ns)} a step: "
    name = "GPU" if len(devices) == 1 else f"GPU {device.spans.device}"
    idle = next(row for row in idle_times if row.device == device.spans.device)
    return f"{step}{name} busy {_busy_words(device)}; idle {_idle_words(device, idle)}."


def busy_scope(device: DeviceBreakdown) -> str:
    """Name what a device's busy share is of, and the part of copies alone: `4 steps, copies 2 %`.

    Parts below 1 % are left out.
    """
    of_steps = count_text(device.counted_steps, "step") if device.counted else "first to last run"
    copies = device.main_split.share("copy_exposed")
    if copies is None or copies < _MIN_SHARE:
        return of_steps
    return f"{of_steps}, copies {_percent(copies)}"


def _busy_words(device: DeviceBreakdown) -> str:
    parts = [_percent(device.main_split.share("busy"))]
    for part, label in (("communication_exposed", "communication"), ("copy_exposed", "copies")):
        share = device.main_split.share(part)
        if share is not None and share >= _MIN_SHARE:
            parts.append(f"{label} {_percent(share)} exposed")
    return ", ".join(parts)


def _idle_words(device: DeviceBreakdown, idle: DeviceIdle) -> str:
    whole = _percent(device.main_split.share("idle"))
    total = sum(idle.main_reasons.values())
    if not total:
        return whole
    reason = max(idle.main_reasons, key=lambda name: idle.main_reasons[name])
    return f"{whole}, of it {_percent(idle.main_reasons[reason] / total)} {REASON_LABELS[reason]}"


def _percent(share: float | None) -> str:
    return "0 %" if share is None else f"{100 * share:.0f} %"
