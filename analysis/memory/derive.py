"""Derives all frames of a run with memory maps, by method robust or reference."""

from __future__ import annotations

import pandas as pd

from analysis.memory.allocator import allocator_numbers
from analysis.memory.attempts import add_attempt_numbers
from analysis.memory.findings.all import allocator_findings, map_findings
from analysis.memory.layer_groups import with_groups
from analysis.memory.lives import lives
from analysis.memory.reference import (
    Notebook,
    cut_names,
    read_as_notebook,
    reference_frames,
    steps_of_patches,
)
from analysis.memory.survey import survey
from analysis.tiling.findings import tiling_findings
from schema.contents import has_allocator_memory
from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.frames import Frames, empty
from schema.plurals import plural
from schema.sources import source_of
from schema.time_units import NANOSECONDS


def derive_memory(frames: Frames, method: str) -> dict[str, pd.DataFrame]:
    """Compute frames attempts (with numbers), allocations and diagnostics by method robust or
    reference, as a dict by name.

    `frames` holds the stored run, attempts and allocations, and buffer_uses, unread_lines,
    diagnostics, device_memory, tiles and transfers if there are any. The findings about the maps are the same
    by either method; `reference` differs for TPU-MLIR logs alone, and has frame steps with the
    numbers of its patches in place of attempts. For other sources it only adds a finding.
    """
    attempts = frames["attempts"]
    allocations = frames["allocations"]
    surveyed = survey(lives(allocations, attempts))
    numbers = add_attempt_numbers(attempts, surveyed)
    # The loader of a profile has already dropped and counted impossible uses.
    uses = (
        empty("buffer_uses")
        if lives_in_time(frames["run"])
        else frames.get("buffer_uses", empty("buffer_uses"))
    )
    if has_allocator_memory(frames):
        numbers = allocator_numbers(numbers)
        findings = allocator_findings(numbers, frames["device_memory"], surveyed)
    else:
        findings = map_findings(numbers, allocations, uses, surveyed)
    findings += tiling_findings(frames)
    noticed = frames.get("diagnostics", empty("diagnostics"))
    steps: dict[str, pd.DataFrame] = {}
    if source_of(str(frames["run"]["source"].iloc[0])).reference == "notebook":
        read = read_as_notebook(
            attempts, allocations, noticed, frames.get("unread_lines", empty("unread_lines"))
        )
        findings += _difference(read)
        if method != "reference":
            numbers = with_groups(numbers, allocations)
            allocations = _scratch_named(allocations)
        else:
            numbers, allocations, stopped = reference_frames(read)
            findings += stopped
            steps = {"steps": steps_of_patches(read, frames["steps"])} if "steps" in frames else {}
    elif method == "reference":
        text = "this source has no reference tool: the numbers are those of method robust"
        findings.append(Diagnostic("info", "no_reference", text))
    derived = {
        "attempts": numbers,
        "allocations": allocations,
        "diagnostics": diagnostics_frame(findings),
    }
    return derived | steps


def lives_in_time(run: pd.DataFrame) -> bool:
    """Whether the lifetimes of a run's blocks are in nanoseconds, not in steps of a plan: the time
    unit in frame `run` is ns.
    """
    return bool((run["time_unit"] == NANOSECONDS).all())


def _scratch_named(allocations: pd.DataFrame) -> pd.DataFrame:
    """Return frame `allocations` with scratch memory (kind `operation`) named `OPERATOR scratch`,
    because the log prints the name of another tensor for it; unchanged without scratch memory.
    """
    scratch = (allocations["kind"] == "operation").to_numpy(bool)
    if not scratch.any():
        return allocations
    called = allocations["op_type"].astype("str").fillna("operation") + " scratch"
    return allocations.assign(name=allocations["name"].where(~scratch, called))


def _difference(read: Notebook) -> list[Diagnostic]:
    """Compare the notebook's patches with the attempts, in a list of a single finding; [] if they
    agree.
    """
    if read.stops:
        message = f"method reference cannot read this log: {read.stops}"
        return [Diagnostic("info", "methods_differ", message)]
    patches = len(read.patches)
    attempts = len(read.attempts)
    names = cut_names(read.allocations)
    parts = []
    if patches != attempts:
        parts.append(
            f"{patches} patch{'' if patches == 1 else 'es'} for {plural(attempts, 'attempt')}, "
            "because it splits only where shape_secs or allow_bank_conflict change"
        )
    if read.patches.lost_blocks:
        parts.append(
            f"{plural(read.patches.lost_blocks, 'block')} lost, because it drops "
            "the last patch if it has not recorded its settings"
        )
    if names:
        parts.append(f"{plural(names, 'name')} cut short or read as a number")
    if not parts:
        return []
    text = f"method reference gives {'; '.join(parts)}"
    return [Diagnostic("info", "methods_differ", text, "", len(parts))]
