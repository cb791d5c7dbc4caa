"""Frames of thread traces: waves and instructions that the shader engines of an AMD GPU recorded."""

from __future__ import annotations

from schema.spec import DERIVED, LOADED, FrameSpec, columns

THREAD_TRACES = FrameSpec(
    "thread_traces",
    "a thread trace (SQTT): what one shader engine of an AMD GPU recorded of a kernel's run",
    LOADED,
    columns(
        "trace | int64 | | rank in the file",
        "device | category | | the device",
        "program | Int64 | | the program that ran, in `programs`",
        "kernel | category | | its function; empty where the capture does not say it",
        "run | int64 | | which traced run of that kernel on the device, from 1",
        "engine | int64 | | the shader engine",
        "instructions | bool | | True: traced with instructions",
        "bytes | int64 | bytes | its size",
        "packets | Int64 | | packets that were decoded, fillers as well; null where its bytes were not looked at",
        "waves | Int64 | | its waves in `waves`",
        "executed | Int64 | | their instructions in `wave_instructions`",
        "clock_hz | float64? | Hz | its shader clock, from first to last mark of the real-time clock",
        "clock_min_hz | float64? | Hz | its slowest shader clock between two marks",
        "clock_max_hz | float64? | Hz | its fastest shader clock between two marks",
        "why | str? | | why those are none, or not all, or have no address",
    ),
    tabled=False,
)

WAVES = FrameSpec(
    "waves",
    "a wave that a thread trace saw: work items that execute together in a slot of a SIMD unit",
    LOADED,
    columns(
        "trace | int64 | | the trace, in `thread_traces`",
        "wave | int64 | | rank in its trace, in the order in which the trace names them",
        "array | int64 | | the shader array of the engine",
        "unit | int64 | | the work group processor (RDNA) or compute unit (CDNA) of the array",
        "simd | int64 | | the SIMD unit of that",
        "slot | int64 | | the slot of the SIMD unit",
        "start | int64 | clocks | its start, from the begin of the trace",
        "end | int64 | clocks | its end",
        "closed | bool | | False: its start or its end is not in the trace, whose own stands for it",
    ),
    tabled=False,
)

WAVE_INSTRUCTIONS = FrameSpec(
    "wave_instructions",
    "an instruction that a wave of a thread trace issued",
    LOADED,
    columns(
        "trace | int64 | | the trace, in `thread_traces`",
        "wave | int64 | | the wave, in `waves`",
        "at | int64 | clocks | when, from the begin of the trace",
        "pc | Int64 | address | the instruction, in `disassembly`; null where the trace does not follow the program",
        "kind | category | | what the trace calls it: VALU, SALU, SMEM_RD, JUMP (taken), JUMP_NO, IMMEDIATE, END ...",
        # The time of the instruction itself would need the vendor's decoder.
        "duration | Int64 | clocks | until the wave issues its next one; null for its last",
        "delay | Int64 | clocks | until an execution unit begins it; null without its packet",
        "released | Int64 | clocks | when the wave is ready again behind a barrier",
    ),
    tabled=False,
)

INSTRUCTION_COSTS = FrameSpec(
    "instruction_costs",
    "an instruction that waves of thread traces issued, over all traces of its program",
    DERIVED,
    columns(
        "program | int64 | | the program, in `programs`",
        "pc | int64 | address | the instruction, in `disassembly`",
        "text | str? | | its text",
        "hits | int64 | | how often waves issued it",
        "idle | int64 | clocks | between the issue before it and its own, if it does not wait",
        "stall | int64 | clocks | the same if it waits (s_wait..), and at a barrier until release",
        "delay | float64? | clocks | mean time until an execution unit begins it",
        "executed | int64 | | executions that the delay is a mean of",
    ),
    tabled=False,
)
