"""Memory of the devices of a profile or a snapshot, the same for page, command line and assistants."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.memory.device_memory import DeviceMemory, device_memory
from schema.contents import has_memory_maps
from schema.frames import Frames
from services.run.stored_frames import StoredFrames
from storage.repository import Repository

_SOURCES = ("kineto", "torch_snapshot")
_ALLOCATED = " allocated"
"""End of the names of counters from memory events."""
_TRACE_COLUMNS = ("peak_allocated", "peak_reserved", "end_allocated", "device_total", "relative")
_SNAPSHOT_COLUMNS = (
    *("peak_allocated", "peak_reserved", "end_allocated", "end_reserved", "device_total"),
    "python",
)
_POOL_COLUMNS = (
    *("pool", "segments", "peak_allocated", "peak_reserved", "end_allocated", "end_reserved"),
)
_FAILURES = {
    "step": "step",
    "asked": "requested",
    "device_free": "device_free",
    "allocated": "allocated",
    "reserved": "reserved",
    "largest_free": "largest_free",
}
"""Key of a failed request in JSON -> its column in frame `out_of_memory`."""


def has_device_memory(frames: Frames) -> bool:
    """Whether memory events or a snapshot are among the frames of a run."""
    return "device_memory" in frames


def find_device_memory(repository: Repository, run_id: str) -> DeviceMemory:
    """Find the memory of the devices of a run, see `read_device_memory`. Raises RunNotFound too."""
    return read_device_memory(StoredFrames(repository, run_id))


def read_device_memory(frames: Frames) -> DeviceMemory:
    """Collect the memory of devices from stored frames; empty if the file has no memory events.

    Raises ValueError if the run is neither a trace of torch.profiler nor a snapshot, or if a
    release read it that did not record peaks.
    """
    if has_device_memory(frames):
        return device_memory(frames)
    if str(frames["run"]["source"].iloc[0]) not in _SOURCES:
        raise ValueError(
            "the run is neither a torch.profiler trace nor a PyTorch memory snapshot, so it has no "
            "peaks of devices"
        )
    if has_memory_maps(frames) or _has_samples(frames):
        raise ValueError(
            "an older release read the run without the peaks of its devices: ingest its file again"
        )
    return device_memory(frames)


def _has_samples(frames: Frames) -> bool:
    """Whether frame `counters` has bytes of memory events."""
    return "counters" in frames and bool(frames["counters"]["name"].str.endswith(_ALLOCATED).any())


def device_memory_mapping(result: DeviceMemory) -> dict[str, Any]:
    """Convert the memory of devices to JSON types; sizes are in bytes, None if unknown."""
    rows = [_device_mapping(result, row) for _, row in result.devices.iterrows()]
    return {"unit": "bytes", "devices": rows, "said": list(result.unknown)}


def _device_mapping(result: DeviceMemory, row: pd.Series) -> dict[str, Any]:
    device = str(row["device"])
    if not result.is_snapshot:
        numbers = {"samples": int(row["entries"]), **_values(row, _TRACE_COLUMNS)}
        return {"device": device, **numbers, **_values(row, ("op", "python"))}
    pools = result.pools[result.pools["device"] == device]
    failures = result.failures[result.failures["device"] == device]
    return {
        "device": device,
        "entries": int(row["entries"]),
        **_values(row, _SNAPSHOT_COLUMNS),
        "capacity": result.capacity(row),
        "pools": [_values(pool, _POOL_COLUMNS) for _, pool in pools.iterrows()],
        "oom": [
            {key: _plain(failure[column]) for key, column in _FAILURES.items()}
            for _, failure in failures.iterrows()
        ],
    }


def _values(row: pd.Series, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _plain(row[name]) for name in names}


def _plain(value: Any) -> Any:  # noqa: ANN401 - a scalar of any column
    """Convert a scalar of a frame to JSON: None for null."""
    if pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value
