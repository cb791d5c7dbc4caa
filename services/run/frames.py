"""Access to any frame of a run by its name, stored or derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from analysis.aie.iteration_parts import parts_by_events
from analysis.derive import derivable, derive
from analysis.kernels.kernel_table import kernel_table
from analysis.kernels.step_times import step_times
from analysis.kernels.steps import find_steps
from analysis.kernels.training_steps import training_steps
from analysis.memory.buffer_origins import buffer_origins
from analysis.memory.occupancy import occupancy
from analysis.program.instruction_costs import instruction_costs
from analysis.timeline.open_levels import hold_open_levels
from schema.choices import METHODS
from schema.diagnostics import joined_findings
from schema.frames import Frames, conform
from schema.run_settings import check_array_overrides
from services.run.breakdown import breakdown
from services.run.capabilities import Capability, RunContents
from services.run.device_frames import device_times, idle_gaps, idle_times
from services.run.run_frames import RunFrames
from services.run.stored_frames import StoredFrames
from storage.errors import FrameNotFound
from storage.repository import Repository

_REWRITTEN = ("run", "attempts", "allocations", "diagnostics")
"""Stored frames whose columns or rows the analysis extends."""


@dataclass(frozen=True)
class FrameOnDemand:
    """A frame that is quick to compute for one table and too slow for every analysis.

    `needs` are the capabilities that a run must have. `make` computes the frame from the run's
    frames by name, which include the derived frames if `is_derived`.
    """

    name: str
    needs: tuple[Capability, ...]
    make: Callable[[Frames], pd.DataFrame]
    is_derived: bool = False


FRAMES_ON_DEMAND = (
    FrameOnDemand(
        "iteration_parts",
        (Capability.ITERATIONS,),
        lambda known: conform(
            "iteration_parts",
            parts_by_events(
                known["iterations"],
                known["kernels"],
                hold_open_levels(known["events"], known["tracks"]),
            ),
        ),
        is_derived=True,
    ),
    FrameOnDemand(
        "occupancy",
        (Capability.MEMORY,),
        lambda known: occupancy(known["allocations"], known["attempts"]),
        is_derived=True,
    ),
    FrameOnDemand("buffer_origins", (Capability.DEVICES, Capability.NAMED_KERNELS), buffer_origins),
    FrameOnDemand(
        "kernel_totals", (Capability.NAMED_KERNELS,), lambda known: kernel_table(known["kernels"])
    ),
    FrameOnDemand(
        "training_steps",
        (Capability.NAMED_KERNELS, Capability.MARKERS),
        training_steps,
    ),
    FrameOnDemand(
        "step_times",
        (Capability.NAMED_KERNELS, Capability.MARKERS),
        lambda known: step_times(
            known["tracks"], known["events"], known["kernels"], find_steps(known).windows
        ),
    ),
    FrameOnDemand(
        "device_times",
        (Capability.NAMED_KERNELS, Capability.DEVICE_CLASSES),
        lambda known: device_times(breakdown(known)),
    ),
    FrameOnDemand(
        "idle_times",
        (Capability.NAMED_KERNELS, Capability.DEVICE_CLASSES),
        lambda known: idle_times(breakdown(known)),
    ),
    FrameOnDemand(
        "idle_gaps",
        (Capability.NAMED_KERNELS, Capability.DEVICE_CLASSES),
        lambda known: idle_gaps(breakdown(known)),
    ),
    FrameOnDemand("instruction_costs", (Capability.THREAD_TRACES,), instruction_costs),
)
"""All frames that are computed on demand."""


def frames_on_demand(run: RunContents) -> dict[str, FrameOnDemand]:
    """Return the frames of FRAMES_ON_DEMAND whose needs the run meets, by name; no frame is
    computed.
    """
    return {frame.name: frame for frame in FRAMES_ON_DEMAND if run.can(*frame.needs)}


class RunFrameFinder:
    """Access to the frames of one run by name; the analysis runs once, when a derived frame is
    first requested.

    Derived frames are computed with `method`, and with `overrides` of the run's settings.
    """

    def __init__(
        self,
        repository: Repository,
        run_id: str,
        method: str = "robust",
        overrides: Mapping[str, str] | None = None,
    ) -> None:
        self._repository, self._run_id = repository, run_id
        self._method = method
        self._overrides = overrides or {}
        self._stored = StoredFrames(repository, run_id)

    @cached_property
    def _run(self) -> dict[str, object]:
        run: dict[str, object] = self._stored["run"].iloc[0].to_dict()
        return run

    @cached_property
    def _derivable(self) -> tuple[str, ...]:
        return derivable(str(self._run["source"]), self._stored)

    @cached_property
    def _on_demand(self) -> dict[str, FrameOnDemand]:
        return frames_on_demand(RunFrames(self._stored, {}).contents)

    @cached_property
    def _derived_frames(self) -> dict[str, pd.DataFrame]:
        check_array_overrides(self._run, self._overrides, self._repository.max_array_tiles)
        return derive(self._stored, self._method, self._overrides)

    def has(self, name: str) -> bool:
        """Whether the run has a frame of this name: stored, derived or computed on demand."""
        return name in self._stored or name in self._derivable or name in self._on_demand

    def find(self, name: str) -> pd.DataFrame:
        """Return a frame of the run by its name, stored, derived or computed on demand.

        Raises FrameNotFound if the run does not have it, and ValueError if the method or an
        override is invalid.
        """
        if name in self._stored and not (self._derivable and name in _REWRITTEN):
            return self._steps() if name == "steps" else self._stored[name]
        if not self.has(name):
            names = dict.fromkeys([*self._stored, *self._derivable, *self._on_demand])
            raise FrameNotFound(
                f"run {self._run_id} has no frame {name!r}; it has {', '.join(names)}"
            )
        on_demand = self._on_demand.get(name)
        if on_demand is not None:
            # a frame that needs only stored frames does not wait for the analysis
            made = self._derived_frames if on_demand.is_derived else {}
            return on_demand.make(RunFrames(self._stored, made).frame_by_name)
        derived = self._derived_frames[name]
        return joined_findings(self._stored[name], derived) if name == "diagnostics" else derived

    def _steps(self) -> pd.DataFrame:
        """Return frame `steps` of the run; by method reference, if the run is analysed, with the
        numbers of patches in place of attempts.
        """
        own = self._stored["steps"]
        return (
            own
            if self._method == METHODS[0] or not self._derivable
            else self._derived_frames.get("steps", own)
        )


def find_frame(
    repository: Repository,
    run_id: str,
    name: str,
    method: str = "robust",
    overrides: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return a frame of the run; derived frames use `method`, and `overrides` of the run's
    settings.

    Raises RunNotFound, FrameNotFound, and ValueError if the method or an override is invalid.
    """
    return RunFrameFinder(repository, run_id, method, overrides).find(name)
