"""Category of spans that a trace gives no known category, by their process and arguments."""

from __future__ import annotations

import numpy as np

from data_loaders.kineto.categories import ON_DEVICE, may_be_on_device
from data_loaders.kineto.entries import SpanCollector
from data_loaders.kineto.spans import MISSING, Details, Linked, Spans
from schema.array_types import Ints
from schema.torch_profiler import KERNEL

NPU_PROCESS = "Ascend Hardware"
"""Process of torch_npu whose spans, which have no category, are tasks of a device."""
NPU_EVENT = "npu_event"
"""Category of the waits and notifications of an NPU, which are no work."""
_NO_WORK = ("EVENT_", "NOTIFY_")
"""Beginning of the type of these tasks."""
_COPY = "MEMCPY"


def find_categories(
    collector: SpanCollector, spans: Spans, linked: Linked, details: Details
) -> Ints:
    """Return the code of each span's category, new codes of the collector included.

    A span with a device and a stream whose category is unknown executes on that device. Tasks of an
    NPU are copies, kernels or `NPU_EVENT` by their type and name. All other spans keep their
    category.
    """
    categories = collector.categories
    known = list(categories)
    is_unknown = np.array(
        [may_be_on_device(text) and text not in ON_DEVICE for text in known], np.bool_
    )
    category = spans.category.copy()
    on_stream = (linked.device != MISSING) & (linked.stream != MISSING)
    unknown = linked.span[on_stream & is_unknown[category[linked.span]]]
    category[unknown] = categories[KERNEL]
    is_npu = np.array(
        [collector.process_names.get(pid) == NPU_PROCESS for pid, _ in collector.threads], np.bool_
    )
    tasks = np.flatnonzero(is_npu[spans.thread[details.span]]) if len(is_npu) else details.span[:0]
    names = list(collector.names)
    texts = list(collector.texts)
    for row in tasks.tolist():
        span = int(details.span[row])
        task = texts[details.task[row]] if details.task[row] >= 0 else ""
        category[span] = categories[_npu_category(names[spans.name[span]], task)]
    return category


def _npu_category(name: str, task: str) -> str:
    if task.startswith(_NO_WORK):
        return NPU_EVENT
    return "gpu_memcpy" if _COPY in name or _COPY in task else KERNEL
