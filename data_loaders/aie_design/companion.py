"""Designs beside a trace: find them, choose a design, and place it on the columns of the trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from data_loaders.aie.configuration import is_design
from data_loaders.aie_design.design import DesignDevice
from data_loaders.aie_design.findings import GENERIC, design_findings
from data_loaders.aie_design.frames import design_frames
from data_loaders.aie_design.placing import Placement, place_design, traced_kinds, traced_places
from data_loaders.aie_design.reader import DesignText, is_design_text, read_design_file
from data_loaders.protocol import LoadError
from data_loaders.reading.files import read_head
from schema.diagnostics import Diagnostic

SUFFIX = ".mlir"
MAX_DESIGNS = 16
"""Number of MLIR files per folder that are inspected."""
WITH_PROGRAMS = "main_physical_with_elfs.mlir"
"""Design that includes the programs of the cores, and therefore all register writes."""


@dataclass(frozen=True)
class _Candidate:
    """A design beside a trace, with the device that is meant."""

    path: Path
    text: DesignText
    device: DesignDevice


def find_designs(folder: Path) -> list[Path]:
    """List the first 16 `.mlir` files of a folder that are designs of AIE arrays, by name.

    `main_physical_with_elfs.mlir`, the file with the programs of the cores, is first.
    """
    files = [file for file in sorted(folder.glob(f"*{SUFFIX}")) if file.is_file()][:MAX_DESIGNS]
    designs = [file for file in files if _is_readable_design(file)]
    return sorted(designs, key=lambda file: file.name != WITH_PROGRAMS)


def _is_readable_design(file: Path) -> bool:
    try:
        head = read_head(file)
    except (LoadError, OSError):
        return False
    return is_design(head) or is_design_text(head)


def read_companion(
    files: Sequence[Path],
    tracks: pd.DataFrame,
    named: str = "",
    device: str | None = None,
    shift: int | None = None,
) -> Placement:
    """Read the design of a trace from the files beside it, at the columns of its tracks.

    Of several designs: the file called `named`, else designs with addresses first; the
    first that fits counts. `device` is the device whose trace it is, `shift` the columns that the
    user set. Without a design with tiles there are no frames; findings report unreadable files.
    """
    candidates, findings = _read_all(files, device)
    chosen = [one for one in candidates if one.path.name == named] if named else candidates
    if named and not chosen:
        text = f"index.json names the design {named[:100]}, which is not a readable design beside the trace"
        findings.append(Diagnostic("warning", "index_value", text, "index.json"))
    chosen.sort(key=lambda one: not one.device.has_addresses)
    refused: list[Diagnostic] = []
    for candidate in chosen:
        placement = _place(candidate, tracks, shift)
        if placement.frames is not None:
            own = design_findings(candidate.text, candidate.device, candidate.path.name)
            return Placement(placement.frames, [*findings, *own, *placement.findings])
        refused += placement.findings
    return Placement(None, findings + refused[:1])


def _read_all(
    files: Iterable[Path], device: str | None
) -> tuple[list[_Candidate], list[Diagnostic]]:
    candidates = []
    findings = []
    for path in files:
        try:
            text = read_design_file(path)
        except (LoadError, OSError) as error:
            message = f"{path.name} cannot be read as a design and is ignored: {error}"
            findings.append(Diagnostic("warning", "companion_unreadable", message, path.name))
            continue
        if text.is_generic:
            message = f"{path.name} is not read: {GENERIC}"
            findings.append(Diagnostic("warning", "design_generic", message, path.name))
        meant = text.choose(device) or text.choose()
        # A text that only configures the trace has no tiles and is no design to join.
        if meant is not None and meant.tiles:
            candidates.append(_Candidate(path, text, meant))
    return candidates, findings


def _place(candidate: _Candidate, tracks: pd.DataFrame, shift: int | None) -> Placement:
    devices = candidate.text.devices
    traced = traced_kinds(candidate.path, devices.index(candidate.device))
    frames = design_frames(devices, candidate.device, candidate.path.name, traced)
    return place_design(frames, traced_places(tracks), shift)
