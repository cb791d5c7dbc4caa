"""Parts of a profile's step on two sides: busy and idle time of a device, and its operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.kernels.breakdown import DeviceBreakdown
from analysis.kernels.idle import REASONS, DeviceIdle

STEP = "step"
PARTS = ("compute", "communication_exposed", "copy_exposed", "idle")
"""Parts that sum to the time of a step."""


@dataclass(frozen=True)
class SideParts:
    """Times of a step of one side, in ns: means of its counted steps.

    `device` is the device with the most busy time, `interface` the begin of the names of its
    tracks. `steps` is the number of counted steps; 0 means that the times are of the window from
    the first execution to the last. `step_ns` is the typical time of a step, None if there is none.
    `parts` has STEP and each of PARTS, `reasons` the idle time by reason, `operators` the summed
    time of executions by operator ("" without one).
    """

    device: int | str
    steps: int
    step_ns: float | None
    parts: Mapping[str, float]
    reasons: Mapping[str, float]
    operators: Mapping[str, float]
    interface: str = ""


@dataclass(frozen=True)
class Change:
    """Time of a part on both sides, in ns; None if a side does not have it."""

    name: str
    base: float | None
    new: float | None

    @property
    def change(self) -> float:
        """Difference new - base; a side that does not have the part counts as 0."""
        return (self.new or 0.0) - (self.base or 0.0)

    def record(self) -> dict[str, object]:
        """Convert the change to JSON types."""
        return {"name": self.name, "base": self.base, "new": self.new, "change": self.change}


@dataclass(frozen=True)
class StepParts:
    """Parts of a step on both sides, both per counted step or both of whole windows."""

    base: SideParts
    new: SideParts

    @property
    def parts(self) -> list[Change]:
        """Changes of the step and of PARTS, which sum to that of the step."""
        return _changes((STEP, *PARTS), self.base.parts, self.new.parts)

    @property
    def reasons(self) -> list[Change]:
        """Changes of the reasons for idle time that either side has, in their order."""
        changes = _changes(REASONS, self.base.reasons, self.new.reasons)
        return [change for change in changes if change.base or change.new]

    @property
    def operators(self) -> list[Change]:
        """Changes of the time on devices by operator, the largest first."""
        names = dict.fromkeys([*self.base.operators, *self.new.operators])
        changes = _changes([*names], self.base.operators, self.new.operators)
        return sorted(changes, key=lambda change: -abs(change.change))

    def record(self) -> dict[str, object]:
        """Convert the parts to JSON types: `breakdown` (unit, both sides and parts), `idle`
        (reasons) and `ops` (operators); times are ns per step.

        The name of the executions without an operator is None.
        """
        sides = {
            name: {"device": side.device, "steps": side.steps, "step_ns": side.step_ns}
            for name, side in (("base", self.base), ("new", self.new))
        }
        operators = [change.record() | {"name": change.name or None} for change in self.operators]
        return {
            "breakdown": {
                "unit": "ns",
                **sides,
                "parts": [change.record() for change in self.parts],
            },
            "idle": [change.record() for change in self.reasons],
            "ops": operators,
        }


def side_parts(
    device: DeviceBreakdown, idle: DeviceIdle, step_ns: float | None, operators: Mapping[str, float]
) -> SideParts:
    """Compute the times of a step from the breakdown of a device and its idle time, as means of the
    counted steps, or of the whole window if no step counts.

    `step_ns` is the typical time of a step, None if there is none. `operators` maps operators to
    their time in a step, ns.
    """
    split = device.main_split
    steps = max(1, device.counted_steps)
    parts = {name: getattr(split, name) / steps for name in PARTS}
    reasons = {name: time / steps for name, time in idle.main_reasons.items()}
    return SideParts(
        device=device.spans.device,
        steps=device.counted_steps,
        step_ns=step_ns,
        parts={STEP: split.total / steps, **parts},
        reasons=reasons,
        operators=operators,
        interface=device.spans.interface,
    )


def compare_parts(base: SideParts | None, new: SideParts | None) -> StepParts | None:
    """Compare two sides; None if a side has no devices, or if only one of them has steps."""
    if base is None or new is None or bool(base.steps) != bool(new.steps):
        return None
    return StepParts(base, new)


def _changes(
    names: Sequence[str], base: Mapping[str, float], new: Mapping[str, float]
) -> list[Change]:
    return [Change(name, base.get(name), new.get(name)) for name in names]
