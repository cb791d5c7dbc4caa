"""Build the run of an ONNX Runtime profile from its spans."""

from __future__ import annotations

import re
from pathlib import Path

from data_loaders.onnxruntime.doubtful import doubtful_findings
from data_loaders.onnxruntime.entries import FORMAT, ProfileCollector
from data_loaders.onnxruntime.frames import (
    counters_frame,
    events_frame,
    kernels_frame,
    markers_frame,
    tracks_frame,
)
from data_loaders.onnxruntime.operators import operator_shapes_frame, operators_frame
from data_loaders.onnxruntime.parts import RUN, Profile, read_profile
from data_loaders.onnxruntime.raw_names import EscapedNames
from data_loaders.profile_settings import read_settings
from data_loaders.protocol import LoadedRun, LoadError, Settings
from data_loaders.reading.entry_findings import cut_findings, skipped_findings
from data_loaders.reading.files import open_content
from data_loaders.reading.json_entries import collect_entries
from data_loaders.reading.run_names import known_place, name_columns, with_name
from schema.devices import with_peaks
from schema.diagnostics import Diagnostic, occurrences

MAX_ENTRIES = 1_000_000
"""Entries after which ONNX Runtime stops writing (onnxruntime/core/common/profiler.h)."""
_SUFFIXES = (".gz", ".json")
_ALWAYS = ("tracks", "events", "kernels")
"""Frames that are stored even if they are empty."""


def load_profile(path: Path, settings: Settings, origin: str | None) -> LoadedRun:
    """Load a profile, with times in ns.

    Raises LoadError if it has no spans of a session or of nodes, or a setting is invalid.
    """
    options = read_settings(settings)
    collector = ProfileCollector()
    cut_at = _collect(path, collector)
    profile = read_profile(collector.spans())
    if not len(profile.nodes) and not len(profile.session):
        raise LoadError(f"{path}: contains no spans of a session or of nodes")
    frames = {
        "tracks": tracks_frame(profile),
        "events": events_frame(profile),
        "kernels": kernels_frame(profile),
        "markers": markers_frame(profile),
        "counters": counters_frame(profile),
        "operators": operators_frame(profile.nodes, profile.executions),
        "operator_shapes": operator_shapes_frame(profile.nodes),
    }
    frames = {name: frame for name, frame in frames.items() if len(frame) or name in _ALWAYS}
    findings = cut_findings(cut_at, collector.total, path)
    findings += skipped_findings(collector.bad, path.name) + _full_findings(
        collector.total, path.name
    )
    findings += doubtful_findings(profile.nodes, path.name)
    findings += _run_findings(profile, int(frames["kernels"]["iteration"].isna().sum()))
    metadata = with_name(_names(known_place(path, origin)), {"time_unit": "ns"} | dict(options.run))
    return LoadedRun(metadata | with_peaks(metadata, options.run), frames, findings)


def _collect(path: Path, collector: ProfileCollector) -> int | None:
    """Pass all entries of a file to the collector.

    Returns the offset in bytes at which a cut file stops, None if it is whole. Raises LoadError if
    it has no array of entries.
    """
    try:
        with open_content(path) as stream:
            names = EscapedNames(stream)
            around = collect_entries(names, collector, FORMAT)
    except ValueError as error:
        raise LoadError(f"{path}: {error}") from error
    return None if around.cut_at is None else around.cut_at - names.added


def _names(place: str) -> dict[str, str]:
    name = re.split(r"[/\\]", place)[-1]
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name_columns(place, name)


def _full_findings(total: int, file: str) -> list[Diagnostic]:
    if total < MAX_ENTRIES:
        return []
    text = f"ONNX Runtime writes at most {MAX_ENTRIES:,} entries: later nodes are missing from the profile"
    return [Diagnostic("warning", "profile_full", text, file)]


def _run_findings(profile: Profile, unknown: int) -> list[Diagnostic]:
    if not len(profile.nodes):
        text = "no node ran during profiling: the run has no kernels"
        return [Diagnostic("warning", "no_nodes", text)]
    if not len(profile.runs):
        message = f"it has no span {RUN}: kernels are not assigned to a run of the model"
        return [Diagnostic("info", "no_runs", message)]
    what = "outside of any run of the model, or in several overlapping runs"
    return occurrences("info", "run_unknown", unknown, "kernel", what)
