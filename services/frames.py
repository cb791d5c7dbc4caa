"""Any frame of a run, stored or derived, by its name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

from analysis.aie.iteration_parts import parts_by_events
from analysis.derive import derivable, derive
from analysis.kernels.kernel_table import kernel_table
from analysis.kernels.training_steps import training_steps
from analysis.memory.occupancy import occupancy
from schema.diagnostics import joined_findings
from schema.frames import conform
from schema.run_settings import check_array_overrides
from services.stored_frames import StoredFrames
from storage.repository import FrameNotFound, Repository

_REWRITTEN = ("run", "attempts", "allocations", "diagnostics")
"""Stored frames that the analysis adds to."""
_OCCUPANCY, _TOTALS, _STEPS, _PARTS = "occupancy", "kernel_totals", "training_steps", "iteration_parts"
"""Made on demand: quick to make for one table, too slow for every analysis."""
_OF_PROFILES = (_TOTALS, _STEPS)


def made_on_demand(names: Collection[str], derived: Collection[str]) -> list[str]:
    """Return the frames that are made on demand, of a run with stored and derived frames of these names."""
    of_profiles = [_TOTALS, *([_STEPS] if "markers" in names else [])] if "kernels" in names else []
    of_arrays = [_PARTS] if "iterations" in derived else []
    return [*of_arrays, *([_OCCUPANCY] if "attempts" in names else []), *of_profiles]


def find_frame(
    repository: Repository, run_id: str, name: str, method: str = "robust", overrides: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Return a frame of the run, derived ones by `method` and with `overrides` of the run's settings.

    Raises RunNotFound, FrameNotFound, and ValueError with a sentence for a bad method or override.
    """
    stored = repository.frame_names(run_id)
    derived = derivable(str(repository.run(run_id)["source"].iloc[0]), stored)
    known = dict.fromkeys([*stored, *derived, *made_on_demand(stored, derived)])
    if name in stored and not (derived and name in _REWRITTEN):
        return repository.frame(run_id, name)
    if name not in known:
        raise FrameNotFound(f"run {run_id} has no frame {name!r}; it has {', '.join(known)}")
    if name in _OF_PROFILES:
        return _of_profile(repository, run_id, name)
    check_array_overrides(repository.run(run_id).iloc[0].to_dict(), overrides or {}, repository.max_array_tiles)
    found = derive(StoredFrames(repository, run_id), method, overrides or {})
    if name == _PARTS:
        made = parts_by_events(found["iterations"], found["kernels"], repository.frame(run_id, "events"))
        return conform(name, made)
    if name == _OCCUPANCY:
        return occupancy(found["allocations"], found["attempts"])
    if name == "diagnostics":
        return joined_findings(repository.frame(run_id, name), found[name])
    return found[name]


def _of_profile(repository: Repository, run_id: str, name: str) -> pd.DataFrame:
    kernels = repository.frame(run_id, "kernels")
    return kernel_table(kernels) if name == _TOTALS else training_steps(kernels, repository.frame(run_id, "markers"))
