"""Derive the frames of an AIE capture that depend on its settings and the method."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from analysis.aie.activity import activity
from analysis.aie.core_events import core_events
from analysis.aie.findings import capture_health
from analysis.aie.gemm import read_gemm
from analysis.aie.iterations import iterations_frame
from analysis.aie.kernels import core_kernels, kernels_frame
from analysis.aie.method_difference import method_difference
from analysis.aie.open_stalls import find_open_stalls, open_stall_findings
from analysis.aie.reference import reference_cores, reference_iterations, reference_kernels
from analysis.aie.slices import join_derived, join_slice_findings, split_slices
from analysis.timeline.open_levels import hold_open_levels
from schema.diagnostics import Diagnostic, diagnostics_frame
from schema.frames import Frames


def derive_iterations(frames: Frames, row: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Derive frames kernels and iterations by the robust method, as a dict by name.

    `row` is the row of frame `run` after overrides.
    """
    parts = [(label, _slice_iterations(own, row)) for label, own in split_slices(frames)]
    return parts[0][1] if len(parts) == 1 else join_derived(parts)


def _slice_iterations(frames: Frames, row: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    gemm = read_gemm(row)
    events = hold_open_levels(frames["events"], frames["tracks"])
    ours = [core_kernels(core, gemm) for core in core_events(_timed_tracks(frames), events)]
    return {"kernels": kernels_frame(ours), "iterations": iterations_frame(ours, gemm)}


def derive_capture(
    frames: Frames, row: Mapping[str, object], method: str
) -> dict[str, pd.DataFrame]:
    """Derive frames kernels, iterations, reference_iterations, activity and diagnostics, as a dict
    by name.

    `row` is the row of frame `run` after overrides. `method` decides kernels and iterations:
    `robust`, or the reference method with any other text. Frame diagnostics is always that of the
    robust method. Each slice of a trace buffer is derived by itself.
    """
    derived = []
    findings = []
    for label, own in split_slices(frames):
        own_frames, own_findings = _derive_slice(own, row, method)
        derived.append((label, own_frames))
        findings.append((label, own_findings))
    joined = derived[0][1] if len(derived) == 1 else join_derived(derived)
    return {**joined, "diagnostics": diagnostics_frame(join_slice_findings(findings))}


def _derive_slice(
    frames: Frames, row: Mapping[str, object], method: str
) -> tuple[dict[str, pd.DataFrame], list[Diagnostic]]:
    gemm = read_gemm(row)
    tracks = _timed_tracks(frames)
    events = hold_open_levels(frames["events"], frames["tracks"])
    cores = core_events(tracks, events)
    theirs = reference_cores(cores, gemm)
    reference = reference_iterations(theirs, gemm)
    ours = [core_kernels(core, gemm) for core in cores]
    iterations = iterations_frame(ours, gemm)
    # Findings describe the capture, so they always come from the robust method.
    findings = open_stall_findings(find_open_stalls(tracks, events))
    findings += capture_health(ours, tracks, iterations, gemm) if len(tracks) else []
    findings += method_difference(ours, iterations, theirs, reference)
    robust = method == "robust"
    kernels = kernels_frame(ours) if robust else reference_kernels(theirs, gemm)
    derived = {
        "kernels": kernels,
        "iterations": iterations if robust else reference,
        "reference_iterations": reference,
        "activity": activity(tracks, events, kernels),
    }
    return derived, findings


def _timed_tracks(frames: Frames) -> pd.DataFrame:
    """Return the rows of frame `tracks` with time stamps.

    A core that recorded program counters but no events has no times, and is dropped.
    """
    tracks = frames["tracks"]
    records = frames.get("program_counters")
    if records is None or records.empty:
        return tracks
    untimed = tracks["track"].astype(str).isin(records["track"].astype(str).unique()) & (
        tracks["entries"] == 0
    )
    return tracks[~untimed].reset_index(drop=True)
