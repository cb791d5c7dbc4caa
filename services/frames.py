"""Any frame of a run, stored or derived, by its name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

from analysis.derive import derivable, derive
from analysis.kernels.kernel_table import kernel_table
from analysis.kernels.training_steps import training_steps
from analysis.memory.occupancy import occupancy
from schema.diagnostics import joined_findings
from schema.run_settings import check_array_overrides
from services.stored_frames import StoredFrames
from storage.repository import FrameNotFound, Repository

_REWRITTEN = ("run", "attempts", "allocations", "diagnostics")
"""Stored frames that the analysis adds to."""
_OCCUPANCY, _TOTALS, _STEPS = "occupancy", "kernel_totals", "training_steps"
"""Made on demand: quick to make for one table, too slow for every analysis."""


def made_on_demand(names: Collection[str]) -> list[str]:
    """Return the frames that are made on demand, of a run with stored frames of these names."""
    of_profiles = [_TOTALS, *([_STEPS] if "markers" in names else [])] if "kernels" in names else []
    return [*([_OCCUPANCY] if "attempts" in names else []), *of_profiles]


def find_frame(
    repository: Repository, run_id: str, name: str, method: str = "robust", overrides: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Return a frame of the run, derived ones by `method` and with `overrides` of the run's settings.

    Raises RunNotFound, FrameNotFound, and ValueError with a sentence for a bad method or override.
    """
    stored = repository.frame_names(run_id)
    derived = derivable(str(repository.run(run_id)["source"].iloc[0]), stored)
    known = dict.fromkeys([*stored, *derived, *made_on_demand(stored)])
    if name in stored and not (derived and name in _REWRITTEN):
        return repository.frame(run_id, name)
    if name not in known:
        raise FrameNotFound(f"run {run_id} has no frame {name!r}; it has {', '.join(known)}")
    if name == _TOTALS:
        return kernel_table(repository.frame(run_id, "kernels"))
    if name == _STEPS:
        return training_steps(repository.frame(run_id, "kernels"), repository.frame(run_id, "markers"))
    check_array_overrides(repository.run(run_id).iloc[0].to_dict(), overrides or {}, repository.max_array_tiles)
    found = derive(StoredFrames(repository, run_id), method, overrides or {})
    if name == _OCCUPANCY:
        return occupancy(found["allocations"], found["attempts"])
    if name == "diagnostics":
        return joined_findings(repository.frame(run_id, name), found[name])
    return found[name]
