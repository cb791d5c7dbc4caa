"""Frames that every run has: its metadata and its findings."""

from __future__ import annotations

from schema.spec import LOADED, FrameSpec, columns

GIVEN_DATE_ORIGINS = ("setting", "file")
"""Values of `taken_from` for a date that the user or the file gave; with other values the date is a
guess.
"""

RUN = FrameSpec(
    "run",
    "the run; the frame has one row",
    LOADED,
    columns(
        "run_id | str | | hash of the content and the loader's name",
        "source | str | | the loader that read it",
        "name | str | | name of the run for users",
        "stem | str? | | stem of the file, if the run is named after its folder; its series is found by the stem",
        "hwid | str? | | hardware or layout that it ran on",
        "M | Int64 | elements | rows of the GEMM's output",
        "K | Int64 | elements | reduction length of the GEMM",
        "N | Int64 | elements | columns of the GEMM's output",
        "m | Int64 | elements | rows of one kernel's tile",
        "k | Int64 | elements | reduction length of one kernel's tile",
        "n | Int64 | elements | columns of one kernel's tile",
        "rows | Int64 | cores | rows of cores that share the work",
        "cols | Int64 | cores | columns of cores that share the work",
        "warmup | Int64 | iterations | leading iterations that are not measured",
        "iterations | Int64 | iterations | measured iterations that were configured",
        "clock_hz | float64? | Hz | clock that turns cycles into seconds",
        "time_unit | str | | unit of a tick: cycles, ns or steps",
        "mac_dtype | str? | | data type of the multiply-accumulates: int16, bf16 or int8",
        "peak_macs_per_cycle | float64? | MAC/cycle/core | peak of one core",
        "peak_flops | float64? | operations/s | peak of the device",
        "peak_bytes_per_s | float64? | bytes/s | peak of its memory",
        "device | str? | | device of these peaks; empty: not known, or both are settings",
        "peak_from | str? | | source of the two peaks, as text",
        "boundary_factor | float64? | median kernels | length of a lock stall that ends an iteration",
        "wall_clock_us | float64? | us | mean time of a call that the host program measured",
        "wall_clock_min_us | float64? | us | its shortest call",
        "wall_clock_max_us | float64? | us | its longest call",
        "file | str | | name of the file it was read from",
        "sha256 | str | | hash of the file's uncompressed content",
        "created_at | str | | time of the ingest, ISO 8601, UTC",
        "taken_at | str? | | time of the capture, ISO 8601, UTC; empty: not known",
        "taken_from | str? | | source of `taken_at`: setting, file (its content), modified (time of change), ingest (that time)",
        "commit | str? | | version of the measured code, given by the user or the file",
        "branch | str? | | branch of that code, given by the user or the file",
        "tags | str? | | free words, separated by spaces",
        "companions | str? | | names of the companion files, separated by `; `",
        "companions_sha256 | str? | | hash of the contents of the companions",
        "rank | Int64 | | number of its process in a distributed job, from 0",
        "world_size | Int64 | | number of processes of that job",
        "job | str? | | the same text for the ranks of one job: a hash of their folder and number",
        "reader | str? | | versions of the loader, the schema and the analysis that read it",
    ),
    tabled=False,
)

DIAGNOSTICS = FrameSpec(
    "diagnostics",
    "a finding of the reader or the analysis",
    LOADED,
    columns(
        "severity | category(error warning info) | | severity",
        "code | str | | stable name of the finding",
        "message | str | | one sentence for the user",
        "location | str? | | file, byte, track or iteration that it concerns",
        "count | int64 | | number of occurrences",
    ),
)
