"""Frames of thread traces: waves and instructions that the shader engines of an AMD GPU recorded."""

from __future__ import annotations

from schema.spec import DERIVED, LOADED, FrameSpec, columns

THREAD_TRACES = FrameSpec(
    "thread_traces",
    "a thread trace (SQTT): the record of one shader engine of an AMD GPU during a kernel's run",
    LOADED,
    columns(
        "trace | int64 | | rank in the file",
        "device | category | | the device",
        "program | Int64 | | the program that ran, in `programs`",
        "kernel | category | | its function; empty: not in the capture",
        "run | int64 | | number of the traced run of that kernel on the device, from 1",
        "engine | int64 | | the shader engine",
        "instructions | bool | | True: traced with instructions",
        "bytes | int64 | bytes | its size",
        "packets | Int64 | | decoded packets, including fillers; null: not decoded",
        "waves | Int64 | | number of its waves in `waves`",
        "executed | Int64 | | number of their instructions in `wave_instructions`",
        "clock_hz | float64? | Hz | its shader clock, from first to last mark of the real-time clock",
        "clock_min_hz | float64? | Hz | its slowest shader clock between two marks",
        "clock_max_hz | float64? | Hz | its fastest shader clock between two marks",
        "why | str? | | reason why waves, instructions or addresses are missing",
    ),
    tabled=False,
)

WAVES = FrameSpec(
    "waves",
    "a wave in a thread trace: work items that execute together in a slot of a SIMD unit",
    LOADED,
    columns(
        "trace | int64 | | the trace, in `thread_traces`",
        "wave | int64 | | rank in its trace, in the order in which the trace names them",
        "array | int64 | | the shader array of the engine",
        "unit | int64 | | the work group processor (RDNA) or compute unit (CDNA) of the array",
        "simd | int64 | | the SIMD unit of that processor or compute unit",
        "slot | int64 | | the slot of the SIMD unit",
        "start | int64 | clocks | its start, from the begin of the trace",
        "end | int64 | clocks | its end",
        "closed | bool | | False: start or end is not in the trace; start or end of the trace is used",
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
        "at | int64 | clocks | time of the issue, from the begin of the trace",
        "pc | Int64 | address | the instruction, in `disassembly`; null if the trace does not follow the program",
        "kind | category | | kind in the trace: VALU, SALU, SMEM_RD, JUMP (taken), JUMP_NO, IMMEDIATE, END ...",
        # The time of the instruction itself would need the vendor's decoder.
        "duration | Int64 | clocks | until the wave issues its next instruction; null for the last",
        "delay | Int64 | clocks | until an execution unit begins it; null if the packet is missing",
        "released | Int64 | clocks | time at which the wave is ready after a barrier",
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
        "hits | int64 | | number of times that waves issued it",
        "idle | int64 | clocks | time between the wave's previous issue and this one, if the instruction does not wait",
        "stall | int64 | clocks | the same if it waits (s_wait..), and at a barrier until release",
        "delay | float64? | clocks | mean time until an execution unit begins it",
        "executed | int64 | | number of executions in the mean delay",
    ),
    tabled=False,
)
