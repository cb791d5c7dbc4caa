"""Loader for XLA dumps: buffer assignments of modules, with live ranges and uses.

`XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_text"` writes
`module_NNNN.NAME.STAGE-buffer-assignment.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from data_loaders.memory_settings import memory_settings
from data_loaders.protocol import Bundle, LoadedRun, LoadError, Settings
from data_loaders.reading.files import content_name
from data_loaders.xla.assignment import Assignment, read_assignment
from data_loaders.xla.companions import COMPANION_ENDS, read_companions, read_text
from data_loaders.xla.frames import map_frames
from data_loaders.xla.live_range import LiveRanges
from data_loaders.xla.totals import check_limits, outside_findings, total_findings, totals_frame
from data_loaders.xla.usage_report import is_usage_report
from data_loaders.xla.uses import is_uses, repeated_names
from schema.diagnostics import Diagnostic, occurrences
from schema.plurals import plural
from schema.sources import source_of

_HEAD = b"BufferAssignment:"
_PRIMARY = "-buffer-assignment.txt"
_NAME = re.compile(
    r"module_\d{1,9}\.(.{1,500}?)"
    # GPUs of NVIDIA have a dot in their architecture: sm_8.0_gpu_after_optimizations.
    r"(?:\.(?:sm_\d{1,3}\.)?[^.]{1,100}_after_optimizations)?-buffer-assignment\.txt"
)


class XlaLoader:
    """Loads buffer assignments from XLA's dump folders."""

    name = "xla"
    reads = "buffer assignments that XLA dumps, with live ranges, uses and the module's text beside them"
    setting_names = source_of("xla").settings
    version = "2"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` if the file is a buffer assignment; else return why it is rejected."""
        if head.startswith(_HEAD):
            return None
        if head.startswith(b"HloLiveRange"):
            return "live ranges of an XLA module: ingest them with its buffer assignment"
        text = head.decode("utf-8", "replace")
        if is_usage_report(text):
            return "memory usage report of an XLA module: ingest it with its buffer assignment"
        if is_uses(text):
            return "uses of an XLA module's values: ingest them with its buffer assignment"
        return "does not begin like a buffer assignment of XLA"

    def bundle(self, path: Path) -> Bundle:
        """Return the assignment with the companions that exist: live ranges, text, uses and
        memory usage report of the same module.

        A file of another name has no companions.
        """
        name = content_name(path)
        if not name.endswith(_PRIMARY):
            return Bundle(path)
        stem = name.removesuffix(_PRIMARY)
        files = [
            path.parent / f"{stem}{end}{packed}" for end in COMPANION_ENDS for packed in ("", ".gz")
        ]
        return Bundle(path, tuple(file for file in files if file.is_file()))

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load an assignment.

        Raises LoadError if no allocation has a readable value, the text or the sizes are too large,
        or a setting is invalid.
        """
        options = memory_settings(settings)
        file = re.split(r"[/\\]", origin or str(path))[-1]
        assignment = read_assignment(read_text(path))
        if not any(allocation.values for allocation in assignment.allocations):
            raise LoadError(f"{file}: has no allocation with a value")
        try:
            check_limits(assignment.allocations)
        except ValueError as error:
            raise LoadError(f"{file}: {error}") from error
        findings = _assignment_findings(assignment, file)
        companion_data = read_companions(companions, assignment, findings)
        frames = map_frames(assignment, companion_data, options)
        total = companion_data.total
        frames["allocation_totals"] = totals_frame(assignment.allocations, total)
        findings += total_findings(assignment.allocations, total)
        findings += outside_findings(assignment.allocations)
        findings += _range_findings(companion_data.ranges)
        repeated = repeated_names(frames["allocations"]["name"].tolist(), companion_data.uses)
        explanation = "with the name of an earlier value: the uses are those of the first"
        findings += occurrences("warning", "values_repeated", repeated, "value", explanation)
        metadata: dict[str, object] = {
            "name": options.get("name") or _run_name(file),
            "time_unit": "steps",
        }
        metadata |= {key: options[key] for key in ("hwid", "tags") if options.get(key)}
        return LoadedRun(metadata, frames, findings)


def _run_name(file: str) -> str:
    match = _NAME.fullmatch(file.removesuffix(".gz"))
    return match[1] if match else file.removesuffix(".gz").removesuffix(".txt")


def _assignment_findings(assignment: Assignment, file: str) -> list[Diagnostic]:
    findings = []
    if assignment.cut:
        text = "the last line is not terminated: the file was cut off, and was read up to there"
        findings.append(Diagnostic("warning", "file_cut", text, file))
    if assignment.skipped:
        text = (
            f"{plural(assignment.skipped, 'line')} of allocations and values skipped: not readable"
        )
        findings.append(Diagnostic("warning", "lines_skipped", text, file, assignment.skipped))
    return findings


def _range_findings(ranges: LiveRanges | None) -> list[Diagnostic]:
    if ranges is None:
        text = "its folder has no live ranges of the module: lifetimes of values are not known"
        return [Diagnostic("warning", "lifetimes_unknown", text)]
    if ranges.peak is None:
        return []
    step, size = ranges.peak
    text = f"XLA counts {plural(size, 'byte')} alive at its peak, step {step}: aliases of one allocation count each time"
    return [Diagnostic("info", "xla_peak", text)]
