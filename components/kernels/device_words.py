"""Sentences about the time of a profile's devices and about their gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from analysis.kernels.breakdown import DeviceBreakdown, busiest
from analysis.kernels.idle import REASONS, DeviceIdle
from components.kernels.device_names import device_name, device_word
from components.kernels.step_words import time_text
from components.numbers import count_text, shorten

REASON_LABELS = {name: name.replace("_", " ") for name in REASONS}
"""Reason for idle time -> label."""
REASON_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "data_loader": "the launching thread waited for the data loader",
        "communication": "the launching thread was in an operator of communication",
        "synchronisation": "the host waited for the device, which then had no work",
        "copy": "the host waited for a copy, after which the device had no work",
        "allocation": "the launching thread allocated or freed memory of the device",
        "host": "the program, the interpreter or the dispatcher launched too late",
        "launch": "the launch was under way",
        "queued": "the launch had returned, and the device did not begin",
        "unknown": "the trace does not have the launch of the execution that ended the gap",
    }
)
"""Reason for idle time -> what happened."""
_MAX_NAME = 40
_MIN_POINTS, _MAX_POINTS = 0.5, 99.9
"""Percent below which a share has a digit behind the point, and the largest below 100."""
_MIN_SHARE = 0.01
"""Parts below this share of the time are left out of the sentence."""


def device_sentence(
    devices: Sequence[DeviceBreakdown], idle_times: Sequence[DeviceIdle], step_ns: float | None
) -> str:
    """Describe the busiest device, in counted steps if there are any, else in its window.

    `idle_times` explain the idle time of the same devices, `step_ns` is the typical time of a step.

    `345 ms a step: GPU busy 54 %, communication 17 % exposed, copies 2 % exposed; idle 46 %, of it
    30 % host.` Parts below 1 % are left out, and the time of a step if no step is typical. In a
    merged file it is that of the slowest rank. If the time of some executions is unknown, the shares
    are bounds: `busy at least 54 %; idle at most 46 %`.
    """
    device = busiest(list(devices))
    if device is None:
        host = "the trace has only the host" if step_ns is None else _host_step(step_ns)
        return f"No spans of a device: {host}, and no device."
    ranks = len({one.spans.rank for one in devices})
    slowest = " of the slowest rank" if ranks > 1 else ""
    step = "" if step_ns is None else f"{time_text(step_ns)} a step{slowest}: "
    name = device_word(device.spans) if len(devices) == 1 else device_name(device.spans)
    if device.spans.untimed:
        busy, rest = (_percent(device.main_split.share(part)) for part in ("busy", "idle"))
        return f"{step}{name} busy at least {busy}; idle at most {rest}."
    idle = next(row for row in idle_times if row.device == device.spans.device)
    return f"{step}{name} busy {_busy_words(device)}; idle {_idle_words(device, idle)}."


def _host_step(step_ns: float) -> str:
    return f"{time_text(step_ns)} a step on the host"


def busy_scope(device: DeviceBreakdown) -> str:
    """Name the scope of a device's busy share, and the share in which only copies ran: `4 steps,
    copies 2 % of the time`.

    The share of copies is left out if it is below 1 %, and if the time of executions is unknown.
    """
    of_steps = count_text(device.counted_steps, "step") if device.counted else "first to last run"
    if device.spans.untimed:
        return f"at least, {of_steps}"
    copies = device.main_split.share("copy_exposed")
    if copies is None or copies < _MIN_SHARE:
        return of_steps
    return f"{of_steps}, copies {_percent(copies)} of the time"


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


def device_caption(devices: Sequence[DeviceBreakdown]) -> str:
    """Describe the parts of the busiest device's time and their window; "" without devices.

    `Of 1.61 ms in 4 counted steps: 47 % compute, 21 % exposed communication and 32 % idle.` Parts
    below 1 % are left out.
    """
    device = busiest(list(devices))
    if device is None or not device.main_split.total:
        return ""
    split = device.main_split
    labels = {
        "compute": "compute",
        "communication_exposed": "exposed communication",
        "copy_exposed": "exposed copies",
        "idle": "idle",
    }
    shares = {part: split.share(part) for part in labels}
    parts = [
        f"{_percent(share)} {labels[part]}"
        for part, share in shares.items()
        if share is not None and share >= _MIN_SHARE
    ]
    scope = (
        f"in {count_text(device.counted_steps, 'counted step')}"
        if device.counted
        else "from the first execution to the last"
    )
    where = "" if len(devices) == 1 else f" on {device_name(device.spans)}"
    if untimed := device.spans.untimed:
        verb = "is" if untimed == 1 else "are"
        where += f", in which {count_text(untimed, 'execution')} of unknown time {verb} left out"
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
    return f"Of {time_text(split.total)} {scope}{where}: {listed}."


def idle_caption(device: DeviceBreakdown | None, idle: Sequence[DeviceIdle]) -> str:
    """Describe why the busiest device waits, and its longest gap; "" without a device."""
    if device is None:
        return ""
    if not device.main_split.total:
        return "Idle time is unknown: the executions of the device have no length."
    row = next(one for one in idle if one.device == device.spans.device)
    if not row.idle and not sum(row.main_reasons.values()):
        return "The device never waits."
    name = "The device" if len(idle) == 1 else device_name(device.spans)
    if device.spans.untimed:
        # An execution of unknown length may fill any gap.
        return f"{name} is idle at most {_percent(device.main_split.share('idle'))}."
    lead = f"{name} is idle {_idle_words(device, row)}"
    return f"{lead}.{_longest(row)}" if row.top else f"{lead}."


def _longest(row: DeviceIdle) -> str:
    gap = row.top[0]
    # The longest gap is often in the warm-up: it may be longer than all idle time of counted steps.
    where = "" if row.counted is None else " in the whole profile"
    before = f" before {shorten(gap.next, _MAX_NAME)}" if gap.next else ""
    reason = REASON_LABELS[gap.reason]
    return f" Its longest gap{where}, {time_text(gap.duration)}{before}: {reason}."


def _percent(share: float | None) -> str:
    # A device whose executions have no length has no shares.
    if share is None:
        return "unknown"
    points = 100 * share
    # A device that works a little is not 0 % busy, nor 100 % idle.
    if 0 < points < _MIN_POINTS:
        return f"{points:.1g} %"
    if 100 - _MIN_POINTS < points < 100:
        return f"{min(points, _MAX_POINTS):.1f} %"
    return f"{points:.0f} %"
