"""Check what Deeploy requires of a run, and whether the report in the log agrees with the map.

Rules: Deeploy `TilerDeployerWrapper.tile`, which stops a run with MiniMalloc if a step tiles several
layers together or if a tensor is not in the default memory level; `propagateIOBufferStrategy`, by
which inputs and outputs of a step are held for all of its layers.
"""

from __future__ import annotations

import pandas as pd

from data_loaders.deeploy.evidence import Evidence
from data_loaders.deeploy.levels import Levels
from data_loaders.deeploy.plans import INNER
from schema.diagnostics import Diagnostic
from schema.plurals import plural

MINIMALLOC = "MiniMalloc"
_RULES = {
    "Using MiniMalloc and DFT is not supported": "a step of the schedule tiles several layers together",
    "All tensors have to be in the default memory level": "tensors are outside of the default memory level",
}
"""Text of the error that ends a run -> the precondition of MiniMalloc that the run does not meet."""


def precondition_findings(
    levels: Levels, evidence: Evidence, allocations: pd.DataFrame, strategy: str
) -> list[Diagnostic]:
    """Report conditions of Deeploy that a run does not meet; empty if it meets all.

    `allocations` is the frame of that name, `strategy` the name of the allocator.
    """
    return [
        *_find_refusal(evidence),
        *_several_levels(allocations, strategy),
        *_layers_together(levels, evidence, strategy),
        *_report_differs(levels, allocations, evidence),
    ]


def _find_refusal(evidence: Evidence) -> list[Diagnostic]:
    """Explain the error with which Deeploy refuses to use MiniMalloc.

    Empty if the log has no such error.
    """
    raised = (evidence.log.raised if evidence.log else None) or ""
    reasons = [reason for message, reason in _RULES.items() if message in raised]
    text = f"Deeploy does not use {MINIMALLOC}, as {''.join(reasons)}: choose another --memAllocStrategy"
    return [Diagnostic("error", "minimalloc_refused", text)] if reasons else []


def _several_levels(allocations: pd.DataFrame, strategy: str) -> list[Diagnostic]:
    """Report a run with MiniMalloc whose tensors have their home in several levels.

    Empty otherwise.
    """
    outer = allocations[(allocations["plan"] != INNER) & (allocations["kind"] != "constant")]
    homes = list(dict.fromkeys(outer["level"].dropna().astype("str")))
    if strategy != MINIMALLOC or len(homes) < 2:
        return []
    text = (
        f"tensors have their home in {' and '.join(homes)}, but {MINIMALLOC} requires all of them in "
        "one level: another strategy was used, or the files are from different runs"
    )
    return [Diagnostic("warning", "minimalloc_levels", text, ", ".join(homes), len(homes))]


def _layers_together(levels: Levels, evidence: Evidence, strategy: str) -> list[Diagnostic]:
    """Report that the network has more layers than steps, so that steps tile several layers
    together; empty otherwise.
    """
    layers = evidence.log.layers if evidence.log else None
    if evidence.plot is None or layers is None or levels.steps is None or layers <= levels.steps:
        return []
    text = (
        f"{plural(layers, 'layer')} in {plural(levels.steps, 'step')}: a step that tiles several layers "
        "holds the inputs and outputs of all of them, so the level uses more bytes than its layers need one by one"
    )
    findings = [Diagnostic("info", "io_held_over_pattern", text, "", layers - levels.steps)]
    if strategy == MINIMALLOC:
        text = f"{plural(layers, 'layer')} in {plural(levels.steps, 'step')}, but {MINIMALLOC} requires one step per layer"
        findings.append(
            Diagnostic("warning", "minimalloc_patterns", text, "", layers - levels.steps)
        )
    return findings


def _report_differs(
    levels: Levels, allocations: pd.DataFrame, evidence: Evidence
) -> list[Diagnostic]:
    """Report levels whose dynamic bytes in the report are not between the end of their own blocks
    and of all blocks.

    A list with one finding, empty if all levels agree or the report is missing.
    """
    placed = allocations[(allocations["kind"] != "constant") & allocations["address"].notna()]
    ends = (placed["address"].astype("int64") + placed["size"]).groupby(placed["attempt"]).max()
    # Deeploy does not count views, and without code or graph the views are not known.
    own = (
        placed[placed["status"] != "shared"] if evidence.code or evidence.graph else placed.iloc[:0]
    )
    own_ends = (own["address"].astype("int64") + own["size"]).groupby(own["attempt"]).max()
    rows = levels.levels.assign(end=ends, own_end=own_ends).dropna(
        subset=["reported", "end", "level"]
    )
    differs = rows[
        (rows["reported"] > rows["end"]) | (rows["reported"] < rows["own_end"].fillna(0))
    ]
    if differs.empty:
        return []
    first = differs.iloc[0]
    text = (
        f"{first['level']}: {plural(first['reported'], 'dynamic byte')} reported, the blocks of the map end at "
        f"{int(first['end'])}, so report and map may be from different runs"
    )
    where = ", ".join(differs["level"].astype("str"))
    return [Diagnostic("warning", "report_disagrees", text, where, len(differs))]
