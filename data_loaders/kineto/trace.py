"""Loader of torch.profiler (Kineto) traces: Chrome trace-event JSON of spans, plain or gzip."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from data_loaders.kineto.attribution import find_origins
from data_loaders.kineto.doubtful import (
    doubtful_findings,
    find_doubtful,
    without_doubtful,
)
from data_loaders.kineto.entries import SpanCollector
from data_loaders.kineto.entry_format import FORMAT
from data_loaders.kineto.frames import (
    Trace,
    counters_frame,
    events_frame,
    join_launches,
    kernels_frame,
    launches_frame,
    tracks_frame,
)
from data_loaders.kineto.header import (
    device_names,
    job_columns,
    memory_sizes,
    parse_header,
    process_rank,
    time_base,
)
from data_loaders.kineto.left_out import leave_out, near_counters, near_samples, take_parts
from data_loaders.kineto.lost_kernels import lost_kernel_findings
from data_loaders.kineto.memory import device_memory_frame
from data_loaders.kineto.merged import thread_ranks
from data_loaders.kineto.operators import operator_shapes_frame, operators_frame
from data_loaders.kineto.rows import assign_rows
from data_loaders.kineto.steps import markers_frame, profiler_steps
from data_loaders.kineto.unknown import find_categories, unknown_findings
from data_loaders.profile_settings import read_settings
from data_loaders.protocol import KnownFile, LoadedRun, LoadError, Settings, SingleFileLoader
from data_loaders.reading.entry_findings import cut_findings, skipped_findings
from data_loaders.reading.json_entries import collect_file, entries_offset
from data_loaders.reading.run_names import known_place, name_columns
from schema.allocated_findings import allocated_findings
from schema.devices import with_peaks
from schema.diagnostics import Diagnostic, occurrences
from schema.sources import source_of

_KEYS = re.compile(
    rb'"(?:schemaVersion|deviceProperties|baseTimeNanoseconds|distributedInfo|traceName)"\s*:'
)
_CATEGORIES = re.compile(
    rb'"cat"\s*:\s*"(?:kernel|cpu_op|cuda_runtime|cuda_driver|gpu_mem(?:cpy|set)|user_annotation|python_function)"'
)
_NPU = re.compile(rb'"Ascend Hardware"')
"""Process of torch_npu's traces, whose entries have no category."""
_TEXT_TIME = re.compile(rb'"ts"\s*:\s*"[0-9]{1,20}(?:\.[0-9]{1,9})?"')
_COMPLETE = re.compile(rb'"ph"\s*:\s*"X"')
"""torch_npu alone writes complete entries with times as texts."""
_LEGACY = re.compile(rb'"pid"\s*:\s*"(?:CPU|CUDA) functions"')
"""Processes in traces of torch.autograd.profiler before Kineto."""
_XLA = re.compile(rb'"(?:/host:CPU|/device:[A-Z]{3}:\d{1,4}[^"]{0,80})"')
"""Processes in traces of TensorFlow and JAX."""
_SUFFIXES = (".gz", ".json", ".trace", ".pt")
_LEGACY_REASON = KnownFile(
    "a trace of torch.autograd's legacy profiler, which has neither categories nor launches: "
    "record with torch.profiler.profile and its export_chrome_trace"
)
_XLA_REASON = KnownFile(
    "a trace of TensorFlow's or JAX's profiler, not of torch.profiler: of XLA only buffer "
    "assignments are read"
)
_ALWAYS = ("tracks", "events", "kernels")
"""Frames that are stored even if they are empty."""
_NS = 10**9
_PLAUSIBLE = range(10**9, 2**32)
"""Seconds since 1970 that are accepted as a date: from 2001 to 2106."""


class KinetoLoader(SingleFileLoader):
    """Loader of the Chrome traces that torch.profiler exports, for any device."""

    name = "kineto"
    reads = "traces of torch.profiler (Kineto), Chrome trace-event JSON of spans"
    setting_names = source_of("kineto").settings
    version = "7"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` for a Chrome trace with torch.profiler's keys or categories.

        Returns a reason for rejection for other files.
        """
        # Keys may fill the whole head, so that the entries begin behind it.
        if entries_offset(head) < 0 and not (
            head.lstrip()[:1] == b"{" and b'"metadata"' in head and _KEYS.search(head)
        ):
            return "not a JSON array of trace entries"
        is_object = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
        if (is_object and _KEYS.search(head)) or _CATEGORIES.search(head):
            return None
        if _NPU.search(head) or (_TEXT_TIME.search(head) and _COMPLETE.search(head)):
            return None
        if _LEGACY.search(head):
            return _LEGACY_REASON
        if _XLA.search(head):
            return _XLA_REASON
        return "a Chrome trace without torch.profiler's keys (deviceProperties ...) and categories (cpu_op, kernel ...)"

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load a trace with times in ns.

        Raises LoadError if it has no spans or a setting is invalid.
        """
        options = read_settings(settings)
        collector = SpanCollector()
        around = collect_file(path, collector, FORMAT)
        header = parse_header(around)
        try:
            trace, first, doubts = _trace(collector, header)
        except LoadError as error:
            raise LoadError(f"{path}: {error}") from error
        runs = join_launches(trace)
        doubtful = find_doubtful(trace, runs)
        doubts += doubtful_findings(trace, doubtful, path.name)
        if len(doubtful.early) or len(doubtful.overrun):
            trace, later = without_doubtful(trace, runs, doubtful)
            runs = join_launches(trace)
            first += later
        steps = profiler_steps(trace)
        origins = find_origins(trace, runs)
        doubts += lost_kernel_findings(trace, runs, path.name)
        frames = {
            "tracks": tracks_frame(trace),
            "events": events_frame(trace),
            "kernels": kernels_frame(trace, runs, steps, origins.operator, origins.python),
            "launches": launches_frame(trace, runs),
            "markers": markers_frame(steps, trace.rank_labels),
            "counters": counters_frame(trace),
            "operators": operators_frame(trace, runs, origins),
            "operator_shapes": operator_shapes_frame(trace),
            "device_memory": device_memory_frame(trace, memory_sizes(header)),
        }
        frames = {name: frame for name, frame in frames.items() if len(frame) or name in _ALWAYS}
        findings = cut_findings(around.cut_at, collector.total, path)
        findings += [
            *skipped_findings(collector.bad, path.name),
            *doubts,
            *_launch_findings(frames),
            *_memory_findings(frames),
        ]
        metadata = _metadata(known_place(path, origin), header, first)
        if options.run.get("name"):
            metadata.pop("stem", None)
        metadata |= job_columns(header, _folder(path, origin)) | dict(options.run)
        return LoadedRun(metadata | with_peaks(metadata, options.run), frames, findings)


def _memory_findings(frames: Mapping[str, Any]) -> list[Diagnostic]:
    return allocated_findings(frames["device_memory"]) if "device_memory" in frames else []


def _trace(
    collector: SpanCollector, header: Mapping[str, Any]
) -> tuple[Trace, int, list[Diagnostic]]:
    """Build the trace with times (ns) from its first span or sample on.

    Also returns that time in ns of the file's clock, and findings about entries that are left out.
    Raises LoadError if there are no spans.
    """
    parts, findings = leave_out(collector, take_parts(collector))
    spans = parts.spans
    category = find_categories(collector, spans, parts.linked, parts.details)
    spans = replace(spans, category=category)
    findings += unknown_findings(collector, spans)
    samples = near_samples(collector.samples(), spans)
    rows = assign_rows(collector, spans, parts.linked, device_names(header))
    starts = spans.start[rows.row >= 0]
    if not len(starts):
        skipped = ": ".join(kind for kind, _ in collector.bad.most_common(1))
        raise LoadError(f"contains no spans of a profile{f', {skipped}' if skipped else ''}")
    counters = near_counters(collector.counters.samples(), spans)
    ranks, rank_labels = thread_ranks(list(collector.threads))
    first = int(min(starts.min(), samples.at.min(initial=starts.min())))
    first = int(min(first, counters.at.min(initial=first)))
    trace = Trace(
        names=list(collector.names),
        categories=list(collector.categories),
        spans=replace(spans, start=spans.start - first),
        linked=parts.linked,
        details=parts.details,
        operators=parts.operators,
        texts=list(collector.texts),
        samples=replace(samples, at=samples.at - first),
        allocators=list(collector.allocators),
        counters=replace(counters, at=counters.at - first),
        counter_names=_counter_names(collector),
        rows=rows,
        ranks=ranks,
        rank_labels=rank_labels,
    )
    return trace, first, findings


def _counter_names(collector: SpanCollector) -> list[tuple[str, str]]:
    """List the process and the name of each counter, as people know the process."""
    labels = collector.process_labels
    names = collector.process_names
    return [
        (labels.get(pid) or names.get(pid) or f"process {pid}", name)
        for pid, name in collector.counters.names
    ]


def _folder(path: Path, origin: str | None) -> str:
    """Return the folder of the file that the user knows; of an upload that of its copy."""
    known = Path(origin) if origin and Path(origin).name != origin else path
    return known.absolute().parent.as_posix()


def _metadata(place: str, header: Mapping[str, Any], first: int) -> dict[str, object]:
    rank = process_rank(header)
    name = re.split(r"[/\\]", place)[-1]
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    names = name_columns(place, name)
    if rank is not None:
        names = {column: f"{text} rank {rank}" for column, text in names.items()}
    metadata: dict[str, object] = {**names, "time_unit": "ns"}
    devices = device_names(header)
    if devices:
        metadata["hwid"] = devices[0][:200]
    seconds = (time_base(header) + first) // _NS
    if seconds in _PLAUSIBLE:
        metadata["taken_at"] = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return metadata


def _launch_findings(frames: Mapping[str, Any]) -> list[Diagnostic]:
    """Return the finding that counts executions without a launch; empty if there are none."""
    unknown = int(frames["kernels"]["launch"].isna().sum())
    reason = "of a kernel or copy without the call that launched it"
    if "markers" in frames:
        reason += ": in no step"
    return occurrences("info", "launch_unknown", unknown, "execution", reason)
