"""Frames of profiles: launches, programs, rewrites of the compiler, and call stacks of the user's
program.
"""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

# The host's request, its execution and the compiled text are three things, joined by rank.
LAUNCHES = FrameSpec(
    "launches",
    "a call of a kernel or a copy, as the host made it",
    LOADED,
    columns(
        "kernel | int64 | | rank by time: what `buffer_uses.kernel` and `kernels.launch` name",
        "device | category | | the device that it was made on",
        "number | int64 | | the tool's own number of it",
        "name | category | | the kernel's name, without colours",
        "colours | category? | | colours of parts of the name, as `2-4:blue 5-7:red`: each axis has its own",
        "track | category? | | the thread that made it",
        "start | int64 | ticks | when the host made it",
        "end | Int64 | ticks | when the call returned",
        "copy | bool | | True: it moves bytes, it computes nothing",
        "variables | str? | | values of the variables of its sizes, as JSON text; empty where it has none",
        "metadata | str? | | tensor methods that it comes from",
    ),
)

OPERATORS = FrameSpec(
    "operators",
    "an operator of a framework, over all its calls",
    LOADED,
    columns(
        "name | str | | its name; of ONNX Runtime its type",
        "calls | int64 | | its calls",
        "nodes | Int64 | | nodes of the graph that have this type",
        "total_cpu | int64 | ticks | time on the host; a call inside of one of the same name counts once",
        "self_cpu | int64 | ticks | time on the host without the operators directly inside",
        "runtime_cpu | Int64 | ticks | time in its own calls into the device's library, part of `self_cpu`",
        "self_device | int64 | ticks | summed duration of the executions that it launched itself",
        "device_spans | int64 | | the number of these executions",
        "total_device | Int64 | ticks | the same with the operators inside of it, each execution once",
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
    "a kernel as compiled",
    LOADED,
    columns(
        "program | int64 | | rank in the file",
        "context | Int64 | | what the compiler worked on to make it",
        "name | str | | its name, without colours",
        "colours | str? | | colours of parts of the name",
        "function | str? | | what the compiler calls it",
        "device | str? | | the device that it was compiled for",
        "source | str? | | its source text",
        "global_size | str? | | work groups, as 2x1x1; ? depends on a variable",
        "local_size | str? | | work items of a group",
        "library_bytes | Int64 | bytes | size of its machine code",
        "operations | Int64 | operations | what one run computes; null where it depends on variables",
        "memory_bytes | Int64 | bytes | what one run reads and writes, each buffer once",
        "moved_bytes | Int64 | bytes | what one run loads and stores, each time",
        "estimate | category(constant symbolic missing) | | symbolic: depends on variables",
    ),
)

PROGRAM_CANDIDATES = FrameSpec(
    "program_candidates",
    "a program that an execution may have run, where nothing decides which: two rows or more each",
    LOADED,
    columns(
        "track | category | | the device of the execution",
        "kernel | int64 | | its rank there, in `kernels`",
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
        "rank | int64 | | its place among the program's, in the order in which they were applied",
        "op | category | | what it does: TC, UPCAST, UNROLL, LOCAL, THREAD, GROUP, GROUPTOP, PADTO ...",
        "axis | Int64 | | the axis of the kernel; null where it concerns none",
        "amount | str? | | by how much; 0 is all of the axis",
        "step | Int64 | | the rewrite step of the program's context that applied it, in `rewrite_steps`",
    ),
    tabled=False,
)

CONTEXTS = FrameSpec(
    "contexts",
    "something that the compiler worked on: a schedule or a kernel",
    LOADED,
    columns(
        "context | int64 | | rank in the file",
        "name | str | | its name, without colours",
        "colours | str? | | colours of parts of the name",
        "steps | int64 | | rewrites of the whole graph",
        "matches | int64 | | matches of patterns in all of them",
        "duration | int64 | ticks | time of all matches",
        "stack | Int64 | | where in the user's program it was requested",
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
        "file | category? | | file of the compiler that it is written in",
        "line | Int64 | | its line there",
        "root | Int64 | | the node that its first graph ends in; null: the capture is broken there",
        "nodes | Int64 | | nodes of its first graph",
        "edges | Int64 | | edges of its first graph",
        "bottom_up | boolean | | True: its patterns saw the first graph alone; null: stored by an older release",
        "walk | boolean | | True: what a match put in was left as it is; null: the release does not say",
        "enter_calls | boolean | | True: bodies of calls were rewritten too; null: the release does not say",
        # The release is recognised by the records of the capture, not by its name.
        "rules | category(0.12 0.13 0.14)? | | the release whose rules of rewriting hold",
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
        "line | Int64 | | line in it",
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
        "context | Int64 | | the context that made what ran",
        "stack | Int64 | | where in the user's program it was requested",
    ),
    tabled=False,
)

MARKERS = FrameSpec(
    "markers",
    "a moment that the user's program marked",
    LOADED,
    columns(
        "name | str | | what it is called",
        "start | int64 | ticks | when it was",
        "end | Int64 | ticks | end of the step that it begins; null: a moment alone",
        "colour | str? | | a CSS colour word or #hex",
    ),
)
