"""Validate a memory snapshot and turn it into columns: blocks and a trace per device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from data_loaders.protocol import LoadError
from data_loaders.torch_snapshot.annotations import Annotation, read_annotations
from data_loaders.torch_snapshot.call_stacks import CallStacks
from data_loaders.torch_snapshot.left_out import LeftOut
from data_loaders.torch_snapshot.segments import Blocks, read_blocks, segments_by_device
from data_loaders.torch_snapshot.traces import Trace, no_trace, read_trace
from data_loaders.torch_snapshot.values import MAX_DEVICES


@dataclass
class Snapshot:
    """Content of a snapshot by device number; `left_out` counts the parts that cannot be read."""

    traces: dict[int, Trace] = field(default_factory=dict)
    blocks: dict[int, Blocks] = field(default_factory=dict)
    stacks: CallStacks = field(default_factory=CallStacks)
    annotations: list[Annotation] = field(default_factory=list)
    expandable: bool = False
    left_out: LeftOut = field(default_factory=LeftOut)


def read_snapshot(root: object, content_bytes: int) -> Snapshot:
    """Convert an unpickled snapshot into columns per device, and empty its lists of entries.

    Unreadable parts are counted in `left_out`. A pickle of few bytes can refer to a list many
    times, so a snapshot with more entries than bytes of content is refused. Raises LoadError then,
    or if the object is not a snapshot.
    """
    if type(root) is not dict:
        raise LoadError(
            "it is not a snapshot: its top level is not a mapping with segments and device_traces"
        )
    segments = root.get("segments")
    traces = root.get("device_traces")
    if type(segments) is not list or type(traces) is not list:
        raise LoadError("its segments and device_traces are not lists")
    lists = [entries for entries in traces if type(entries) is list]
    if len(segments) + len(traces) + sum(map(len, lists)) > content_bytes:
        raise LoadError("it expands to more entries than its bytes can hold")
    snapshot = Snapshot()
    _add_traces(snapshot, traces)
    _add_segments(snapshot, segments, content_bytes)
    snapshot.annotations = read_annotations(root.get("external_annotations"), snapshot.left_out)
    settings = root.get("allocator_settings")
    snapshot.expandable |= type(settings) is dict and settings.get("expandable_segments") is True
    return snapshot


def _add_traces(snapshot: Snapshot, traces: Sequence[object]) -> None:
    lists = [id(entries) for entries in traces]
    # A pickle can refer to one list several times, of which each device reads all entries.
    is_shared = len(set(lists)) < len(lists)
    for device, entries in enumerate(traces[:MAX_DEVICES]):
        if type(entries) is not list:
            snapshot.left_out.add(device, "trace", "ignored: not a list")
            snapshot.traces[device] = no_trace()
        elif entries:
            snapshot.traces[device] = read_trace(
                device, entries, snapshot.stacks, snapshot.left_out, frees=not is_shared
            )
    further = sum(bool(entries) for entries in traces[MAX_DEVICES:])
    snapshot.left_out.add(None, "trace", f"ignored: devices from number {MAX_DEVICES} on", further)


def _add_segments(snapshot: Snapshot, segments: Sequence[object], content_bytes: int) -> None:
    by_device = segments_by_device(segments, content_bytes, snapshot.left_out)
    for device in sorted(by_device):
        own = by_device[device]
        snapshot.blocks[device] = read_blocks(device, own, snapshot.stacks, snapshot.left_out)
        snapshot.expandable |= any(segment.get("is_expandable") is True for segment in own)
