"""Files that hold the traces of several ranks, whose processes have other ids or labelled ids.

Each rank counts devices, streams and correlation numbers by itself, so that equal numbers of two
ranks mean different things.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from data_loaders.kineto.categories import EXECUTIONS
from data_loaders.kineto.entries import SpanCollector
from data_loaders.kineto.spans import MISSING, Linked, Spans, Thread
from schema.array_types import Ints
from schema.torch_profiler import rank_label


def split_devices(
    collector: SpanCollector, spans: Spans, linked: Linked
) -> tuple[Linked, Mapping[int, str]]:
    """Renumber devices by number and process if several processes number theirs alike, or if
    they name ranks.

    Also returns the name of each new number, which is the id of its process; {} if no device is
    split.
    """
    pids = [pid for pid, _ in collector.threads]
    codes = {pid: code for code, pid in enumerate(dict.fromkeys(pids))}
    if len(codes) < 2:
        return linked, {}
    process = np.array([codes[pid] for pid in pids], np.int64)[spans.thread[linked.span]]
    has_device = linked.device != MISSING
    wanted = [code for code, name in enumerate(collector.categories) if name in EXECUTIONS]
    executes = has_device & np.isin(spans.category[linked.span], wanted)
    devices, device = np.unique(linked.device, return_inverse=True)
    pairs = np.unique(device.reshape(-1)[executes] * len(codes) + process[executes])
    # The name of a device tells its rank, also if each rank has a device number of its own.
    has_ranks = any(thread_ranks(list(collector.threads))[1])
    if len(np.unique(pairs // len(codes))) == len(pairs) and not has_ranks:
        return linked, {}
    numbers, number = np.unique(device.reshape(-1) * len(codes) + process, return_inverse=True)
    texts = list(codes)
    names = {
        at: _device_name(texts[pair % len(codes)], int(devices[pair // len(codes)]))
        for at, pair in enumerate(numbers.tolist())
    }
    return replace(linked, device=np.where(has_device, number.reshape(-1), MISSING)), names


def thread_ranks(threads: Iterable[Thread]) -> tuple[Ints, list[str]]:
    """Return the rank of each thread as a position in the labels of all ranks, and the labels.

    The label is "" for threads of processes that name no rank.
    """
    labels = [rank_label(id_name(pid)) for pid, _ in threads]
    codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    return np.array([codes[label] for label in labels], np.int64), list(codes)


def id_name(text: str) -> str:
    """Return a pid or tid without the quotes of its JSON text."""
    value = json.loads(text)
    return value if isinstance(value, str) else text


def _device_name(pid: str, device: int) -> str:
    """Name a device by its process, and by its number if that is not the end of the process id."""
    name = id_name(pid)
    return name if name.endswith(str(device)) else f"{name} device {device}"
