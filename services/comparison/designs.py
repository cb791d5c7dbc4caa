"""Comparison of the designs of two runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.aie.design.changes import DesignChanges, compare_designs
from data_loaders.aie_design.placing import shift_frames
from schema.contents import has_design
from services.comparison.compared_runs import ComparedRun
from services.run.design import design_frames


def design_changes(base: ComparedRun, new: ComparedRun) -> DesignChanges:
    """Compare the designs of two runs, at the columns of the new run.

    A design that was loaded into other columns of the array is the same design.
    """
    designs = [design_frames(run.frames) for run in (base, new)]
    moved = shift_frames(designs[0], _shift(designs[1]) - _shift(designs[0]))
    return compare_designs(moved, designs[1])


def designs_record(base: Sequence[ComparedRun], new: Sequence[ComparedRun]) -> dict[str, Any]:
    """Convert the comparison of the first design of each side to JSON types under `designs`; {} if a
    side has none.

    It has the ids of the two runs, the counts of changes and the changes.
    """
    sides = [next((run for run in side if has_design(run.frames)), None) for side in (base, new)]
    if sides[0] is None or sides[1] is None:
        return {}
    ids = {"base": sides[0].stored.run_id, "new": sides[1].stored.run_id}
    return {"designs": {"runs": ids, **design_changes(sides[0], sides[1]).record()}}


def _shift(design: dict[str, pd.DataFrame]) -> int:
    devices = design["design_devices"]
    return int(devices.loc[devices["chosen"].astype(bool), "column_shift"].iloc[0])
