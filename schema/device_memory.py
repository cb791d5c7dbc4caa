"""Frames of the memory of devices: peaks, pools of an allocator, and requests that failed."""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

DEVICE_MEMORY = FrameSpec(
    "device_memory",
    "a device whose memory a profile or a snapshot of an allocator recorded",
    LOADED,
    columns(
        "device | str | | its name, such as cuda:0",
        "attempt | Int64 | | the device in `attempts`; null: the run has no memory maps",
        "entries | int64 | | memory events of a profile, or entries of a snapshot's trace",
        "peak_allocated | Int64 | bytes | most that was allocated at once; null: no history was recorded",
        "peak_at | Int64 | ticks | first moment with that many; null: not known",
        "peak_reserved | Int64 | bytes | most that the allocator reserved at once; null: not in the file",
        "end_allocated | int64 | bytes | allocated at the end",
        "end_reserved | Int64 | bytes | reserved at the end; null: not in the file",
        "device_total | Int64 | bytes | size of the device's memory; null: not in the file",
        "relative | bool | | the file has changes alone, so that bytes count from 0 at the first event",
        "op | str? | | operator that ran on the event's thread at the peak",
        "python | str? | | Python function that ran there, or the line that allocated",
    ),
)

MEMORY_POOLS = FrameSpec(
    "memory_pools",
    "a pool of a device's caching allocator",
    LOADED,
    columns(
        "device | str | | the device",
        "attempt | Int64 | | the device in `attempts`",
        "pool | str | | default, the pool's two numbers, or `given back`: segments that no longer exist at the end",
        "segments | int64 | | segments at the end",
        "peak_allocated | int64 | bytes | most that was allocated in it at once",
        "peak_reserved | int64 | bytes | most that was reserved for it at once",
        "end_allocated | int64 | bytes | allocated at the end",
        "end_reserved | int64 | bytes | reserved at the end",
    ),
)

MEMORY_SEGMENTS = FrameSpec(
    "memory_segments",
    "a range of addresses that a device's caching allocator reserved: a segment, or a part of an expandable segment",
    LOADED,
    columns(
        "attempt | int64 | | the device in `attempts`",
        "segment | int64 | | its rank on the device, by begin",
        "device | str | | the device",
        "device_address | int64 | bytes | its address on the device; negative: 2^64 is to be added",
        "address | int64 | bytes | its address in the memory map, without the gaps between segments",
        "size | int64 | bytes | its size",
        "start | int64 | steps | the entry of the trace that reserved it; 0 also if it was there before",
        "end | int64 | steps | the entry that gave it back; the length of the trace if it was still there",
        "pool | str | | its pool as in `memory_pools`",
        "name | str? | | the line that allocated the first block in it; null: not known",
    ),
)

OUT_OF_MEMORY = FrameSpec(
    "out_of_memory",
    "a request that a device's allocator could not serve",
    LOADED,
    columns(
        "device | str | | the device",
        "attempt | Int64 | | the device in `attempts`",
        "step | int64 | steps | its entry in the device's trace",
        "requested | Int64 | bytes | bytes that the program requested; null: not in the file",
        "device_free | Int64 | bytes | bytes of the device that were free; null: not in the file",
        "allocated | int64 | bytes | allocated at that moment",
        "reserved | int64 | bytes | reserved at that moment",
        "largest_free | Int64 | bytes | largest free range in a segment; null: no segment is known",
    ),
)
