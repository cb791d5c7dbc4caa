"""Example queries for every source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class QueryExample:
    """An example: the source of the runs that it needs ("" for any), its title, and its text."""

    source: str
    title: str
    sql: str


EXAMPLES = (
    QueryExample(
        "",
        "How many runs are there of each source and hardware?",
        "SELECT source, hwid, count(*) AS runs\nFROM runs\nGROUP BY ALL\nORDER BY source, hwid",
    ),
    QueryExample(
        "",
        "Which frames have the most rows?",
        "SELECT frame, count(*) AS runs, sum(rows) AS rows\nFROM frames\nGROUP BY frame\nORDER BY rows DESC",
    ),
    QueryExample(
        "aie",
        "Which captures are fastest?",
        "SELECT run_id, name, hwid, M, K, N, tile_m, tile_k, tile_n, gmacs_mean, utilization\n"
        # A rate above the peak comes from a wrong setting.
        "FROM runs\nWHERE NOT contains(impossible, 'gmacs_mean')\nORDER BY gmacs_mean DESC NULLS LAST",
    ),
    QueryExample(
        "aie",
        "How long do kernels take on each core?",
        "SELECT run_id, track, count(*) AS kernels, median(duration) AS median,\n"
        "       quantile_cont(duration, 0.95) AS p95\n"
        "FROM kernels\nWHERE kept AND phase = 'perf'\nGROUP BY run_id, track\nORDER BY run_id, track",
    ),
    QueryExample(
        "aie",
        "Where does the time of each core go?",
        "SELECT run_id, track, sum(compute) AS compute, sum(lock_inside) AS lock_inside,\n"
        "       sum(lock_between) AS lock_between, sum(idle) AS idle\n"
        "FROM iteration_parts\nGROUP BY run_id, track\nORDER BY run_id, track",
    ),
    QueryExample(
        "tpu_mlir",
        "How close is each attempt to its bound?",
        "SELECT run_id, attempt, outcome, live_peak, bound, waste\nFROM attempts\nORDER BY run_id, attempt",
    ),
    QueryExample(
        "tpu_mlir",
        "How full does each bank get?",
        "SELECT run_id, attempt, bank, max(live_bytes) AS most\n"
        "FROM occupancy\nWHERE bank IS NOT NULL\nGROUP BY ALL\nORDER BY run_id, attempt, bank",
    ),
    QueryExample(
        "deeploy",
        "Which blocks are alive at the peak of each memory level?",
        "SELECT a.run_id, a.attempt, a.name, a.size\n"
        "FROM allocations a\nJOIN attempts t USING (run_id, attempt)\n"
        'WHERE a.start <= t.peak_step AND a."end" > t.peak_step\nORDER BY a.run_id, a.attempt, a.size DESC',
    ),
    QueryExample(
        "deeploy",
        "Which operands are tiled?",
        "SELECT run_id, attempt, access, count(*) AS tiles\nFROM tiles\nGROUP BY ALL\nORDER BY run_id, attempt, access",
    ),
    QueryExample(
        "minimalloc",
        "How many pairs of blocks are alive at the same time?",
        "SELECT a.run_id, count(*) AS pairs\nFROM allocations a\n"
        "JOIN allocations b\n"
        '  ON a.run_id = b.run_id AND a.block < b.block AND a.start < b."end" AND b.start < a."end"\n'
        "GROUP BY a.run_id",
    ),
    QueryExample(
        "minimalloc",
        "Which blocks are largest?",
        'SELECT run_id, name, size, "end" - start AS steps\nFROM allocations\nORDER BY size DESC, name\nLIMIT 20',
    ),
    QueryExample(
        "aie_words",
        "How many entries does each track have?",
        "SELECT run_id, track, entries, first, last\nFROM tracks\nORDER BY run_id, entries DESC",
    ),
    QueryExample(
        "aie_design",
        "How many bytes of its memory does each tile use?",
        "SELECT run_id, tile, memory, sum(bytes) AS used\nFROM design_tiles\n"
        "JOIN design_buffers USING (run_id, tile)\nGROUP BY ALL\nORDER BY used DESC, tile",
    ),
    QueryExample(
        "xla",
        "Which instructions use most bytes?",
        "SELECT u.run_id, s.name, s.op_type, sum(a.size) AS bytes\nFROM buffer_uses u\n"
        "JOIN allocations a USING (run_id, attempt, block)\n"
        "JOIN steps s ON s.run_id = u.run_id AND s.step = u.start\n"
        "GROUP BY ALL\nORDER BY bytes DESC\nLIMIT 20",
    ),
    QueryExample(
        "torch_snapshot",
        "Which lines allocated most of the bytes that are alive at the peak?",
        "SELECT a.run_id, a.name, count(*) AS blocks, sum(a.size) AS bytes\n"
        "FROM allocations a\nJOIN attempts t USING (run_id, attempt)\n"
        'WHERE a.start <= t.peak_step AND a."end" > t.peak_step\nGROUP BY ALL\nORDER BY bytes DESC\nLIMIT 20',
    ),
    QueryExample(
        "kineto",
        "How long is each stream busy with each kernel?",
        "SELECT run_id, track, name, count(*) AS runs, sum(duration) AS total\n"
        "FROM kernels\nGROUP BY ALL\nORDER BY total DESC\nLIMIT 20",
    ),
    QueryExample(
        "kineto",
        "Why do devices idle?",
        "SELECT run_id, device, reason, idle\nFROM idle_times\nWHERE idle > 0\nORDER BY idle DESC",
    ),
    QueryExample(
        "onnxruntime",
        "Which operators take the most time?",
        "SELECT run_id, metadata AS operator, count(*) AS runs, sum(duration) AS total\n"
        "FROM kernels\nGROUP BY ALL\nORDER BY total DESC\nLIMIT 20",
    ),
    QueryExample(
        "tinygrad",
        "Which kernels take the most time?",
        "SELECT run_id, name, total, share\nFROM kernel_totals\nORDER BY total DESC\nLIMIT 20",
    ),
    QueryExample(
        "tinygrad",
        "Which bytes do kernels read?",
        "SELECT u.run_id, count(*) AS uses, sum(a.size) AS bytes\nFROM buffer_uses u\n"
        "JOIN allocations a USING (run_id, attempt, block)\nWHERE u.access IN ('r', 'rw')\nGROUP BY u.run_id",
    ),
    QueryExample(
        "tinygrad",
        "Which machine instructions are most frequent?",
        "SELECT split_part(text, ' ', 1) AS operation, count(*) AS instructions\n"
        "FROM disassembly\nGROUP BY ALL\nORDER BY instructions DESC\nLIMIT 20",
    ),
)
"""All examples in display order."""


def examples_record() -> dict[str, list[dict[str, str]]]:
    """Return the examples as JSON types, as `query --examples --json` prints them: `examples` is a
    list of dicts with source, title and sql.
    """
    return {"examples": [vars(example) for example in EXAMPLES]}
