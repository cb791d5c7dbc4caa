"""Frames of profiles: launches, programs, rewrites of the compiler, and call stacks of the user's
program.
"""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

# The host's request, its execution and the compiled text are three things, joined by rank.
LAUNCHES = FrameSpec(
    "launches",
    "a call of the host that launches a kernel or a copy",
    LOADED,
    columns(
        "kernel | int64 | | rank by time, to which `buffer_uses.kernel` and `kernels.launch` refer",
        "device | category | | device of the call",
        "number | int64 | | the tool's number of the call",
        "name | category | | the kernel's name, without colours",
        "colours | category? | | colours of parts of the name, as `2-4:blue 5-7:red`: each axis has its own",
        "track | category? | | thread of the call",
        "start | int64 | ticks | begin of the call on the host",
        "end | Int64 | ticks | end of the call",
        "copy | bool | | True: a copy",
        "variables | str? | | values of the variables of its sizes, as JSON text; empty if it has no variables",
        "metadata | str? | | tensor methods from which it was made",
    ),
)

OPERATORS = FrameSpec(
    "operators",
    "an operator of a framework, over all its calls",
    LOADED,
    columns(
        "name | str | | its name; for ONNX Runtime the type",
        "calls | int64 | | its calls",
        "nodes | Int64 | | nodes of the graph that have this type",
        "total_cpu | int64 | ticks | time on the host; nested calls of the same name count once",
        "self_cpu | int64 | ticks | time on the host without the operators directly inside",
        "runtime_cpu | Int64 | ticks | time in calls into the device's library, part of `self_cpu`",
        "self_device | int64 | ticks | summed duration of the executions that it launched itself",
        "device_spans | int64 | | number of these executions",
        "total_device | Int64 | ticks | the same including the operators inside, each execution once",
        "flops | float64? | operations | floating-point operations of its calls by the shapes of their inputs; null: unknown",
        "flop_rate | float64? | operations/s | flops over `total_device`, else `self_device`; without devices over `total_cpu`",
    ),
)

OPERATOR_SHAPES = FrameSpec(
    "operator_shapes",
    "an operator with inputs of some shapes",
    LOADED,
    columns(
        "name | str | | the operator",
        "dims | str? | | shapes of its inputs as JSON text; null: not recorded",
        "calls | int64 | | its calls with these shapes",
    ),
)

PROGRAMS = FrameSpec(
    "programs",
    "a compiled kernel",
    LOADED,
    columns(
        "program | int64 | | rank in the file",
        "context | Int64 | | context of the compiler that made it",
        "name | str | | its name, without colours",
        "colours | str? | | colours of parts of the name",
        "function | str? | | its name in the compiler",
        "device | str? | | the device that it was compiled for",
        "source | str? | | its source text",
        "global_size | str? | | work groups, as 2x1x1; ? depends on a variable",
        "local_size | str? | | work items of a group",
        "library_bytes | Int64 | bytes | size of its machine code",
        "operations | Int64 | operations | operations of one run; null if they depend on variables",
        "memory_bytes | Int64 | bytes | bytes that one run reads and writes, each buffer once",
        "moved_bytes | Int64 | bytes | bytes that one run loads and stores, each access",
        "estimate | category(constant symbolic missing) | | symbolic: depends on variables",
    ),
)

PROGRAM_CANDIDATES = FrameSpec(
    "program_candidates",
    "a program that an execution may have run, if several are possible",
    LOADED,
    columns(
        "track | category | | the device of the execution",
        "kernel | int64 | | its rank on the device, in `kernels`",
        "program | int64 | | the program, in `programs`",
    ),
    tabled=False,
)

PROGRAM_OPTIONS = FrameSpec(
    "program_options",
    "an optimisation that the compiler applied to a program",
    LOADED,
    columns(
        "program | int64 | | the program, in `programs`",
        "rank | int64 | | rank among the program's options, in the order of application",
        "op | category | | kind: TC, UPCAST, UNROLL, LOCAL, THREAD, GROUP, GROUPTOP, PADTO ...",
        "axis | Int64 | | the axis of the kernel; null if it concerns no axis",
        "amount | str? | | amount; 0 is the whole axis",
        "step | Int64 | | the rewrite step of the program's context that applied it, in `rewrite_steps`",
    ),
    tabled=False,
)

CONTEXTS = FrameSpec(
    "contexts",
    "a schedule or a kernel of the compiler",
    LOADED,
    columns(
        "context | int64 | | rank in the file",
        "name | str | | its name, without colours",
        "colours | str? | | colours of parts of the name",
        "steps | int64 | | rewrites of the whole graph",
        "matches | int64 | | matches of patterns in all rewrites",
        "duration | int64 | ticks | time of all matches",
        "stack | Int64 | | call stack of the user's program that requested it",
    ),
)

REWRITE_STEPS = FrameSpec(
    "rewrite_steps",
    "a rewrite of a context's graph",
    LOADED,
    columns(
        "context | int64 | | the context",
        "step | int64 | | rank in its context",
        "name | category | | its name",
        "depth | int64 | | depth in the tree of steps, 0 outermost",
        "matches | int64 | | matches of patterns",
        "duration | int64 | ticks | time of its matches",
        "file | category? | | file of the compiler with the step",
        "line | Int64 | | its line in the file",
        "root | Int64 | | last node of its first graph; null: the capture is broken at this step",
        "nodes | Int64 | | nodes of its first graph",
        "edges | Int64 | | edges of its first graph",
        "bottom_up | boolean | | True: its patterns saw only the first graph; null: stored by an older release",
        "walk | boolean | | True: nodes that a match inserted were not rewritten; null: not recorded by the release",
        "enter_calls | boolean | | True: bodies of calls were rewritten too; null: not recorded by the release",
        # The release is recognised by the records of the capture, not by its name.
        "rules | category(0.12 0.13 0.14)? | | the release whose rules of rewriting apply",
    ),
    tabled=False,
)

CALLS = FrameSpec(
    "calls",
    "a call of a call stack",
    LOADED,
    columns(
        "stack | int64 | | the call stack",
        "depth | int64 | | 0: innermost",
        "file | category? | | source file",
        "line | Int64 | | line in the file",
        "function | category? | | function that made the call",
        "text | str? | | the source line",
    ),
    tabled=False,
)

EVENT_LINKS = FrameSpec(
    "event_links",
    "an event that leads to a context or a call stack",
    LOADED,
    columns(
        "track | category | | track of the event",
        "start | int64 | ticks | begin of the event",
        "end | int64 | ticks | end of the event",
        "context | Int64 | | context that made the executed program",
        "stack | Int64 | | call stack of the user's program that requested it",
    ),
    tabled=False,
)

MARKERS = FrameSpec(
    "markers",
    "a moment that the user's program marked",
    LOADED,
    columns(
        "name | str | | its name",
        "start | int64 | ticks | its time",
        "end | Int64 | ticks | end of the step that it begins; null: only a moment",
        "colour | str? | | a CSS colour word or #hex",
        "rank | str? | | rank of the program, in a file that holds the traces of several",
    ),
)
