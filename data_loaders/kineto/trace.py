"""Loader of torch.profiler (Kineto) traces: Chrome trace-event JSON of spans, plain or gzip."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from data_loaders.kineto.attribution import find_origins
from data_loaders.kineto.entries import FORMAT, SpanCollector
from data_loaders.kineto.frames import (
    Trace,
    counters_frame,
    events_frame,
    join_launches,
    kernels_frame,
    launches_frame,
    markers_frame,
    profiler_steps,
    tracks_frame,
)
from data_loaders.kineto.memory import device_memory_frame
from data_loaders.kineto.operators import operator_shapes_frame, operators_frame
from data_loaders.kineto.rows import assign_rows
from data_loaders.kineto.unknown import find_categories
from data_loaders.kineto.values import whole_number
from data_loaders.profile_settings import read_settings
from data_loaders.protocol import Bundle, LoadedRun, LoadError, Settings
from data_loaders.reading.entry_findings import cut_findings, skipped_findings
from data_loaders.reading.json_entries import Surroundings, collect_file, entries_offset
from schema.devices import with_peaks
from schema.diagnostics import Diagnostic, occurrences
from schema.sources import source_of

_CLOSING = b"]}"
_OPENING = b'{"traceEvents": ['


def parse_header(around: Surroundings) -> Mapping[str, Any]:
    """Parse the keys of the object that holds the entries, without the entries.

    Returns {} if the trace is an array or the keys are damaged. Keys may be before and behind the
    entries.
    """
    return _keys(around.before + _CLOSING) | _keys(_OPENING + around.behind)


def _keys(text: bytes) -> dict[str, Any]:
    try:
        content = json.JSONDecoder(strict=False).decode(
            text.decode("utf-8", "replace").lstrip("\ufeff")
        )
    except (ValueError, RecursionError):
        return {}
    return (
        {key: value for key, value in content.items() if key != "traceEvents"}
        if isinstance(content, dict)
        else {}
    )


def device_names(header: Mapping[str, Any]) -> list[str]:
    """List the names in the trace's `deviceProperties`, in order; empty if there are none."""
    properties = header.get("deviceProperties")
    devices = properties if isinstance(properties, list) else []
    names = [device.get("name") for device in devices if isinstance(device, dict)]
    return [name for name in names if isinstance(name, str) and name]


def memory_sizes(header: Mapping[str, Any]) -> dict[int, int]:
    """Map the number of each device in the trace's `deviceProperties` to the bytes of its memory;
    devices without a valid size are left out.
    """
    properties = header.get("deviceProperties")
    sizes = {}
    for device in properties if isinstance(properties, list) else []:
        if not isinstance(device, dict):
            continue
        number = whole_number(device.get("id"))
        size = whole_number(device.get("totalGlobalMem"))
        if number >= 0 and size > 0:
            sizes[number] = size
    return sizes


def process_rank(header: Mapping[str, Any]) -> int | None:
    """Return the rank (from 0) of the process in a distributed training.

    Returns `None` if the header has no rank, or it is not an int from 0 to 999,999.
    """
    info = header.get("distributedInfo")
    rank = info.get("rank") if isinstance(info, dict) else None
    return (
        rank if isinstance(rank, int) and not isinstance(rank, bool) and 0 <= rank < 10**6 else None
    )


def time_base(header: Mapping[str, Any]) -> int:
    """Return the trace's time base in ns since 1970.

    0 if the header has no valid base: then times count from 1970.
    """
    base = header.get("baseTimeNanoseconds")
    return base if isinstance(base, int) and not isinstance(base, bool) and 0 <= base < 2**62 else 0


_KEYS = re.compile(
    rb'"(?:schemaVersion|deviceProperties|baseTimeNanoseconds|distributedInfo|traceName)"\s*:'
)
_CATEGORIES = re.compile(
    rb'"cat"\s*:\s*"(?:kernel|cpu_op|cuda_runtime|cuda_driver|gpu_mem(?:cpy|set)|user_annotation|python_function)"'
)
_SUFFIXES = (".gz", ".json", ".trace", ".pt")
_ALWAYS = ("tracks", "events", "kernels")
"""Frames that are stored even if they are empty."""
_NS = 10**9
_PLAUSIBLE = range(10**9, 2**32)
"""Seconds since 1970 that are accepted as a date: from 2001 to 2106."""


class KinetoLoader:
    """Loader of the Chrome traces that torch.profiler exports, for any device."""

    name = "kineto"
    reads = "traces of torch.profiler (Kineto), Chrome trace-event JSON of spans"
    setting_names = source_of("kineto").settings
    version = "3"

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
        return "a Chrome trace without torch.profiler's keys (deviceProperties ...) and categories (cpu_op, kernel ...)"

    def bundle(self, path: Path) -> Bundle:
        """Return a bundle of this file without companions."""
        return Bundle(path)

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
            trace, first = _trace(collector, header)
        except LoadError as error:
            raise LoadError(f"{path}: {error}") from error
        runs = join_launches(trace)
        steps = profiler_steps(trace)
        origins = find_origins(trace, runs)
        frames = {
            "tracks": tracks_frame(trace),
            "events": events_frame(trace),
            "kernels": kernels_frame(trace, runs, steps, origins.operator, origins.python),
            "launches": launches_frame(trace, runs),
            "markers": markers_frame(steps),
            "counters": counters_frame(trace),
            "operators": operators_frame(trace, runs, origins),
            "operator_shapes": operator_shapes_frame(trace),
            "device_memory": device_memory_frame(trace, memory_sizes(header)),
        }
        frames = {name: frame for name, frame in frames.items() if len(frame) or name in _ALWAYS}
        findings = cut_findings(around.cut_at, collector.total, path.name)
        findings += [*skipped_findings(collector.bad, path.name), *_launch_findings(frames)]
        metadata = _metadata(origin or path.as_posix(), header, first) | dict(options.run)
        return LoadedRun(metadata | with_peaks(metadata, options.run), frames, findings)


def _trace(collector: SpanCollector, header: Mapping[str, Any]) -> tuple[Trace, int]:
    """Build the trace with times (ns) from its first span or sample on.

    Also returns that time in ns of the file's clock. Raises LoadError if there are no spans.
    """
    spans = collector.spans()
    linked = collector.numbers()
    details = collector.details()
    spans = replace(spans, category=find_categories(collector, spans, linked, details))
    samples = collector.samples()
    rows = assign_rows(collector, spans, linked, device_names(header))
    starts = spans.start[rows.row >= 0]
    if not len(starts):
        skipped = ": ".join(kind for kind, _ in collector.bad.most_common(1))
        raise LoadError(f"contains no spans of a profile{f', {skipped}' if skipped else ''}")
    first = int(min(starts.min(), samples.at.min(initial=starts.min())))
    spans = replace(spans, start=spans.start - first)
    samples = replace(samples, at=samples.at - first)
    trace = Trace(
        names=list(collector.names),
        categories=list(collector.categories),
        spans=spans,
        linked=linked,
        details=details,
        operators=collector.operators(),
        texts=list(collector.texts),
        samples=samples,
        allocators=list(collector.allocators),
        rows=rows,
    )
    return trace, first


def _metadata(origin: str, header: Mapping[str, Any], first: int) -> dict[str, object]:
    rank = process_rank(header)
    name = re.split(r"[/\\]", origin)[-1]
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    metadata: dict[str, object] = {
        "name": f"{name} rank {rank}" if rank is not None else name,
        "time_unit": "ns",
    }
    devices = device_names(header)
    if devices:
        metadata["hwid"] = devices[0][:200]
    seconds = (time_base(header) + first) // _NS
    if seconds in _PLAUSIBLE:
        metadata["taken_at"] = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return metadata


def _launch_findings(frames: Mapping[str, Any]) -> list[Diagnostic]:
    unknown = int(frames["kernels"]["launch"].isna().sum())
    reason = "of a kernel or copy without the call that launched it: in no step"
    return occurrences("info", "launch_unknown", unknown, "execution", reason)
