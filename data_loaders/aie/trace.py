"""Loader of AMD AIE hardware traces in the Chrome trace-event JSON of mlir-aie's trace parser.

Format: mlir-aie `python/utils/trace/parse.py`. A process is a traced unit, a thread is one of its
eight hardware slots.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from data_loaders.aie.entries import Entries
from data_loaders.aie.frames import capture_frames
from data_loaders.aie.host_times import find_host_log, is_host_log, read_host_times
from data_loaders.aie.settings import gemm_metadata, index_settings, named_design, run_name
from data_loaders.aie.trace_entries import read_entries
from data_loaders.aie_design.files import SUFFIX, find_designs
from data_loaders.aie_model.companion import NAMES as MODEL_FILES
from data_loaders.aie_model.companion import find_model_files, read_model
from data_loaders.protocol import Bundle, KnownFile, LoadedRun, LoadError, Settings
from data_loaders.reading.entry_findings import cut_findings, skipped_findings
from data_loaders.reading.files import open_content
from data_loaders.reading.json_entries import entries_offset
from data_loaders.reading.run_names import known_place
from schema.diagnostics import Diagnostic
from schema.sources import source_of

_PROCESS = re.compile(rb'"(?:core|mem|memtile|shim|intfc)_trace\b')
_EVENT = re.compile(
    rb'"(?:INSTR_[A-Z]|[A-Z]+_STALL"|PORT_[A-Z]+_\d|DMA_[SM]|LOCK_[S\d]|CONFLICT_DM|Event[01]"|LockStall"|VectorInstr"|PortRunning)'
)
_COMPLETE = re.compile(rb'"ph"\s*:\s*"X"')
_PLANNED = re.compile(rb'"cat"\s*:\s*"(?:compute|transfer|block)"')
"""Categories of Stream's schedules."""
_SCHEDULE = KnownFile(
    "a planned schedule (complete X events, as Stream writes it): its times "
    "are predicted, and this loader reads only hardware traces"
)
_WALL_CLOCK = KnownFile(
    "wall-clock times that a host program printed (NPU matmul time): whole calls in microseconds without a trace; "
    "run_trace.log is read as a companion of the trace in the same folder"
)
_INDEX = "index.json"


class AieTraceLoader:
    """Loader of AIE hardware traces: arrays or `traceEvents` objects, old and new event names."""

    name = "aie"
    reads = "AIE hardware traces in Chrome trace-event JSON, as mlir-aie's parse.py writes them"
    setting_names = source_of("aie").settings
    version = "7"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` for a Chrome trace that names AIE units or events, else the reason for
        rejection.
        """
        if entries_offset(head) < 0:
            return _WALL_CLOCK if is_host_log(head) else "not a JSON array of trace entries"
        if _PROCESS.search(head) or (_EVENT.search(head) and b'"ph"' in head):
            return None
        if _COMPLETE.search(head) and _PLANNED.search(head):
            return _SCHEDULE
        if _COMPLETE.search(head):
            return "Chrome trace of complete (X) events such as a schedule, not a hardware trace"
        return "it contains neither an AIE unit (core_trace, mem_trace ...) nor an AIE event"

    def bundle(self, path: Path) -> Bundle:
        """Return a bundle of the trace with `index.json`, the host program's log and the designs of
        the same folder, if they exist.
        """
        index = path.parent / _INDEX
        indexed = (index,) if index.is_file() else ()
        logs = find_host_log(path.parent)
        models = find_model_files(path.parent)
        return Bundle(path, (*indexed, *logs, *find_designs(path.parent), *models))

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load a trace; `origin` is the path that the user knows if it differs from `path`.

        Raises LoadError if the file contains no entries.
        """
        indexes = [file for file in companions if file.name == _INDEX]
        designs = [file for file in companions if file.suffix == SUFFIX]
        models = [file for file in companions if file.name in MODEL_FILES]
        logs = [file for file in companions if file not in (*indexes, *designs, *models)]
        indexed, unread = index_settings(indexes)
        times, timed = read_host_times(logs)
        metadata = times | gemm_metadata(origin or path.as_posix(), indexed, settings)
        try:
            with open_content(path) as stream:
                entries = read_entries(stream)
        except ValueError as error:
            raise LoadError(f"{path}: {error}") from error
        if not len(entries.ts) and not entries.processes and not len(entries.instants.order):
            raise LoadError(f"{path}: contains no trace entries")
        frames, findings = capture_frames(entries, path)
        metadata.setdefault("name", run_name(known_place(path, origin), metadata))
        designed, design_remarks = _read_designs(designs, frames["tracks"], named_design(indexes))
        predicted, unpredicted = read_model(models)
        findings = [*unread, *timed, *_entry_findings(entries, path), *findings]
        return LoadedRun(
            metadata | {"time_unit": "cycles"},
            frames | designed | predicted,
            [*findings, *design_remarks, *unpredicted],
        )


def _read_designs(
    designs: Sequence[Path], tracks: pd.DataFrame, named: str
) -> tuple[dict[str, pd.DataFrame], list[Diagnostic]]:
    """Read the design beside the trace, which index.json may name; return its frames and findings."""
    if not designs and not named:
        return {}, []
    # Most folders of a trace have no design, and its reader has more modules than this loader.
    from data_loaders.aie_design.companion import read_companion  # noqa: PLC0415

    placement = read_companion(designs, tracks, named)
    return placement.frames or {}, placement.findings


def _entry_findings(entries: Entries, path: Path) -> list[Diagnostic]:
    return [
        *cut_findings(entries.cut_at, entries.total, path),
        *skipped_findings(entries.bad, path.name),
    ]
