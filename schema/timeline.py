"""Frames of the timeline: traced units, intervals, kernels, iterations and counters."""

from __future__ import annotations

from schema.spec import DERIVED, LOADED, FrameSpec, columns

# A frame of its own: a traced unit without events would vanish otherwise.
TRACKS = FrameSpec(
    "tracks",
    "a traced unit or device row",
    LOADED,
    columns(
        "track | category | | its name, unique in the run: `core 2,1`",
        "kind | category | | core, mem, memtile, shim (of an array); engine (of a compiler profile); attempt "
        "(its time steps); device, graph, copy (engine), annotation (of executions), disk, user, compiler, gc "
        "(of a profile); or other",
        "row | Int64 | | row in the array (0 shim, 1 memtile, from 2 cores)",
        "col | Int64 | | physical column in the array",
        # JSON text, because some formats have numbers as process ids and some have texts.
        "pid | str? | | process id in the file, as JSON text; of a device its number",
        "tid | str? | | thread id in the file, as JSON text; of a device its stream",
        "process | str? | | process name in the file",
        "order | int64 | | rank of its first entry that concerns kernels or lock stalls",
        "first | int64 | ticks | first time stamp",
        "last | int64 | ticks | its end: the last time stamp, or the end of its stream of words",
        "entries | int64 | | begin and end entries read",
        "traced | str? | | names of the events that its slots trace, seen or not, blanks between; null: not known",
        "slice | str? | | device and sequence of its slice of a shared trace buffer, as `dev_0/seq_0`; null: no slices",
    ),
    tabled=False,
)

EVENTS = FrameSpec(
    "events",
    "an interval on a lane; in a profile also an execution on a device, unless only `kernels` has its track",
    LOADED,
    columns(
        "track | category | | the unit that recorded it",
        # Analysis reads `name` for old and new captures; method `reference` needs the file's label.
        "lane | category | | the hardware slot's label in the file; `NAME@slot` if two slots share a name",
        "name | category | | the event's name in today's spelling",
        "start | int64 | ticks | begin; equal to `end` if the begin is missing",
        "end | int64 | ticks | end; without an end the last change of the track, whose `last` is its real end",
        # With `opened` and `closed`, method `reference` reproduces which entries its script reads.
        "opened | bool | | False: an end whose begin is missing",
        "closed | bool | | False: the capture ended inside it",
    ),
    further=columns(
        "category | category? | | category in the profiler: cpu_op, user_annotation, cuda_runtime, python_function ...",
    ),
    having="For torch.profiler",
    tabled=False,
)

PROGRAM_COUNTERS = FrameSpec(
    "program_counters",
    "an event and the address in a core's program that raised it, without a time",
    LOADED,
    columns(
        "track | category | | the core; rows are sorted by it, then by `order`",
        "name | category | | the event's name in today's spelling",
        "tid | str? | | its hardware slot, as JSON text",
        # Mode EVENT_PC records an order and no time, so that these rows are not in `events`.
        "order | int64 | | rank of its record on the core; events of one record share it",
        "pc | int64 | address | address in the core's program memory",
    ),
)

KERNELS = FrameSpec(
    "kernels",
    "a kernel execution, or a copy",
    "analysis, or loader if the source names its kernels",
    columns(
        "track | category | | the core or device that ran it",
        "kernel | int64 | | rank on its track, by start",
        "name | category | | its kind: `main`, `short`, `long`; the kernel's name if the source has names",
        # A kernel that lost a marker is a row with a reason instead of a gap in the table.
        "start | Int64 | ticks | begin; null if its marker was lost",
        "end | Int64 | ticks | end; null if its marker was lost",
        "duration | Int64 | ticks | end - start; of a node of ONNX Runtime without the nodes inside",
        "iteration | Int64 | | iteration on its track; null outside of all iterations",
        "phase | category(warmup perf extra)? | | what its iteration is for",
        "kept | bool | | False: left out of every number",
        "reason | category? | | reason why it was left out",
    ),
    further=columns(
        "colours | category? | | colours of parts of the name, as `2-4:blue 5-7:red`: each axis has its own",
        "run | Int64 | | number of the run of this name on its track, from 1",
        "copy | bool | | True: a copy",
        "batched | bool | | True: it ran as part of a graph of kernels",
        "launch | Int64 | | the call that launched it, in `launches`",
        "program | Int64 | | the program that ran, in `programs`",
        "operations | Int64 | operations | number of operations",
        "memory_bytes | Int64 | bytes | bytes read and written, each buffer once",
        "moved_bytes | Int64 | bytes | bytes loaded and stored, each access",
        "copied_bytes | Int64 | bytes | bytes moved by a copy",
        "flops | float64? | operations/s | operations / duration",
        "memory_rate | float64? | bytes/s | memory_bytes / duration, of a copy copied_bytes / duration",
        "moved_rate | float64? | bytes/s | moved_bytes / duration",
        "metadata | str? | | tensor methods from which it was made",
        "missing | category? | | reason why operations are not known: rewrites, program, estimate or values; else empty",
        "class | category(compute communication copy)? | | kind of work, by category and name; null: not in the source",
        "op | category? | | the framework's operator that launched it",
        "python | category? | | the Python function that launched it",
        "group | category? | | the group of processes that it communicates with",
        "grid | category? | | blocks of the grid, as `4,8,1`",
        "block | category? | | threads of a block, as `128,1,1`",
        "registers | Int64 | | registers of a thread",
        "shared_memory | Int64 | bytes | shared memory of a block",
        "occupancy | float64? | % | estimated achieved occupancy",
    ),
    having="If the source knows its programs",
)

KERNEL_TOTALS = FrameSpec(
    "kernel_totals",
    "a kernel of one program, over all its runs",
    DERIVED,
    columns(
        "name | str | | its name, without colours",
        "colours | str? | | colours of parts of the name",
        "program | Int64 | | its program, in `programs`; null: not known",
        "copy | bool | | True: a copy",
        "tracks | str | | devices that it ran on",
        "count | int64 | | number of its runs",
        "total | int64 | ticks | summed duration",
        "share | float64? | ratio | total / total of all kernels and copies",
        "mean | float64 | ticks | mean duration",
        "p50 | float64 | ticks | median duration",
        "p95 | float64 | ticks | 95th percentile of the duration",
        "first | Int64 | ticks | duration of its first run on its track; null if that run is not selected",
        "steady | float64? | ticks | median duration of its other runs",
        "first_ratio | float64? | ratio | first / steady",
        "operations | Int64 | operations | summed operations of the runs with known operations",
        "flops | float64? | operations/s | operations over the durations of those runs",
        "memory_rate | float64? | bytes/s | summed memory_bytes (of a copy copied_bytes) over those durations",
        "moved_rate | float64? | bytes/s | summed moved_bytes over those durations",
        "intensity | float64? | operations/byte | operations per byte of memory_bytes",
        "missing | str? | | most common reason why operations are not known; empty if all are known",
    ),
)

ITERATION_PARTS = FrameSpec(
    "iteration_parts",
    "a complete iteration on a core: the time of the system's iteration in parts that sum to `elapsed`",
    DERIVED,
    columns(
        "track | category | | the core",
        "iteration | int64 | | the iteration",
        "work_macs | float64? | MAC | work credited to the core in it",
        "elapsed | int64 | ticks | from the first kernel of any core to the last end on any",
        "start_skew | int64 | ticks | late start: before the core's first kernel",
        "compute | int64 | ticks | in main kernels, without a stall",
        "lock_inside | int64 | ticks | lock stalls in main kernels",
        "memory_inside | int64 | ticks | memory stalls in main kernels",
        "stream_inside | int64 | ticks | stream stalls in main kernels",
        "cascade_inside | int64 | ticks | cascade stalls in main kernels",
        "other_kernels | int64 | ticks | in kernels of other kinds",
        "lock_between | int64 | ticks | the core's own lock stalls outside of kernels",
        "memory_between | int64 | ticks | memory stalls outside of kernels",
        "stream_between | int64 | ticks | stream stalls outside of kernels",
        "cascade_between | int64 | ticks | cascade stalls outside of kernels",
        "idle | int64 | ticks | other gaps: no kernel and no traced stall",
        "waiting | int64 | ticks | lock stalls outside of kernels that another core causes",
        "end_skew | int64 | ticks | early end: after the core's last kernel",
    ),
)

TRAINING_STEPS = FrameSpec(
    "training_steps",
    "a step of a profile to which kernels belong",
    DERIVED,
    columns(
        "step | int64 | | number of the step from 0, by rank and start",
        "name | str | | the marker that begins it",
        "rank | str? | | rank of the step, in a file that holds the traces of several",
        "start | int64 | ticks | time of that marker",
        "end | int64 | ticks | time of the next marker, or end of the step's own span",
        "kernels | int64 | | executions that the step launched, else that begin in it, without copies",
        "kernel_time | float64 | ticks | their summed duration",
        "operations | float64? | operations | their summed operations; null if no operations are known",
    ),
)

STEP_TIMES = FrameSpec(
    "step_times",
    "a step of a profile, from its marker to the next or to its own end, with the parts of its time",
    DERIVED,
    columns(
        "step | int64 | | number of the step from 0, by rank and start",
        "name | str | | the marker that begins it",
        "rank | str? | | rank of the step, in a file that holds the traces of several",
        "start | int64 | ticks | time of that marker",
        "end | int64 | ticks | time of the next marker, or end of the step's own span",
        "duration | int64 | ticks | end - start; the parts sum to it",
        "counted | bool | | True: it counts for typical times",
        "left_out | category(warm_up tail)? | | why it does not count: it warms up, or nearly nothing ran in the last",
        "executions | int64 | | executions of kernels that begin in it",
        "kernels | int64 | ticks | a kernel ran on a device",
        "copies | int64 | ticks | a copy ran, and no kernel",
        "compile | int64 | ticks | the compiler worked, and no kernel or copy ran",
        "profiler | int64 | ticks | the profiler itself worked, and none of these ran",
        "host | int64 | ticks | an operator or a call of the host ran, and nothing before it in this list",
        "python | int64 | ticks | only a traced Python function ran",
        "idle | int64 | ticks | the rest: untraced host code, waiting, kernels without times",
        "kernels_busy | int64 | ticks | total time in which a kernel ran on any device",
        "copies_busy | int64 | ticks | total time in which a copy ran on any device",
        "compile_busy | int64 | ticks | total time in which the compiler worked",
        "profiler_busy | int64 | ticks | total time in which the profiler itself worked",
        "host_busy | int64 | ticks | total time in which an operator or a call of the host ran",
        "python_busy | int64 | ticks | total time in which a traced Python function ran",
    ),
)

ITERATIONS = FrameSpec(
    "iterations",
    "an iteration on a track; track `system` is the aggregate",
    DERIVED,
    columns(
        "track | category | | the core, or `system`",
        "iteration | int64 | | index from 0; iterations of a later slice come behind those of the slice before",
        "phase | category(warmup perf extra) | | what it is for",
        "gmacs_per_s | float64? | GMAC/s | work over time; null if the work is not known",
        "utilization | float64? | ratio | work over the peak work in that time",
        "complete | bool | | False: the capture ended inside it",
        "cores | Int64 | | cores that the row is based on",
        "kernels | int64 | | detected main kernels, including those with a lost marker",
        "measured | int64 | | main kernels kept, on which the durations are based",
        "expected | Int64 | | main kernels by the sizes of GEMM and tile",
        "average | float64? | ticks | mean duration of its kernels",
        "minimum | Int64 | ticks | shortest of its kernels",
        "maximum | Int64 | ticks | longest of its kernels",
        "kernel_ticks | int64 | ticks | summed duration of its kernels",
        # The longest span hides staggered cores; it is here because the team's script uses it.
        "span | int64 | ticks | last_end - first_start; on `system` the longest span of a core",
        "elapsed | int64 | ticks | on `system` latest end - earliest start over its cores; else the span",
        "first_start | Int64 | ticks | begin of its first kernel",
        "last_end | Int64 | ticks | end of its last kernel",
        "work_macs | float64? | MAC | work credited to it",
        "slice | str? | | slice of a shared trace buffer that its cores are of; null: no slices",
    ),
)

# Stall view, floor plan and headline use this one definition of busy time.
ACTIVITY = FrameSpec(
    "activity",
    "a lane's busy time",
    DERIVED,
    columns(
        "track | category | | the unit",
        "lane | category | | the hardware slot's label",
        "name | category | | the event's name",
        "count | int64 | | begins seen",
        "busy | int64 | ticks | summed duration; intervals open at the end count to the track's last time stamp",
        "longest | int64 | ticks | longest interval",
        "orphan_ends | int64 | | ends without a begin",
        "open | bool | | the capture ended inside an interval",
        "window | int64 | ticks | time of which `share` is a part",
        "share | float64? | ratio | busy / window",
        "inside | float64? | ratio | busy share of the time in kernels",
        "outside | float64? | ratio | busy share of the time outside of kernels",
    ),
)

COUNTERS = FrameSpec(
    "counters",
    "a counter sample",
    LOADED,
    columns(
        "track | category | | the device",
        "name | category | | the counter",
        "kernel | Int64 | | the kernel for which it was read",
        "instance | Int64 | | hardware instance; null: the sum",
        "value | float64 | | its value",
        "start | Int64 | ticks | time of the sample; null: it was read for a kernel",
        "xcc | Int64 | | accelerator die of the instance, from 0; null: the sum",
        "inst | Int64 | | instance of its block on the die",
        "se | Int64 | | shader engine",
        "sa | Int64 | | shader array of the engine",
        "wgp | Int64 | | work group processor of the array",
    ),
)
