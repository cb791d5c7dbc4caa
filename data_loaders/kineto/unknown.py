"""Category of spans that a trace gives no known category, by their process and arguments."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from data_loaders.kineto.categories import ON_DEVICE, is_known, may_be_on_device
from data_loaders.kineto.entries import SpanCollector
from data_loaders.kineto.spans import MISSING, Details, Linked, Spans
from schema.array_types import Ints
from schema.diagnostics import Diagnostic, occurrences
from schema.torch_profiler import KERNEL

NPU_PROCESS = "Ascend Hardware"
"""Process of torch_npu whose spans, which have no category, are tasks of a device."""
NPU_EVENT = "npu_event"
"""Category of the waits and notifications of an NPU, which are no work."""
_NO_WORK = ("EVENT_", "NOTIFY_")
"""Beginning of the type of these tasks."""
_COPY = "MEMCPY"
_DEVICE_LABEL = re.compile(r"(?:GPU|XPU|HPU|NPU|MTIA|TPU|PrivateUse1) ?\d{1,6}$", re.IGNORECASE)
_MAX_FINDINGS = 20
"""Number of unknown categories that get a finding of their own."""


def find_categories(
    collector: SpanCollector, spans: Spans, linked: Linked, details: Details
) -> Ints:
    """Return the code of each span's category, new codes of the collector included.

    A span whose category is unknown executes on a device if it has a device and a stream, or if its
    process is labelled as a device. Tasks of an NPU are copies, kernels or `NPU_EVENT` by their type
    and name. All other spans keep their category.
    """
    categories = collector.categories
    known = list(categories)
    is_unknown = np.array(
        [may_be_on_device(text) and text not in ON_DEVICE for text in known], np.bool_
    )
    category = spans.category.copy()
    on_stream = (linked.device != MISSING) & (linked.stream != MISSING)
    is_device = np.array(
        [_is_device(collector.process_labels.get(pid, "")) for pid, _ in collector.threads],
        np.bool_,
    )
    if is_device.any():
        on_stream |= is_device[spans.thread[linked.span]]
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


def unknown_findings(collector: SpanCollector, spans: Spans) -> list[Diagnostic]:
    """Report how many spans have each unknown category: a finding for each of the `_MAX_FINDINGS`
    most frequent categories, and a finding for the sum of the rest. Empty if all are known.

    `spans` must have the categories that `find_categories` returns.
    """
    counts = np.bincount(spans.category, minlength=len(collector.categories)).tolist()
    unknown = Counter(
        {
            name: count
            for name, count in zip(collector.categories, counts, strict=True)
            if count and name != NPU_EVENT and not is_known(name)
        }
    )
    if NPU_PROCESS in collector.process_names.values():
        del unknown[""]  # of its host, too, spans have no category
    listed = unknown.most_common(_MAX_FINDINGS)
    findings = []
    for name, count in [*listed, ("others", unknown.total() - sum(dict(listed).values()))]:
        of = f"of unknown category `{name[:80]}`" if name else "without category"
        text = f"{of}: shown as rows of the host, in no number of devices and operators"
        findings += occurrences("info", "category_unknown", count, "span", text)
    return findings


def _is_device(label: str) -> bool:
    """Whether a label that the profiler gave a process is a device's."""
    return _DEVICE_LABEL.match(label) is not None


def _npu_category(name: str, task: str) -> str:
    if task.startswith(_NO_WORK):
        return NPU_EVENT
    return "gpu_memcpy" if _COPY in name or _COPY in task else KERNEL
