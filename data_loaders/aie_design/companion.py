"""Designs beside a trace: choose a design, and place it on the columns of the trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from data_loaders.aie_design.design import DesignDevice
from data_loaders.aie_design.findings import GENERIC, design_findings
from data_loaders.aie_design.frames import design_frames
from data_loaders.aie_design.marking import join_designs, mark_design
from data_loaders.aie_design.placing import Placement, place_design, traced_kinds, traced_places
from data_loaders.aie_design.reader import DesignText, read_design_file
from data_loaders.protocol import LoadError
from schema.diagnostics import Diagnostic


@dataclass(frozen=True)
class _Candidate:
    """A design beside a trace, with the device that is meant."""

    path: Path
    text: DesignText
    device: DesignDevice


@dataclass(frozen=True)
class TracedSlice:
    """Units of a trace that have one design: rows of frame `tracks`, and the device whose trace
    they are, if the buffer names it.

    `label` is the slice of the buffer, "" without slices; `mark` ends the names of its tiles.
    """

    tracks: pd.DataFrame
    device: str | None = None
    label: str = ""
    mark: str = ""


def read_companion(files: Sequence[Path], tracks: pd.DataFrame, named: str = "") -> Placement:
    """Read the design of a trace without slices; see `read_companions`."""
    return read_companions(files, [TracedSlice(tracks)], named)


def read_companions(
    files: Sequence[Path],
    slices: Sequence[TracedSlice],
    named: str = "",
    shift: int | None = None,
) -> Placement:
    """Read the design of each slice of a trace from the files beside it, at the columns of its
    units, and join their frames.

    Of several designs: the file called `named`, else designs with addresses first; the first that
    fits counts. `shift` are the columns that the user set. Without a design with tiles there are no
    frames; findings report unreadable files.
    """
    texts, findings = _read_all(files)
    if named and named not in [path.name for path, _ in texts]:
        text = f"index.json names the design {named[:100]}, which is not a readable design beside the trace"
        findings.append(Diagnostic("warning", "index_value", text, "index.json"))
    texts = [(path, text) for path, text in texts if not named or path.name == named]
    placements = [_read_slice(texts, own, shift) for own in slices]
    # Slices of one device have the same doubts.
    findings += dict.fromkeys(found for one in placements for found in one.findings)
    parts = [
        mark_design(one.frames, own.label, own.mark)
        for one, own in zip(placements, slices, strict=True)
        if one.frames is not None
    ]
    return Placement(join_designs(parts) if parts else None, findings)


def _read_slice(
    texts: Iterable[tuple[Path, DesignText]], own: TracedSlice, shift: int | None
) -> Placement:
    candidates = [
        _Candidate(path, text, meant)
        for path, text in texts
        for meant in [text.choose(own.device) or text.choose()]
        if meant is not None and meant.tiles
    ]
    candidates.sort(key=lambda one: not one.device.has_addresses)
    refused: list[Diagnostic] = []
    for candidate in candidates:
        placement = _place(candidate, own.tracks, shift)
        if placement.frames is not None:
            found = design_findings(candidate.text, candidate.device, candidate.path.name)
            return Placement(placement.frames, [*found, *placement.findings])
        refused += placement.findings
    return Placement(None, refused[:1])


def _read_all(files: Iterable[Path]) -> tuple[list[tuple[Path, DesignText]], list[Diagnostic]]:
    texts = []
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
        # A text that only configures the trace has no tiles and is no design to join.
        if any(device.tiles for device in text.devices):
            texts.append((path, text))
    return texts, findings


def _place(candidate: _Candidate, tracks: pd.DataFrame, shift: int | None) -> Placement:
    devices = candidate.text.devices
    traced = traced_kinds(candidate.path, devices.index(candidate.device))
    frames = design_frames(devices, candidate.device, candidate.path.name, traced)
    return place_design(frames, traced_places(tracks), shift)
