"""Read a TPU-MLIR log of 188,763 result lines: `python -m benchmarks.memory_log`.

The log repeats the attempts of a small network with other names and addresses. The load is compared
with two other programs, in turn in one process: one regular expression over the file, and a loop
over its lines like the team's notebook, which finds keys and values by a regular expression and
groups them by settings.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from benchmarks.measure import measure
from benchmarks.report import check, note, spread_text
from data_loaders.registry import get_loader
from tests.support.tpu_log import Setting, attempt, buffer

ROOT = Path(__file__).resolve().parent.parent
RESULT_LINES = 188_763
BLOCKS = 49
"""Blocks of an attempt, so that the log has about 3,800 attempts."""
_TURNS = 5
"""Repetitions of each measurement."""
_PASS = re.compile(
    rb'; tag = iteration_result; remark = "[^"\n]*"; status = (success|failed); lmem_type = (\w+); op_type = ([\w.]+)'
    rb"; op_name = (.*?); addr = (-1|0x[0-9a-f]+); size = ([0-9]+); timestep_start = ([0-9]+); timestep_end = ([0-9]+)"
    rb"; timestep_mode = (\w+); hold_in_lmem = ([01]); allow_bank_conflict = ([01]); one_loop = ([01])"
    rb"; shape_secs = ([0-9,]+)"
)
"""Pattern of a result line with all of its fields."""
_PAIR = re.compile(r";\s*([\w/.]+)\s*=\s*(['\"]?)([:,_\w\s/\-\".']+)\2")
"""Pattern of a key and its value, as in the notebook."""
_SETTINGS = ("allow_bank_conflict", "shape_secs")
"""Keys whose values start another group when they change."""
_STORED = (
    *_SETTINGS,
    "timestep_start",
    "timestep_end",
    "addr",
    "size",
    "op_type",
    "op_name",
    "lmem_type",
    "status",
)
"""Keys that the loop stores."""
_NUMBER = r"[-+]?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?"


def write_log(path: Path) -> None:
    """Write the log: every attempt is a layer of its own, with ever finer slices."""
    with path.open("w") as file:
        written = number = 0
        while written < RESULT_LINES:
            count = min(BLOCKS, RESULT_LINES - written)
            blocks = [buffer(*_block(number, rank)) for rank in range(count)]
            lines = attempt(blocks, Setting(f"1,1,1,{1 + number % 8},1"))
            file.write("\n".join(lines) + "\n")
            written += count
            number += 1


def _block(attempt: int, rank: int) -> tuple[str, int, int, int, int]:
    layer = f"/model.{attempt % 97}/backbone/cv{rank % 7}/m.{rank}"
    part = (
        "conv/Conv_output_0_Conv",
        "conv/Conv_output_0.bias",
        "act/Mul_output_0_Mul_filter_reorderd",
    )[rank % 3]
    return f"{layer}/{part}", 4096 * rank, 4096 - 64 * (rank % 5), rank // 2, (rank // 2 + 1) % 25


def one_pass(path: Path) -> int:
    """Count the result lines by one regular expression that matches all of their fields."""
    return sum(len(match.groups()) > 0 for match in _PASS.finditer(path.read_bytes()))


def plain_loop(path: Path) -> int:
    """Read the lines as the notebook does; return the number of blocks."""
    patches: list[list[dict[str, object]]] = []
    settings: object = None
    for fields in _fields(path):
        now = {key: fields[key] for key in _SETTINGS}
        if not patches or now != settings:
            patches.append([])
            settings = now
        patches[-1].append({key: fields[key] for key in _STORED})
    for patch in patches:
        _stack_failed(patch)
    return sum(map(len, patches))


def _fields(path: Path) -> Iterator[dict[str, object]]:
    with path.open() as file:
        for line in file:
            if "; action = lmem_assign" in line and "; tag = iteration_result" in line:
                yield {key: _value(value.strip()) for key, _, value in _PAIR.findall(line)}


def _value(text: str) -> object:
    # Like the notebook, through the module instead of a compiled pattern.
    if re.fullmatch(_NUMBER, text):
        return int(text)
    return int(text, 16) if "0x" in text else text


def _stack_failed(patch: list[dict[str, object]]) -> None:
    top = max((_end(block) for block in patch if block["status"] == "success"), default=0)
    last = max(int(str(block["timestep_end"])) for block in patch)
    for block in patch:
        block["max_timestep"] = last
        if block["status"] == "failed":
            block["addr"] = top
            top = _end(block)


def _end(block: dict[str, object]) -> int:
    return int(str(block["addr"])) + int(str(block["size"]))


def load(path: Path) -> int:
    """Load the file as a run; return the number of its blocks."""
    return len(get_loader("tpu_mlir").load(path, {}).frames["allocations"])


def run(path: Path) -> None:
    """Print peak memory and ratios.

    Memory comes first, because a child process starts with the peak of its parent.
    """
    own = [sys.executable, "-m", "benchmarks.memory_log"]
    measure([*own, "--write", str(path)], ROOT)
    note(f"log of {path.stat().st_size / 1e6:.0f} MB, {RESULT_LINES} result lines")
    alone, loaded = (
        measure([*own, "--load", *paths], ROOT).peak_mib for paths in ([], [str(path)])
    )
    note(f"peak memory of a load {loaded:.0f} MiB, of a process that loads nothing {alone:.0f} MiB")
    ways: dict[str, Callable[[Path], int]] = {
        "load": load,
        "one pass": one_pass,
        "plain loop": plain_loop,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_TURNS):
        for name, way in ways.items():
            begin = time.perf_counter()
            if way(path) != RESULT_LINES:
                raise RuntimeError(f"{name} did not find every result line")
            times[name].append(time.perf_counter() - begin)
    for name, seconds in times.items():
        note(f"{name}: {spread_text(seconds, 's')}")
    check("load, time against one regular-expression pass", _ratio(times, "one pass"), 1.5, "x")
    check("load, time against the plain loop", _ratio(times, "plain loop"), 1 / 8, "x")


def _ratio(times: dict[str, list[float]], name: str) -> float:
    return median(ours / other for ours, other in zip(times["load"], times[name], strict=True))


def main() -> None:
    """Run the measurement, or a part of it with `--write FILE` or `--load [FILE]`."""
    task = sys.argv[1:2]
    paths = [Path(name) for name in sys.argv[2:]]
    if task == ["--write"]:
        write_log(paths[0])
    elif task == ["--load"]:
        # Imported without a file too, so that both processes differ by the load alone.
        get_loader("tpu_mlir")
        for path in paths:
            load(path)
    else:
        with tempfile.TemporaryDirectory(prefix="tilescope-benchmark-") as folder:
            run(Path(folder) / "lmem_bm1684x.log")


if __name__ == "__main__":
    main()
