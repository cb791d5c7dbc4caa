"""Assign a torch.profiler trace's spans to rows: device streams, host threads, Python functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from data_loaders.kineto.categories import CAPTURE, EXECUTIONS, ON_DEVICE
from data_loaders.kineto.entries import SpanCollector
from data_loaders.kineto.merged import split_devices
from data_loaders.kineto.spans import MISSING, Linked, Spans, Thread
from data_loaders.kineto.unknown import NPU_EVENT, NPU_PROCESS
from data_loaders.protocol import LoadError
from schema.array_types import Ints
from schema.plurals import plural
from schema.torch_profiler import KERNEL, PYTHON

MAX_ROWS = 5000
"""Highest number of threads and streams; real captures have some hundreds."""
_STREAM, _ANNOTATIONS, _HOST, _OVERHEAD, _PYTHON = range(5)
"""Kinds of rows in display order: devices first, Python last, as its stacks are deep."""
_OF_DEVICE = (_STREAM, _ANNOTATIONS)
_MAKERS = frozenset({"xpu", "mtia", "hpu", "privateuse1"})
"""Begin of the categories `xpu_runtime`, `mtia_ccp_events`, `hpu_op`, and of the prefix of names."""
_AMD = ("AMD", "Instinct", "Radeon", "MI")


@dataclass(frozen=True)
class Rows:
    """Rows of a trace in display order, and the row of every span (`row`, -1 if it has none).

    `device` is a stream's index in `devices`, -1 for all other rows.
    """

    names: list[str]
    kinds: list[str]
    pids: list[str]
    tids: list[str]
    processes: list[str]
    device: Ints
    devices: list[str]
    row: Ints


def assign_rows(
    collector: SpanCollector, spans: Spans, linked: Linked, devices: Sequence[str]
) -> Rows:
    """Assign each span to a row, in display order: streams, annotations, threads, overhead, Python.

    Raises LoadError if there are more than MAX_ROWS (5,000) rows. `devices` has the names of the
    trace's devices. The span of the whole capture has row -1. Devices of several ranks in one file
    are distinguished by their processes.
    """
    linked, split = split_devices(collector, spans, linked)
    categories = list(collector.categories)
    kind = _row_kinds(categories)[spans.category]
    device = np.full(len(kind), MISSING)
    device[linked.span] = linked.device
    stream = np.full(len(kind), MISSING)
    stream[linked.span] = linked.stream
    on_stream = np.isin(kind, _OF_DEVICE) & (device != MISSING) & (stream != MISSING)
    # If a span lacks device or stream, its thread takes the place of the stream.
    keys = np.stack(
        [kind, np.where(on_stream, device, MISSING), np.where(on_stream, stream, spans.thread)]
    )
    shown = np.flatnonzero(kind >= 0)
    distinct, place = np.unique(keys[:, shown], axis=1, return_inverse=True)
    if distinct.shape[1] > MAX_ROWS:
        raise LoadError(
            f"{plural(distinct.shape[1], 'thread')} and streams exceed the limit of a capture"
        )
    row = np.full(len(kind), -1)
    row[shown] = place.reshape(-1)
    computes = set(row[np.isin(spans.category, _codes(categories, {KERNEL}))].tolist())
    interface = _interface(collector, devices)
    return _name_rows(
        collector, distinct.T.tolist(), row, computes, interface=interface, split=split
    )


def _row_kinds(categories: Sequence[str]) -> Ints:
    """Return the kind of row (`_STREAM` to `_PYTHON`) of each category, shape (categories,).

    -1 if its spans have no row.
    """
    kinds = {PYTHON: _PYTHON, CAPTURE: -1, "overhead": _OVERHEAD} | dict.fromkeys(
        ON_DEVICE | {NPU_EVENT}, _ANNOTATIONS
    )
    kinds |= dict.fromkeys(EXECUTIONS, _STREAM)
    return np.array([kinds.get(category, _HOST) for category in categories], np.int64)


def _codes(categories: Sequence[str], wanted: set[str] | frozenset[str]) -> list[int]:
    return [code for code, category in enumerate(categories) if category in wanted]


def _interface(collector: SpanCollector, devices: Sequence[str]) -> str:
    """Return the prefix of device names: npu for Huawei's, hip for AMD's, that of the category of
    other makers' spans, otherwise cuda.
    """
    if NPU_PROCESS in collector.process_names.values():
        return "npu"
    for category in sorted(collector.raw_categories):
        maker = category.lower().partition("_")[0]
        if maker in _MAKERS:
            return maker
    calls = any(name.startswith("hip") for name in collector.names)
    return "hip" if calls or any(name.startswith(_AMD) for name in devices) else "cuda"


def _name_rows(
    collector: SpanCollector,
    keys: list[list[int]],
    row: Ints,
    computes: set[int],
    *,
    interface: str,
    split: Mapping[int, str],
) -> Rows:
    """Name the rows; `split` are the names of devices that several processes number alike."""
    threads = list(collector.threads)
    names = []
    kinds = []
    pids = []
    tids = []
    processes = []
    devices = []
    for place, (kind, device, number) in enumerate(keys):
        is_stream = device != MISSING
        pid = split.get(device, str(device)) if is_stream else threads[number][0]
        is_named = kind not in _OF_DEVICE
        devices.append("" if is_named else f"{interface} {pid}")
        # A span without a stream has the stream's number as its thread's.
        stream = str(number) if is_stream else threads[number][1]
        tids.append(stream)
        name = (
            _thread_name(collector, threads[number], kind)
            if is_named
            else f"{devices[-1]} stream {stream}"
        )
        names.append(f"{name} annotations" if kind == _ANNOTATIONS else name)
        kinds.append(_shown_kind(kind, place in computes))
        pids.append(pid)
        processes.append(collector.process_labels.get(pid) or collector.process_names.get(pid, ""))
    listed = list(dict.fromkeys(filter(None, devices)))
    device_index = np.array([listed.index(name) if name else -1 for name in devices], np.int64)
    return Rows(_distinct(names), kinds, pids, tids, processes, device_index, listed, row)


def _thread_name(collector: SpanCollector, thread: Thread, kind: int) -> str:
    name = collector.thread_names.get(thread) or f"thread {thread[1]}"
    words = {_HOST: name, _PYTHON: f"python of {name}", _OVERHEAD: f"overhead of {name}"}
    return words.get(kind, name)


def _shown_kind(kind: int, computes: bool) -> str:
    if kind == _STREAM:
        return "device" if computes else "copy"
    return {_OVERHEAD: "other", _ANNOTATIONS: "annotation"}.get(kind, "user")


def _distinct(names: Sequence[str]) -> list[str]:
    distinct: dict[str, None] = {}
    for name in names:
        unique, count = name, 1
        while unique in distinct:
            count += 1
            unique = f"{name} #{count}"
        distinct[unique] = None
    return list(distinct)
