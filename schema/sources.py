"""The sources of runs: a record each for loaders, analysis, pages and documents.

`python -m schema.sources` prints the table of `docs/sources.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from schema.run_settings import DEVICE, RATES, SETTING_NAMES

Reference = Literal["", "script", "notebook"]


@dataclass(frozen=True)
class Source:
    """A source: its loader as `module:class`, the files that it reads, and how users make these
    files.

    `settings` are the `--set` keys of its runs, besides the keys that every source has. If no
    loader can read a file, the error of the loader with the file's suffix in `suffixes` is shown.
    `derives` names the frames that the analysis computes from stored events; frames of memory maps
    are computed for any source with allocations. `headlines` names the kinds of headline that its
    runs may have, the preferred kind first (`schema.headlines`). `reference` is the kind of the
    team's tool whose numbers method `reference` computes. `keeps_order`: control flow and the like
    order the steps beyond what their operands do, so that the lab does not move steps.
    """

    name: str
    title: str = ""
    loader: str = ""
    reads: str = ""
    how_to: str = ""
    settings: frozenset[str] = frozenset()
    suffixes: tuple[str, ...] = ()
    derives: tuple[str, ...] = ()
    headlines: tuple[str, ...] = ()
    reference: Reference = ""
    keeps_order: bool = False


_NAMES = ("hwid", "name", "tags")
_MEMORY_SETTINGS = frozenset({"capacity", "strategy", *_NAMES})
_BANKED_MEMORY_SETTINGS = _MEMORY_SETTINGS | {"banks"}

SOURCES: tuple[Source, ...] = (
    Source(
        "aie",
        "AIE",
        "data_loaders.aie.trace:AieTraceLoader",
        'Chrome trace-event JSON as mlir-aie\'s trace parser writes it: an array or `{"traceEvents": [...]}`, one '
        "entry per line or all in one, names of today and from before 2024, units `core`, `mem`, `memtile`, `shim` "
        "(`intfc`), plain or gzip",
        "`trace_mm_*.json` as mlir-aie's trace parser writes it, with `index.json` next to it",
        settings=frozenset(SETTING_NAMES),
        suffixes=(".json",),
        derives=("kernels", "iterations", "activity"),
        headlines=("rate", "cycles"),
        reference="script",
    ),
    Source(
        "aie_words",
        "AIE words",
        "data_loaders.aie.raw:AieWordsLoader",
        "raw trace words of an AIE array, as in the trace buffer: `trace.txt` (eight hexadecimal digits per "
        "line), the same words as bytes or as an array of numpy (`.npy`), plain or gzip, with the design's `*.mlir` "
        "next to it, which names the events; trace modes 0 (times) and 1 (EVENT_PC)",
        "`trace.txt`, `trace.bin` or `trace.npy` of a traced run, with the design's `*.mlir` and, of a GEMM, "
        "`index.json` next to it",
        settings=frozenset({"colshift", *SETTING_NAMES}),
        suffixes=(".bin", ".npy"),
        derives=("kernels", "iterations", "activity"),
        headlines=("rate", "cycles"),
        reference="script",
    ),
    Source(
        "aie_design",
        "AIE design",
        "data_loaders.aie_design.loader:AieDesignLoader",
        "the design of an AIE array as MLIR of mlir-aie, plain or gzip: tiles, buffers with banks, locks, DMA channels, "
        "flows; physical (`input_with_addresses.mlir`), with objectfifos, or of before 2024",
        "`input_with_addresses.mlir` from the folder `*.mlir.prj` that `aiecc` leaves, alone or beside a trace",
        settings=frozenset({"device", *_NAMES}),
        suffixes=(".mlir",),
        headlines=("address",),
    ),
    Source(
        "tpu_mlir",
        "TPU-MLIR",
        "data_loaders.tpu_mlir.log:TpuMlirLoader",
        "the log of TPU-MLIR's local-memory allocation (`--debug-only=lmem_assign,timestep_with_cycle`), plain or "
        "gzip, filtered or whole; next to it `layer_group_cache.json`, `compiler_profile_<core>.txt`, `bmodel.json`, "
        "`final.mlir`; LetsVis' `lmem.json`",
        'the output of `tpuc-opt --layer-group="... debugger=3"` with `--debug-only=lmem_assign,timestep_with_cycle` '
        "and `OMP_NUM_THREADS=1`; filter a large log with `grep -E 'step = lmem_spec|tag = iteration_result|step = "
        "assignLmemAddr_finish'`. Layer groups are read from `<name>.layer_group_cache.json` next to the log",
        settings=_BANKED_MEMORY_SETTINGS,
        suffixes=(".log", ".txt", ".json"),
        headlines=("memory", "placement", "problem"),
        reference="notebook",
    ),
    Source(
        "deeploy",
        "Deeploy",
        "data_loaders.deeploy.run:DeeployLoader",
        "the folder of a Deeploy run, or any file of it: `memory_alloc.html` (`--plotMemAlloc`), "
        "`backend_post_parsing.onnx`, `Network.c`, `Network.h`, `run.log`, MiniMalloc's tables; cycles that the "
        "generated code prints",
        "the folder of a run made with `--plotMemAlloc`, or only `memory_alloc.html`",
        settings=_MEMORY_SETTINGS,
        headlines=("placement", "problem"),
    ),
    Source(
        "minimalloc",
        "MiniMalloc",
        "data_loaders.minimalloc.run:MinimallocLoader",
        "CSV problems and solutions of MiniMalloc and omnimalloc, every header that they know",
        "problems and solutions as CSV; the capacity is read from the file's name, or set with `capacity=1048576`",
        settings=_BANKED_MEMORY_SETTINGS,
        suffixes=(".csv",),
        headlines=("placement", "problem"),
    ),
    Source(
        "xla",
        "XLA",
        "data_loaders.xla.run:XlaLoader",
        "`*-buffer-assignment.txt` of a dump folder of XLA, plain or gzip, with `*-live-range.txt`, "
        "`*-buffer-assignment-values.txt`, `*-memory-usage-report.txt` and the module's text next to it; older texts "
        "with all of these in one file",
        "`*-buffer-assignment.txt` and its neighbours from the folder of "
        '`XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_text"`, set before the program starts',
        settings=_MEMORY_SETTINGS,
        headlines=("placement", "problem"),
        keeps_order=True,
    ),
    Source(
        "tinygrad",
        "tinygrad",
        "data_loaders.tinygrad.profile:TinygradLoader",
        "`profile.pkl` with `rewrites.pkl` next to it (`VIZ=-1`, or `PROFILE=1` without the latter), of December 2025 "
        "to 0.14, plain or gzip, read without executing them; the lines of "
        "`python -m tinygrad.viz.cli --json`",
        "`profile.pkl` and `rewrites.pkl` of a run with `VIZ=-1` (only `profile.pkl` with `PROFILE=1`) from the "
        "folder of temporary files, or the output of `tinygrad.viz.cli --json`. Pickles are read without running "
        "their code",
        settings=frozenset({"strip_tracebacks", *RATES, DEVICE, *_NAMES}),
        suffixes=(".pkl",),
        headlines=("step_of_profile", "kernel_time", "memory"),
    ),
    Source(
        "kineto",
        "Kineto",
        "data_loaders.kineto.trace:KinetoLoader",
        "traces of torch.profiler in Chrome trace-event JSON (`*.pt.trace.json`), of NVIDIA's, AMD's and other devices "
        "or only of the CPU, times of today (relative to `baseTimeNanoseconds`) and of before, plain or gzip",
        "`*.pt.trace.json` of torch.profiler: `tensorboard_trace_handler(FOLDER)` or `export_chrome_trace(FILE)`; with "
        "`schedule=` the steps, with `profile_memory=True` the memory",
        settings=frozenset({*RATES, DEVICE, *_NAMES}),
        suffixes=(".pt.trace.json",),
        headlines=("step", "kernel_time", "memory", "reserved"),
    ),
    Source(
        "onnxruntime",
        "ONNX Runtime",
        "data_loaders.onnxruntime.profile:OnnxRuntimeLoader",
        "profiles of ONNX Runtime (`onnxruntime_profile_*.json`): time of each node's kernel on its execution "
        "provider, runs of the model, memory of the arena, plain or gzip",
        "`options.enable_profiling = True` before the session is made, `session.end_profiling()` after the runs, which "
        "returns the name of the file",
        settings=frozenset({*RATES, DEVICE, *_NAMES}),
        suffixes=(".json",),
        headlines=("step_of_profile", "kernel_time", "memory"),
    ),
    Source(
        "torch_snapshot",
        "PyTorch memory",
        "data_loaders.torch_snapshot.snapshot:TorchSnapshotLoader",
        "memory snapshots of PyTorch's caching allocator (`*.pickle`), of torch 2.1 and later, plain or gzip, read "
        "without executing them",
        "a memory snapshot of PyTorch: `torch.cuda.memory._record_memory_history()` before the work, then "
        "`torch.cuda.memory._dump_snapshot(FILE)`. Pickles are read without running their code",
        settings=_MEMORY_SETTINGS,
        suffixes=(".pickle",),
        headlines=("memory", "reserved"),
    ),
    Source(
        "results",
        "Results",
        "data_loaders.results.loader:ResultsLoader",
        "named numbers without a trace, plain or gzip: CSV with the columns `name` and `value`, JSON of "
        "pytest-benchmark, hyperfine, Bencher (BMF) and PyTorch's HUD (v3), JSON or CSV of Google Benchmark, CSV of "
        "IRON's tests, the log of a GEMM's host program",
        "`name,value,unit,direction` as CSV, `pytest --benchmark-json=FILE`, `--benchmark_out=FILE` of Google Benchmark, "
        "`hyperfine --export-json FILE`, or the JSON of Bencher or PyTorch's HUD",
        settings=frozenset({"direction", "M", "K", "N", *_NAMES}),
        suffixes=(".csv", ".json", ".log"),
        headlines=("results",),
    ),
)
"""Every built-in source. A loader of another package has a name and no record here."""


def source_of(name: str) -> Source:
    """Look up the built-in source `name`; for any other name return a record that has only this
    name and defaults.
    """
    # Plugins register loaders without a record here.
    return next((source for source in SOURCES if source.name == name), Source(name))


def markdown() -> str:
    """Write the table of `docs/sources.md` as text, a row per source: its name, the files that it
    reads, and its settings. No file is written.
    """
    rows = [f"| `{source.name}` | {source.reads} | {_keys(source)} |" for source in SOURCES]
    return "\n".join(["| source | what is read | settings |", "|---|---|---|", *rows])


def _keys(source: Source) -> str:
    return " ".join(
        f"`{key}`" for key in sorted(source.settings, key=lambda key: (key.lower(), key))
    )


if __name__ == "__main__":
    print(markdown())
