"""Write every sample that is made by a model: `python -m samples.make_samples [FOLDER]`.

The captures of tinygrad are made by `make_tinygrad`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from samples import onnx_profile
from samples.aie_design import write_design
from samples.aie_stalls import write_stalls
from samples.deeploy_files import write_run as write_deeploy_run
from samples.deeploy_graph import graph
from samples.gemm_array import Behaviour, Gemm, simulate
from samples.kineto_profile import write_profile
from samples.minimalloc_problem import write_problem
from samples.results_files import write_benchmarks, write_table
from samples.tinygrad_capture import write_capture
from samples.torch_memory import write_snapshot
from samples.tpu_compile import compile_network
from samples.tpu_files import write_compile
from samples.trace_file import Entry, index_text, trace_entries, trace_lines, trace_text, write_run
from samples.trace_words import (
    addresses_stream,
    design_text,
    levels_stream,
    trace_words,
    write_words,
)
from samples.xla_module import write_module

_ALL = ("core", "mem", "shim", "memtile")
_BEFORE_2024 = MappingProxyType(
    {
        "INSTR_EVENT_0": "Event0",
        "INSTR_EVENT_1": "Event1",
        "INSTR_VECTOR": "VectorInstr",
        "MEMORY_STALL": "MemoryStall",
        "STREAM_STALL": "StreamStall",
        "LOCK_STALL": "LockStall",
        "PORT_RUNNING_0": "PortRunning0",
        "PORT_RUNNING_1": "PortRunning1",
    }
)
"""Name of an event -> its name before 2024."""


def tiny(root: Path) -> Path:
    """Write a capture of one core with six iterations of eight kernels."""
    gemm = Gemm("npu1", 64, 64, 64, 1, 1, warmup=1, iterations=5, first_col=1)
    return _write(root, gemm, Behaviour(seed=1), compressed=False)


def npu1_array(root: Path) -> Path:
    """Write a capture of 2 x 4 cores with their memories, memtiles and shims."""
    gemm = Gemm("npu1", 128, 256, 128, 2, 4, warmup=1, iterations=5, first_col=1)
    return _write(root, gemm, Behaviour(seed=2, transfer=560, kinds=_ALL))


def npu2_small(root: Path) -> Path:
    """Write a capture of 4 x 4 cores: four kernels per iteration, a clear kernel per K loop."""
    gemm = Gemm("npu2", 128, 128, 128, 4, 4, warmup=1, iterations=8)
    return _write(root, gemm, Behaviour(seed=3, clear=96))


def npu2_array(root: Path) -> Path:
    """Write a capture of 4 x 4 cores with clear kernels, a slow core and a late block of B."""
    gemm = Gemm("npu2", 256, 256, 256, 4, 4, warmup=1, iterations=6)
    behaviour = Behaviour(
        seed=4, clear=96, slow=(4, 2), hiccup=(4, 13, 1, 3_100), kinds=("core", "shim", "memtile")
    )
    return _write(root, gemm, behaviour)


def write_broken(root: Path) -> Path:
    """Write a damaged capture.

    It has a dead core, lost and repeated markers, a full buffer, invalid entries and a cut end.
    """
    gemm = Gemm("npu2", 128, 256, 128, 2, 2, warmup=1, iterations=5)
    units = simulate(gemm, Behaviour(seed=5, launch=16_000, kinds=("core", "memtile")))
    units[1].spans = [span for span in units[1].spans if not span[0].startswith("INSTR")]
    entries = _with_lost_and_repeated_markers(trace_entries(units, seed=5), pid=2)
    entries = _with_full_buffer(_with_phantom(entries, pid=0), pid=3)
    lines = trace_lines(units, entries)
    middle = len(lines) // 2
    # The team's script crashes at an entry that is null and at one without a time stamp.
    lines[middle:middle] = [
        "null",
        '{"name": "LOCK_STALL", "ph": "B", "pid": 0, "tid": 5, "args": {}}',
    ]
    text = trace_text(lines)
    return write_run(root, gemm, text[: int(0.9 * len(text))])


def legacy(root: Path) -> Path:
    """Write a capture on one line, with the names that events and units had before 2024."""
    gemm = Gemm("npu1", 64, 128, 64, 2, 1, warmup=1, iterations=3, first_col=1)
    units = simulate(gemm, Behaviour(seed=6, kinds=("core", "shim")))
    lines = trace_lines(units, trace_entries(units, seed=6), _old_name)
    return write_run(root, gemm, trace_text(lines, separator=", "))


def words(root: Path) -> Path:
    """Write the raw words of a GEMM on two cores and a memtile.

    The columns of the design start at 0, but the design was loaded one column to the right.
    """
    gemm = Gemm("npu1", 64, 64, 64, 2, 1, warmup=1, iterations=3, first_col=1)
    units = simulate(gemm, Behaviour(seed=7, kinds=("core", "memtile")))
    streams = {(unit.kind, unit.row, unit.col): levels_stream(unit) for unit in units}
    folder = root / "aie_words" / "gemm"
    return write_words(
        folder, trace_words(streams), design_text(units, {}, gemm.first_col), index_text(gemm)
    )


def addresses(root: Path) -> Path:
    """Write the raw words of two cores, the second in mode 1: events by address, without times."""
    gemm = Gemm("npu1", 64, 64, 64, 2, 1, warmup=1, iterations=2, first_col=1)
    units = simulate(gemm, Behaviour(seed=8))
    streams = {(unit.kind, unit.row, unit.col): levels_stream(unit) for unit in units}
    traced = units[-1]
    loop = [
        (0b1, 336),
        *[(0b100, 400 + 16 * rank) for rank in (0, 1, 1, 2)],
        (0b101000, 416),
        (0b10, 544),
    ]
    streams[traced.kind, traced.row, traced.col] = addresses_stream(loop * 24)
    design = design_text(units, {(traced.row, traced.col): 1}, gemm.first_col)
    return write_words(root / "aie_words" / "addresses", trace_words(streams), design)


def lighthouse(root: Path) -> Path:
    """Write a TPU-MLIR compile of four layer groups: failed and successful searches, final passes.

    It includes the profile that the compiler expects.
    """
    return write_compile(
        root / "tpu_mlir" / "lighthouse", "lighthouse_bm1684x_f16", list(compile_network())
    )


def gull(root: Path) -> Path:
    """Write a Deeploy run of ten steps in three memory levels, planned by MiniMalloc."""
    return write_deeploy_run(root / "deeploy" / "gull-L3-l1_10000-MiniMalloc", graph())


def harbour(root: Path) -> Path:
    """Write a MiniMalloc problem with gaps and alignments, and a solution of it."""
    return write_problem(root / "minimalloc")


def december(root: Path) -> Path:
    """Write a tinygrad capture of December 2025, whose format no release has."""
    return write_capture(root / "tinygrad" / "train-2025")


def two_layers(root: Path) -> Path:
    """Write the dump of an XLA module whose temporaries share bytes in turn."""
    return write_module(root / "xla" / "two_layers")


def training(root: Path) -> Path:
    """Write a torch.profiler trace of four steps on one GPU."""
    return write_profile(root / "kineto")


def classifier(root: Path) -> Path:
    """Write an ONNX Runtime profile of eight runs on two execution providers."""
    return onnx_profile.write_profile(root / "onnxruntime")


def pipeline(root: Path) -> Path:
    """Write the physical design of a pipeline of two cores."""
    return write_design(root / "aie_design" / "pipeline")


def stalls(root: Path) -> Path:
    """Write a capture of that pipeline with its design: memory stalls, and waiting for locks."""
    return write_stalls(root / "aie_design" / "stalls")


def out_of_memory(root: Path) -> Path:
    """Write a PyTorch memory snapshot of a training that ran out of memory."""
    return write_snapshot(root / "torch_snapshot")


def decoding(root: Path) -> Path:
    """Write a CSV of named numbers of a decoder."""
    return write_table(root / "results" / "decoding")


def benchmarks(root: Path) -> Path:
    """Write the JSON of two benchmarks of pytest-benchmark."""
    return write_benchmarks(root / "results" / "decoding")


CAPTURES: Mapping[str, Callable[[Path], Path]] = MappingProxyType(
    {
        "tiny": tiny,
        "npu1 array": npu1_array,
        "npu2 small": npu2_small,
        "npu2 array": npu2_array,
        "broken": write_broken,
        "legacy": legacy,
    }
)
"""Functions that write AIE traces, by name."""
WORDS: Mapping[str, Callable[[Path], Path]] = MappingProxyType(
    {"words": words, "addresses": addresses}
)
"""Functions that write raw words of AIE traces, by name."""
MEMORY_MAPS: Mapping[str, Callable[[Path], Path]] = MappingProxyType(
    {"tpu_mlir": lighthouse, "deeploy": gull, "minimalloc": harbour}
)
"""Functions that write a run of each memory source, by the source's name."""
SAMPLES = MappingProxyType(
    {
        **CAPTURES,
        **WORDS,
        **MEMORY_MAPS,
        "xla": two_layers,
        "tinygrad": december,
        "kineto": training,
        "onnxruntime": classifier,
        "torch_snapshot": out_of_memory,
        "aie_design": pipeline,
        "aie stalls": stalls,
        "results": decoding,
        "benchmarks": benchmarks,
    }
)
"""Functions that write all samples, by name; each is called with the root folder."""


def _write(root: Path, gemm: Gemm, behaviour: Behaviour, *, compressed: bool = True) -> Path:
    units = simulate(gemm, behaviour)
    text = trace_text(trace_lines(units, trace_entries(units, behaviour.seed)))
    return write_run(root, gemm, text, compressed=compressed)


def _old_name(name: str) -> str:
    if name in _BEFORE_2024:
        return _BEFORE_2024[name]
    if name == "shim_trace":
        # The parser's name of a shim before 2024.
        return "intfc_trace"
    return name.title().replace("_", "") if name.isupper() else name


def _with_lost_and_repeated_markers(entries: Sequence[Entry], pid: int) -> list[Entry]:
    """Drop every 23rd end and 41st start marker of a core, and repeat every 17th start marker."""
    remaining: list[Entry] = []
    counts = [0, 0]
    for entry in entries:
        if entry.pid != pid or entry.slot > 1:
            remaining.append(entry)
            continue
        counts[entry.slot] += entry.phase == "B"
        if counts[entry.slot] % (41, 23)[entry.slot] == 0:
            continue
        remaining.append(entry)
        if entry.slot == 0 and counts[0] % 17 == 0:
            # Within a quarter of a kernel, so that the marker counts as repeated.
            remaining.append(replace(entry, ts=entry.ts + 40))
    order = [entry for entry in remaining if entry.pid == pid]
    order.sort(key=lambda entry: (entry.ts, entry.phase == "B", entry.slot))
    return _in_place(remaining, pid, order)


def _in_place(entries: Sequence[Entry], pid: int, own: Sequence[Entry]) -> list[Entry]:
    """Return the entries, with the entries of a unit replaced by `own`, in its order."""
    rest = iter(own)
    return [next(rest) if entry.pid == pid else entry for entry in entries]


def _with_phantom(entries: Sequence[Entry], pid: int) -> list[Entry]:
    """Append a begin event of slot 0 to a unit, as decoders produce from zero padding."""
    last = max(rank for rank, entry in enumerate(entries) if entry.pid == pid)
    phantom = Entry(pid, entries[last].ts + 900, "B", 0)
    return [*entries[: last + 1], phantom, *entries[last + 1 :]]


def _with_full_buffer(entries: Sequence[Entry], pid: int) -> list[Entry]:
    """Drop the last eighth of a unit's entries, as a full trace buffer does."""
    ranks = [rank for rank, entry in enumerate(entries) if entry.pid == pid]
    # The hardware fills the buffer from its start, so that the end is lost.
    lost = set(ranks[len(ranks) * 7 // 8 :])
    return [entry for rank, entry in enumerate(entries) if rank not in lost]


def main(root: Path) -> None:
    """Write every sample below `root`."""
    for name, make in SAMPLES.items():
        path = make(root)
        sys.stdout.write(f"{name}: {path} ({path.stat().st_size} bytes)\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
