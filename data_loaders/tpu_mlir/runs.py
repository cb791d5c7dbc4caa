"""Build the runs of TPU-MLIR's files: a log with its companions, LetsVis' file, or a compile without a
log.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from data_loaders.memory_banks import with_banks
from data_loaders.protocol import LoadedRun, LoadError
from data_loaders.tpu_mlir.attempts import Grouping, group_attempts
from data_loaders.tpu_mlir.companions import Companions
from data_loaders.tpu_mlir.cycles import tables
from data_loaders.tpu_mlir.ddr import ddr_frames
from data_loaders.tpu_mlir.findings import (
    attempt_findings,
    capacity_findings,
    cycle_findings,
    group_findings,
    line_findings,
)
from data_loaders.tpu_mlir.frames import (
    allocations_frame,
    attempts_frame,
    lengths,
    stack_frames,
    unread_frame,
    with_capacity,
)
from data_loaders.tpu_mlir.groups import labels, mark_last_attempts
from data_loaders.tpu_mlir.identity import identify_chip, run_metadata
from data_loaders.tpu_mlir.letsvis import read_letsvis
from data_loaders.tpu_mlir.lines import LogLines, read_lines
from data_loaders.tpu_mlir.module import Module
from data_loaders.tpu_mlir.profile import profile_frames
from data_loaders.tpu_mlir.timesteps import assign_tables, timestep_frames
from schema.diagnostics import Diagnostic
from schema.frames import empty
from schema.plurals import plural

Frames = dict[str, pd.DataFrame]


def log_run(
    path: Path, options: Mapping[str, str | int], place: str, companions: Companions
) -> LoadedRun:
    """Load a log with its companions; raises LoadError if it contains no attempt."""
    lines = read_lines(path)
    attempts = group_attempts(lines.rows, lines.specs, lines.finishes)
    if not len(attempts):
        raise LoadError(
            f"{path}: none of its {plural(len(lines.rows.results.unreadable), 'result line')} can be read"
        )
    module = companions.match_module(lines.rows.distinct_names())
    memories = [spec.memory for spec in lines.specs if spec.memory is not None]
    chip, chip_findings = identify_chip(options, module, memories, place)
    log_attempts = attempts_frame(lines.rows, attempts, lines.specs, lines.finishes, chip.memory)
    frames = {"attempts": log_attempts, "allocations": allocations_frame(lines.rows, attempts)}
    if "capacity" in options:
        frames["attempts"] = with_capacity(log_attempts, int(options["capacity"]))
    if "banks" in options:
        frames["attempts"] = with_banks(frames["attempts"], int(options["banks"]), path.name)
    unread = unread_frame(lines, attempts)
    frames |= {"unread_lines": unread} if len(unread) else {}
    findings = [
        *line_findings(lines, path.name),
        *attempt_findings(lines, attempts, path.name),
        *capacity_findings(frames["attempts"], path.name),
        *chip_findings,
        *companions.findings,
        *_label(frames, companions, path.name),
    ]
    timed, cycle_remarks = _frames_of_timesteps(lines, attempts, path.name)
    frames = _add_frames(
        _add_frames(frames | timed, _frames_of_profiles(companions, module)),
        _frames_of_module(module, len(attempts), findings),
    )
    return LoadedRun(
        run_metadata(options, chip, companions.profiles, place), frames, [*findings, *cycle_remarks]
    )


def letsvis_run(path: Path, options: Mapping[str, str | int], place: str) -> LoadedRun:
    """Load LetsVis' `lmem.json`; raises LoadError if no allocation can be read."""
    chip, chip_findings = identify_chip(options, None, [], place)
    capacity = options.get("capacity")
    frames, findings = read_letsvis(path, chip.memory, None if capacity is None else int(capacity))
    if "banks" in options:
        frames["attempts"] = with_banks(frames["attempts"], int(options["banks"]), path.name)
    findings += [*chip_findings, *capacity_findings(frames["attempts"], path.name)]
    return LoadedRun(run_metadata(options, chip, [], place), frames, findings)


def compiled_run(
    path: Path, options: Mapping[str, str | int], place: str, companions: Companions
) -> LoadedRun:
    """Load a module or a profile that has no log; raise LoadError if all frames are empty."""
    module = companions.modules[-1] if companions.modules else None
    findings = list(companions.findings)
    chip, remarks = identify_chip(options, module, [], place)
    no_log = {"attempts": empty("attempts"), "allocations": empty("allocations")}
    frames = no_log | _add_frames(
        _frames_of_profiles(companions, module), _frames_of_module(module, 0, findings)
    )
    if not any(len(frame) for frame in frames.values()):
        raise LoadError(f"{path}: contains no command of an engine and no tensor with an address")
    model = module.name if module else ""
    metadata = run_metadata(options, chip, companions.profiles, place, model)
    return LoadedRun(metadata, frames, [*findings, *remarks])


def _label(frames: Frames, companions: Companions, file: str) -> list[Diagnostic]:
    """Set columns `group` and `final` of frame `attempts` in `frames`, from the layer group cache
    that labels the most attempts.

    `final` marks the last attempt of each group: the compiler uses its layout. Returns findings
    about groups without an attempt; without a cache `frames` stays as it is.
    """
    count = len(frames["attempts"])
    labelled = [
        (groups, labels(groups, frames["allocations"], count)) for groups in companions.groups
    ]
    if not labelled:
        return []
    # A folder may contain caches of several models.
    groups, names = max(labelled, key=lambda pair: sum(map(bool, pair[1])))
    final = pd.array(mark_last_attempts(names), dtype="boolean")
    frames["attempts"] = frames["attempts"].assign(group=pd.array(names, dtype="str"), final=final)
    return group_findings(groups, names, file)


def _frames_of_timesteps(
    lines: LogLines, attempts: Grouping, file: str
) -> tuple[Frames, list[Diagnostic]]:
    """Build frames steps, events and tracks of the attempts that have a cost table, with findings.

    No frames without such attempts.
    """
    cost_tables = tables(lines.cycles)
    joined = assign_tables(lines.rows, attempts, lengths(lines.rows, attempts), cost_tables)
    return timestep_frames(joined) if joined else {}, cycle_findings(
        cost_tables, joined, attempts, file
    )


def _frames_of_profiles(companions: Companions, module: Module | None) -> Frames:
    if not any(profile.cells for profile in companions.profiles):
        return {}
    return profile_frames(
        companions.profiles, {line: layer.name for line, layer in companions.lines(module).items()}
    )


def _frames_of_module(module: Module | None, attempt: int, findings: list[Diagnostic]) -> Frames:
    """Build the frames of the DDR memory as attempt number `attempt`.

    {} without a module or addresses. A finding about tensors outside of it is appended to
    `findings`.
    """
    frames, elsewhere = ddr_frames(module, attempt) if module else ({}, 0)
    if elsewhere:
        text = f"{plural(elsewhere, 'tensor')} skipped: outside of the model's memory, such as inputs and outputs"
        findings.append(Diagnostic("info", "tensors_elsewhere", text, "", elsewhere))
    return frames


def _add_frames(frames: Frames, others: Frames) -> Frames:
    """Merge two sets of frames into a new dict; frames of the same name are concatenated."""
    both = {
        name: stack_frames(name, frames[name], others[name])
        for name in frames.keys() & others.keys()
    }
    if "tracks" in both:
        both["tracks"] = both["tracks"].assign(order=np.arange(len(both["tracks"])))
    return frames | others | both
