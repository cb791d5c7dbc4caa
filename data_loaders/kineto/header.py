"""Keys of the object around the entries of a torch.profiler trace: devices, ranks, time base."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from data_loaders.kineto.values import whole_number
from data_loaders.reading.entry_format import Surroundings

_CLOSING = b"]}"
_OPENING = b'{"traceEvents": ['
MAX_PROCESSES = 10**6
"""Highest rank and number of processes that are accepted."""


def parse_header(around: Surroundings) -> Mapping[str, Any]:
    """Parse the keys of the object that holds the entries, without the entries.

    Returns {} if the trace is an array or the keys are damaged. Keys may be before and behind the
    entries.
    """
    return _keys(around.before + _CLOSING) | _keys(_OPENING + around.behind)


def _keys(text: bytes) -> dict[str, Any]:
    try:
        # Names in the keys may have control characters that are not escaped.
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

    Returns `None` if the header has no rank, or it is not an int from 0 to 1,000,000.
    """
    return _process_number(header, "rank")


def _process_number(header: Mapping[str, Any], key: str) -> int | None:
    info = header.get("distributedInfo")
    number = info.get(key) if isinstance(info, dict) else None
    if isinstance(number, bool) or not isinstance(number, int):
        return None
    # A damaged number would become a list of as many missing ranks.
    return number if 0 <= number <= MAX_PROCESSES else None


def job_columns(header: Mapping[str, Any], folder: str) -> dict[str, object]:
    """Return columns rank, world_size and job of frame `run`; {} if the header has no rank.

    Traces of one folder and one number of processes are ranks of one job. The folder is hashed,
    since its path says more of a computer than others need to know.
    """
    rank = process_rank(header)
    if rank is None:
        return {}
    size = _process_number(header, "world_size")
    job = hashlib.sha256(f"{size} {folder}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return {"rank": rank, "world_size": size if size and rank < size else None, "job": job}


def time_base(header: Mapping[str, Any]) -> int:
    """Return the trace's time base in ns since 1970.

    0 if the header has no valid base: then times count from 1970.
    """
    base = header.get("baseTimeNanoseconds")
    return base if isinstance(base, int) and not isinstance(base, bool) and 0 <= base < 2**62 else 0
