"""Build the frames of a Deeploy run: levels, blocks, steps, and the blocks that each step uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from data_loaders.deeploy.blocks import allocations, describe_blocks
from data_loaders.deeploy.evidence import Evidence
from data_loaders.deeploy.levels import Levels
from data_loaders.deeploy.plans import INNER
from data_loaders.deeploy.preconditions import precondition_findings
from data_loaders.deeploy.tiling import tiling_frames
from schema.diagnostics import Diagnostic
from schema.frames import complete, empty


@dataclass
class MapFrames:
    """Frames attempts, allocations, steps, buffer_uses and the tiling frames, and findings."""

    frames: dict[str, pd.DataFrame]
    findings: list[Diagnostic] = field(default_factory=list)


def map_frames(levels: Levels, evidence: Evidence, strategy: str) -> MapFrames:
    """Build frames attempts (a row per level), allocations, steps, buffer_uses and, if there are
    tiles, the tiling frames.

    Files of another run must have been removed from the evidence.
    """
    blocks = describe_blocks(levels)
    names = step_names(evidence, levels.steps)
    search_strategy = evidence.log.search_strategy if evidence.log else None
    result = MapFrames({"attempts": _attempts(levels, strategy, search_strategy)})
    result.frames["allocations"] = allocations(blocks, evidence, names["name"], result.findings)
    result.findings += precondition_findings(
        levels, evidence, result.frames["allocations"], strategy
    )
    result.frames["steps"] = _steps(names, evidence)
    result.frames["buffer_uses"] = _uses(blocks, evidence)
    if (blocks["plan"] == INNER).any():
        result.frames |= tiling_frames(blocks, result.frames["allocations"], evidence, names)
    return result


def step_names(evidence: Evidence, steps: int | None) -> pd.DataFrame:
    """Return columns name and op_type of every step, in order, from the graph, else the code, else
    the log.

    The first source with exactly `steps` steps is used; without such a source the frame has no
    rows. The log gives "" as op_type.
    """
    candidates = [evidence.graph.steps] if evidence.graph else []
    candidates += [evidence.code.nodes] if evidence.code else []
    if evidence.log:
        candidates.append(
            pd.DataFrame({"name": list(evidence.log.operations), "op_type": ""}, dtype="str")
        )
    fitting = [frame for frame in candidates if len(frame) == steps]
    return fitting[0] if fitting else pd.DataFrame({"name": [], "op_type": []}, dtype="str")


def _attempts(levels: Levels, strategy: str, search_strategy: str | None) -> pd.DataFrame:
    rows = levels.levels
    columns = {
        "attempt": np.arange(len(rows)),
        "level": rows["level"],
        "strategy": strategy,
        "search_strategy": pd.array([search_strategy] * len(rows), dtype="str"),
        "outcome": rows["outcome"],
        "steps": pd.array([levels.steps] * len(rows), dtype="Int64"),
        "capacity": rows["capacity"],
        "static_bytes": rows["static"].fillna(0),
        "reported_bytes": rows["reported"],
    }
    return complete("attempts", columns)


def _steps(names: pd.DataFrame, evidence: Evidence) -> pd.DataFrame:
    """Build frame `steps`, a row per row of `names`, with operations and cycles if a log has them.

    Without them `operations` is null, and the columns of cycles are null.
    """
    operations: Mapping[str, int] = evidence.log.operations if evidence.log else {}
    columns = {
        "step": np.arange(len(names)),
        "name": names["name"],
        "op_type": names["op_type"].replace("", None),
    }
    columns["operations"] = names["name"].map(operations).astype("Int64")
    printed = [
        log.cycles
        for log in (evidence.profile, evidence.log)
        if log is not None and len(log.cycles)
    ]
    if printed:
        cycles = printed[0].set_index("name")
        gdma, layer = (
            names["name"].map(cycles[part]).astype("Int64") for part in ("transfer", "compute")
        )
        columns |= {"gdma_cycles": gdma, "layer_cycles": layer, "slack": layer - gdma}
    return complete("steps", columns)


def _uses(blocks: pd.DataFrame, evidence: Evidence) -> pd.DataFrame:
    """Build frame `buffer_uses`.

    A row per step and tensor that it uses, with the tensor's outer block or its tile in that step.
    Sorted by attempt, step and block; empty without a graph.
    """
    if evidence.graph is None:
        return empty("buffer_uses")
    uses = evidence.graph.uses
    inner = blocks["plan"] == INNER
    columns = ["attempt", "block", "name"]
    outer = blocks.loc[~inner, columns].merge(uses, on="name")
    tiles = blocks.loc[inner, [*columns, "start"]].merge(
        uses, left_on=["name", "start"], right_on=["name", "step"]
    )
    block_uses = pd.concat([outer, tiles], ignore_index=True).sort_values(
        ["attempt", "step", "block"], kind="stable"
    )
    step = block_uses["step"].to_numpy(np.int64)
    values = {name: block_uses[name].to_numpy() for name in ("attempt", "block", "access")}
    return complete("buffer_uses", values | {"kernel": step, "start": step})
