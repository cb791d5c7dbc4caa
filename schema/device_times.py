"""Frames of the time of devices: by class of work, by reason for idling, and the longest gaps."""

from __future__ import annotations

from schema.spec import DERIVED, FrameSpec, columns

DEVICE_TIMES = FrameSpec(
    "device_times",
    "the time of a device in a window: of a step, of all counted steps, or from its first execution to its last",
    DERIVED,
    columns(
        "device | str | | number of the device, or the file's text for it",
        "window | category(counted whole step) | | counted: all counted steps together; whole: first execution to last",
        "name | str? | | the step; null: the window is no step",
        "start | Int64 | ticks | begin of the window; null: counted steps need not be adjacent",
        "end | Int64 | ticks | end of the window",
        "steps | Int64 | | number of counted steps, of window `counted`",
        "left_out | category(warm_up tail)? | | why a step does not count",
        "total | int64 | ticks | length: compute + communication_exposed + copy_exposed + idle",
        "busy | int64 | ticks | time with any execution on any stream",
        "idle | int64 | ticks | time without an execution",
        "compute | int64 | ticks | time with an execution that computes",
        "communication | int64 | ticks | time with communication between devices",
        "communication_exposed | int64 | ticks | part of it in which nothing computes",
        "communication_overlapped | int64 | ticks | part of it in which something computes",
        "copy | int64 | ticks | time with a copy",
        "copy_exposed | int64 | ticks | part of it in which nothing computes or communicates",
    ),
    tabled=False,
)

IDLE_TIMES = FrameSpec(
    "idle_times",
    "idle time of a device for one reason",
    DERIVED,
    columns(
        "device | str | | number of the device, or the file's text for it",
        "reason | category | | what the device waited for",
        "idle | int64 | ticks | between its first execution and its last",
        "counted | Int64 | ticks | in the counted steps; null: no step counts",
    ),
    tabled=False,
)

IDLE_GAPS = FrameSpec(
    "idle_gaps",
    "one of the ten longest gaps of a device, the longest first",
    DERIVED,
    columns(
        "device | str | | number of the device, or the file's text for it",
        "start | int64 | ticks | begin of the gap",
        "end | int64 | ticks | end of the gap",
        "duration | int64 | ticks | its length",
        "reason | category | | the reason of the largest part",
        "part | int64 | ticks | length of that part",
        "next | str? | | the execution that ends the gap",
        "op | str? | | innermost operator in the middle of the gap, on the thread that launched that execution",
        "python | str? | | innermost Python function there",
    ),
    tabled=False,
)
