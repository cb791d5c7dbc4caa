"""Pairs of runs with known differences, for every source; a run is ingested when a test first
requests it.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from shutil import copy, copytree
from typing import Any

from analysis.comparison.rows import ResultRow
from analysis.comparison.verdict import Judged, Verdict
from app.config.settings import Settings
from app.pages.compare.question import open_comparison, resolve_state
from app.views.comparison.registry import parse
from ingest.files import ingest
from samples.tinygrad_capture import START, colour_name
from samples.tinygrad_writer import Maker
from schema.comparison import CAPTURE, ComparedMetric
from services.comparison.data import CompareData, CompareDataCache
from services.run.data_cache import RunDataCache
from tests.support.deeploy_net import TOY, moved
from tests.support.deeploy_run import write_run
from tests.support.gemm_trace import Core, entries
from tests.support.gemm_trace import settings as gemm
from tests.support.torch_steps import Launches, step_entries
from tests.support.tpu_log import HEAD, SLICED, STEM, TRIED, attempt, group_cache, log

SAMPLES = Path(__file__).parents[2] / "samples"
ITERATIONS = 7
STEPS = 8
HOSTILE = "</script><b>%{x} & $\u202e|`[a](javascript:b)"
LONG = "r_" + "64_" * 90
"""A kernel name of the length that tinygrad can produce."""


def cores(seed: int, *durations: int, gap: int = 10, rows: int = 8) -> list[Core]:
    """Build a core per duration: its kernels take that many ticks, plus or minus 1. `rows` cores
    form a column; all cores begin an iteration at the same time.
    """
    draw = random.Random(seed)  # noqa: S311
    made = [Core(f"{2 + rank % rows},{rank // rows}") for rank in range(len(durations))]
    for at in range(ITERATIONS):
        for core, duration in zip(made, durations, strict=True):
            core.now = 1 + 10_000 * at
            core.iteration(duration=duration + draw.choice((-1, 0, 1)), gap=gap)
            core.pause(10_000 * (at + 1) - core.now - 20)
    return made


def problem(
    *rows: tuple[str, int, int, int, int], name: str = "problem", capacity: int = 8192
) -> dict[str, str]:
    """Map the file name of a solved MiniMalloc problem to its text; rows are (id, lower, upper,
    size, offset).
    """
    lines = ["id,lower,upper,size,offset", *(",".join(map(str, row)) for row in rows)]
    return {f"{name}.{capacity}.csv": "\n".join(lines) + "\n"}


PROBLEM = (
    ("a", 0, 3, 1024, 0),
    ("b", 1, 4, 512, 1024),
    ("c", 3, 6, 256, 0),
    ("d", 2, 5, 128, 1536),
)
CHANGED = (
    ("a", 0, 3, 1024, 0),
    ("b", 1, 4, 768, 1024),
    ("e", 2, 5, 128, 1792),
    ("f", 0, 6, 64, 1920),
)
"""Changes from PROBLEM: `b` is larger, `c` is removed, `d` is renamed to `e`, `f` is added."""


def profiled(seed: int, kernels: Mapping[str, tuple[int, int]], *, marked: bool = True) -> Maker:
    """Build a tinygrad capture in which every step runs each kernel once; `kernels` maps a name to
    (duration in µs, elements of the buffer that it writes).

    A `marked` capture has a marker per step.
    """
    draw = random.Random(seed)  # noqa: S311
    maker = Maker("0.12").device("CPU")
    for rank, (name, (_, elements)) in enumerate(kernels.items()):
        maker.alloc("CPU", rank, elements, START + rank)
        maker.kernel(
            colour_name(name),
            name,
            {"ops": 100 + rank, "lds": 8, "mem": 8},
            source=f"void {name}() {{ {rank}; }}",
        )
    for step in range(STEPS):
        at = START + 10_000 * (step + 1)
        if marked:
            maker.marker(f"train @ {step}", at)
        for rank, (name, (duration, _)) in enumerate(kernels.items()):
            begin = at + 10 + 1000 * rank
            maker.launch(
                "CPU",
                10 + rank + len(kernels) * step,
                colour_name(name),
                begin,
                buffers=(rank,),
                roles=((0,), ()),
            )
            maker.range(
                "CPU",
                name,
                begin,
                f"{begin + duration + 50 * (step == 0)}.{draw.randrange(100, 999)}",
            )
    if marked:
        maker.marker("end", START + 10_000 * (STEPS + 1))
    for rank in range(len(kernels)):
        maker.free("CPU", rank, START + 10_000 * (STEPS + 1) + rank)
    return maker


KERNELS = {"r_8_8": (100, 4096), "E_8": (40, 512), "r_old": (20, 256)}
SLOWER = {"r_8_8": (160, 4096), "E_8": (40, 2048), "r_new": (20, 256), "E_more": (30, 64)}
"""Changes from KERNELS: `r_8_8` is slower, `E_8` writes more bytes, `r_old` is renamed to `r_new`,
`E_more` is added.
"""
L2, L1 = TOY.levels["L2"], TOY.levels["L1"]
GROWN = moved(
    moved(
        TOY, "L2", blocks=(*L2.blocks[:4], ("output_0", 3, 4, 224, 234), ("spare", 1, 3, 256, 768))
    ),
    "L1",
    capacity=L1.capacity,
)
TRY = attempt(TRIED)
COMPILE = (TRY, attempt(STEM, SLICED), attempt(HEAD), attempt(STEM, SLICED), attempt(HEAD))
LARGER = [*STEM[:3], replace(STEM[3], size=16384), replace(STEM[4], address=40960)]
OTHER = (TRY, attempt(LARGER, SLICED), attempt(HEAD), attempt(LARGER, SLICED), attempt(HEAD))

Files = Mapping[str, str | bytes]


class Pairs:
    """A store of the runs of RUNS in a folder; a run is ingested when it is first requested."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "data"
        self.repository = Settings(data=self.place).repository()
        self.comparisons = CompareDataCache(self.repository, RunDataCache(self.repository))
        self._folder = folder / "files"
        self._ids: dict[str, str] = {}

    def run(self, name: str) -> str:
        """Ingest a run of RUNS if it is not stored yet, and return its id."""
        if name not in self._ids:
            folder = self._folder / str(len(self._ids))
            given = RUNS[name](folder)
            self._ids[name] = (
                ingest(self.repository, [folder], {"name": name} | given).runs[0].run_id
            )
        return self._ids[name]

    def runs(self, pair: str) -> tuple[list[str], list[str]]:
        """Return the run ids of base and new of a pair of PAIRS, in a list each."""
        one, other = PAIRS[pair]
        return [self.run(one)], [self.run(other)]

    def query(self, pair: str, more: str = "") -> str:
        """Return the query string of the comparison page for a pair, followed by the parameters
        `more`.
        """
        base, new = self.runs(pair)
        parts = [
            *(f"base={run}" for run in base),
            *(f"new={run}" for run in new),
            *([more] if more else []),
        ]
        return "&".join(parts)

    def data(self, pair: str, more: str = "") -> CompareData:
        """Load the data of the comparison page for a pair."""
        return self.asked(self.query(pair, more))

    def asked(self, query: str) -> CompareData:
        """Load the data of the comparison page for a query string."""
        return open_comparison(
            self.repository, self.comparisons, resolve_state(self.repository, parse(query))
        )[0]


Write = Callable[[Path], dict[str, str]]
"""Writes the files of a run into a folder and returns the loader settings of the run."""


def _files(files: Files, **settings: str) -> Write:
    def write(folder: Path) -> dict[str, str]:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return settings

    return write


def capture(made: list[Core], count: int = 0, **changed: str) -> Write:
    """Return the writer of an AIE capture of these cores; `changed` replaces loader settings."""
    text = json.dumps(entries(*made))
    return _files(
        {"trace.json": text}, **(gemm(count or len(made), iterations=ITERATIONS) | changed)
    )


def compile_of(*attempts: list[str]) -> Write:
    """Return the writer of a TPU-MLIR log with these attempts and of a layer-group cache."""
    return _files({"a.log": log(*attempts), "a.layer_group_cache.json": group_cache()})


def profile_of(maker: Maker) -> Write:
    """Return the writer of a tinygrad capture."""
    return _files({"profile.pkl": maker.profile(), "rewrites.pkl": maker.rewrites()})


def torch_steps(*steps: Launches) -> Write:
    """Return the writer of a torch.profiler trace with these steps."""
    entries = step_entries(steps, categories=TORCH_COPIES)
    return _files({"a.pt.trace.json": json.dumps({"traceEvents": entries})})


TORCH_COPIES = {"Memcpy HtoD": "gpu_memcpy"}
TORCH_STEP = (("gemm", 3_000), ("ncclKernel_AllReduce", 1_000), ("Memcpy HtoD", 500))
TORCH_SLOW = (("gemm", 3_000), ("gemm", 4_000), ("Memcpy HtoD", 700), ("side", 10))


def _sample(name: str, **settings: str) -> Write:
    def write(folder: Path) -> dict[str, str]:
        place = SAMPLES / name
        if place.is_dir():
            copytree(place, folder / place.name)
        else:
            folder.mkdir(parents=True)
            copy(place, folder)
        return settings

    return write


def _deeploy(net: object) -> Write:
    def write(folder: Path) -> dict[str, str]:
        write_run(folder / "toy", net)
        return {}

    return write


def _grid(seed: int, *durations: int) -> Write:
    shared = [Core(f"1,{col}", kind="memtile").span("PORT_RUNNING_0", 5, 500) for col in range(2)]
    return capture([*shared, *cores(seed, *durations, rows=2)], len(durations), rows="2", cols="2")


RUNS: Mapping[str, Write] = {
    "aie": capture(cores(1, 300, 300)),
    "aie again": capture(cores(2, 300, 300)),
    "aie third": capture(cores(3, 300, 300)),
    "aie slow": capture(cores(4, 300, 330)),
    "aie slow again": capture(cores(5, 300, 330)),
    "aie slow third": capture(cores(6, 300, 330)),
    "aie larger": capture(cores(7, 300, 300, 300)),
    "aie faster": capture(cores(8, 270, 270)),
    "array": _grid(1, 300, 300, 300, 300),
    "array slow column": _grid(2, 300, 300, 340, 340),
    "problem": _files(problem(*PROBLEM)),
    "problem larger": _files(problem(*CHANGED)),
    "problem unsolved": _files({"u.8192.csv": "id,lower,upper,size\na,0,3,1024\nb,1,4,512\n"}),
    "problem hostile": _files(problem(*PROBLEM[:1], (HOSTILE.replace(",", ""), 1, 4, 700, 1024))),
    "compile": compile_of(*COMPILE),
    "compile larger": compile_of(*OTHER),
    "compile shorter": compile_of(*COMPILE[1:3]),
    "deeploy": _deeploy(TOY),
    "deeploy grown": _deeploy(GROWN),
    "deeploy other capacity": _deeploy(moved(TOY, "L3", capacity=32_000_000)),
    "profile": profile_of(profiled(1, KERNELS)),
    "profile again": profile_of(profiled(2, KERNELS)),
    "profile slow": profile_of(profiled(3, SLOWER)),
    "profile unmarked": profile_of(profiled(4, KERNELS, marked=False)),
    "profile long": profile_of(profiled(5, {LONG: (90, 64)})),
    "torch": torch_steps(*[TORCH_STEP] * 6),
    "torch slow": torch_steps(*[TORCH_SLOW] * 6),
    "sample array": _sample("outputs/npu1-gemm_128_256_128-2_row_4_col"),
    "sample network": _sample("tpu_mlir/lighthouse"),
    "sample stalls": _sample("aie_design/stalls"),
    "sample plan": _sample("deeploy/gull-L3-l1_10000-MiniMalloc"),
    "sample problem": _sample("minimalloc/harbour.81920.csv"),
    "sample solution": _sample("minimalloc/harbour.81920.solved.csv"),
    "sample training": _sample("tinygrad/train-0.13-cpu"),
    "sample product": _sample("tinygrad/gemm-0.14-cpu"),
}
"""Name of a run -> its writer."""
PAIRS: Mapping[str, tuple[str, str]] = {
    "aie itself": ("aie", "aie"),
    "aie same": ("aie", "aie again"),
    "aie slow": ("aie", "aie slow"),
    "aie faster": ("aie", "aie faster"),
    "aie larger": ("aie", "aie larger"),
    "aie column": ("array", "array slow column"),
    "problem itself": ("problem", "problem"),
    "problem larger": ("problem", "problem larger"),
    "problem unsolved": ("problem", "problem unsolved"),
    "problem hostile": ("problem", "problem hostile"),
    "compile itself": ("compile", "compile"),
    "compile larger": ("compile", "compile larger"),
    "compile shorter": ("compile", "compile shorter"),
    "deeploy itself": ("deeploy", "deeploy"),
    "deeploy grown": ("deeploy", "deeploy grown"),
    "deeploy other capacity": ("deeploy", "deeploy other capacity"),
    "profile itself": ("profile", "profile"),
    "profile same": ("profile", "profile again"),
    "profile slow": ("profile", "profile slow"),
    "profile unmarked": ("profile", "profile unmarked"),
    "profile long": ("profile", "profile long"),
    "torch itself": ("torch", "torch"),
    "torch slow": ("torch", "torch slow"),
    "sample array itself": ("sample array", "sample array"),
    "sample network itself": ("sample network", "sample network"),
    "sample stalls": ("sample stalls", "sample stalls"),
    "sample plan itself": ("sample plan", "sample plan"),
    "sample problem": ("sample problem", "sample solution"),
    "sample training": ("sample training", "sample product"),
}
"""Name of a pair -> (base run, new run)."""


def row_of(
    base: float | None,
    new: float | None,
    verdict: Verdict = "regressed",
    *,
    metric: ComparedMetric = CAPTURE["gmacs_mean"],
    reason: str = "",
    **more: object,
) -> ResultRow:
    """Build a row of a comparison with a verdict and without an interval; `more` are further
    fields.
    """
    given: dict[str, Any] = {"level": "run", "key": "", "threshold": metric.threshold} | more
    return ResultRow(metric=metric, base=base, new=new, judged=Judged(verdict, reason), **given)
