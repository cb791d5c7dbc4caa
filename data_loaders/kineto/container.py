"""Parse the keys around the entries of a torch.profiler trace: devices, rank, time base."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from data_loaders.reading.json_entries import Surroundings

_CLOSING = b"]}"
_OPENING = b'{"traceEvents": ['


def parse_header(around: Surroundings) -> Mapping[str, Any]:
    """Parse the keys of the object that holds the entries, without the entries.

    Returns {} if the trace is an array. Keys may be before and behind the entries.
    """
    return _keys(around.before + _CLOSING) | _keys(_OPENING + around.behind)


def _keys(text: bytes) -> dict[str, Any]:
    try:
        content = json.JSONDecoder(strict=False).decode(text.decode("utf-8", "replace").lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return {key: value for key, value in content.items() if key != "traceEvents"} if isinstance(content, dict) else {}


def device_names(header: Mapping[str, Any]) -> list[str]:
    """List the names of the devices in the trace's `deviceProperties`."""
    properties = header.get("deviceProperties")
    devices = properties if isinstance(properties, list) else []
    names = [device.get("name") for device in devices if isinstance(device, dict)]
    return [name for name in names if isinstance(name, str) and name]


def process_rank(header: Mapping[str, Any]) -> int | None:
    """Return the rank of the process in a distributed training; `None` for any other process."""
    info = header.get("distributedInfo")
    rank = info.get("rank") if isinstance(info, dict) else None
    return rank if isinstance(rank, int) and not isinstance(rank, bool) and 0 <= rank < 10**6 else None


def time_base(header: Mapping[str, Any]) -> int:
    """Return the trace's time base in ns since 1970; 0 if its times already count from 1970."""
    base = header.get("baseTimeNanoseconds")
    return base if isinstance(base, int) and not isinstance(base, bool) and 0 <= base < 2**62 else 0
