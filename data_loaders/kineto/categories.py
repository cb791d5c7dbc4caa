"""Categories of spans in traces of torch.profiler, of its releases and of other devices' plugins."""

from __future__ import annotations

import re

from schema.torch_profiler import ANNOTATION, KERNEL, OPERATOR, PYTHON, is_call

CAPTURE = "Trace"
"""Category of the span of the whole capture."""
COPIES = frozenset({"gpu_memcpy", "gpu_memset"})
"""Categories of spans that move bytes."""
RANGE = "cuda_profiler_range"
"""Category of ranges of which CUPTI measured metrics."""
EXECUTIONS = COPIES | {KERNEL}
"""Categories of spans that execute on a device."""
ON_DEVICE = EXECUTIONS | {"gpu_user_annotation", "cuda_sync", "cuda_event", RANGE}
"""Categories of spans on a stream of a device."""
_OF_HOST = frozenset({OPERATOR, ANNOTATION, PYTHON, CAPTURE, "overhead"})
_KNOWN = {
    # torch 1.8 to 1.12
    "memcpy": "gpu_memcpy",
    "memset": "gpu_memset",
    "runtime": "cuda_runtime",
    "operator": OPERATOR,
    # Meta's MTIA, and Intel's Gaudi
    "mtia_ccp_events": KERNEL,
    "hpu_op": KERNEL,
    "trace": CAPTURE,
}
"""Category in lower case -> the category of today's torch.profiler with the same meaning."""
_COPY = re.compile(
    r"Memcpy|Memset|MEMCPY|MEMORY_COPY_|__amd_rocclr_copyBuffer|__amd_rocclr_fillBuffer"
)
"""Beginning of the names of copies that have the category of kernels."""
_COMMUNICATION = re.compile(
    r"nccl|rccl|oneccl|hccl|nvshmem|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all"
    r"|cross_device_reduce|\bdeep_ep\b|::ep::internode|::ep::intranode|^hcom_",
    re.IGNORECASE,
)
"""Names of kernels that move data between devices."""


def canonical_category(category: str) -> str:
    """Return today's name of a category, in lower case but for `Trace`; other names stay."""
    lower = category.lower()
    return _KNOWN.get(lower, lower)


def is_known(category: str) -> bool:
    """Whether spans of a canonical category are understood, on a device or on the host."""
    return category in _OF_HOST or category in ON_DEVICE or is_call(category)


def may_be_on_device(category: str) -> bool:
    """Whether spans of a canonical category are on a device, or may be, as the category is unknown."""
    return category not in _OF_HOST and not is_call(category)


def device_class(name: str, category: str) -> str:
    """Classify a span on a device: "copy", "communication" or "compute".

    `category` is canonical.
    """
    if category in COPIES or _COPY.match(name):
        return "copy"
    return "communication" if _COMMUNICATION.search(name) else "compute"
