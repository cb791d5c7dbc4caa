"""Any frame of a run, stored or derived, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from analysis.aie.iteration_parts import parts_by_events
from analysis.derive import derivable, derive
from analysis.kernels.kernel_table import kernel_table
from analysis.kernels.step_times import step_times
from analysis.kernels.training_steps import training_steps
from analysis.memory.buffer_origins import buffer_origins
from analysis.memory.occupancy import occupancy
from schema.diagnostics import joined_findings
from schema.frames import conform
from schema.run_settings import check_array_overrides
from services.run.capabilities import Capability, RunContents
from services.run.run_frames import RunFrames
from services.run.stored_frames import StoredFrames
from storage.repository import FrameNotFound, Repository

_REWRITTEN = ("run", "attempts", "allocations", "diagnostics")
"""Stored frames that the analysis adds to."""


@dataclass(frozen=True)
class FrameOnDemand:
    """A frame that is quick to make for one table and too slow for every analysis.

    `needs` are the capabilities of a run that has it. `make` takes the run's frames; where `is_derived`, those of the
    analysis are among them.
    """

    name: str
    needs: tuple[Capability, ...]
    make: Callable[[Mapping[str, pd.DataFrame]], pd.DataFrame]
    is_derived: bool = False


FRAMES_ON_DEMAND = (
    FrameOnDemand(
        "iteration_parts",
        (Capability.ITERATIONS,),
        lambda known: conform(
            "iteration_parts", parts_by_events(known["iterations"], known["kernels"], known["events"])
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
    FrameOnDemand("kernel_totals", (Capability.NAMED_KERNELS,), lambda known: kernel_table(known["kernels"])),
    FrameOnDemand(
        "training_steps",
        (Capability.NAMED_KERNELS, Capability.MARKERS),
        lambda known: training_steps(known["kernels"], known["markers"]),
    ),
    FrameOnDemand(
        "step_times",
        (Capability.NAMED_KERNELS, Capability.MARKERS),
        lambda known: step_times(known["tracks"], known["events"], known["kernels"], known["markers"]),
    ),
)


def frames_on_demand(run: RunContents) -> dict[str, FrameOnDemand]:
    """Return the frames that are made on demand of a run, by name."""
    return {frame.name: frame for frame in FRAMES_ON_DEMAND if run.can(*frame.needs)}


def find_frame(
    repository: Repository, run_id: str, name: str, method: str = "robust", overrides: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Return a frame of the run, derived ones by `method` and with `overrides` of the run's settings.

    Raises RunNotFound, FrameNotFound, and ValueError with a sentence for a bad method or override.
    """
    stored = StoredFrames(repository, run_id)
    run = stored["run"].iloc[0].to_dict()
    derived = derivable(str(run["source"]), stored)
    if name in stored and not (derived and name in _REWRITTEN):
        return stored[name]
    frames = RunFrames(stored, {})
    on_demand = frames_on_demand(frames.contents)
    known = dict.fromkeys([*stored, *derived, *on_demand])
    if name not in known:
        raise FrameNotFound(f"run {run_id} has no frame {name!r}; it has {', '.join(known)}")
    wanted = on_demand.get(name)
    if wanted is not None and not wanted.is_derived:
        return wanted.make(frames.frame_by_name)
    check_array_overrides(run, overrides or {}, repository.max_array_tiles)
    made = derive(stored, method, overrides or {})
    if wanted is not None:
        return wanted.make(RunFrames(stored, made).frame_by_name)
    return joined_findings(stored[name], made[name]) if name == "diagnostics" else made[name]
