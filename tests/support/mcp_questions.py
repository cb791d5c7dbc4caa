"""Sixty questions of the tutorials, each with the tool that answers it and the same number by another way.

The other way is a command's JSON or a stored frame: an answer is right if both agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

SAMPLES_OF = {
    "gemm": "outputs/npu2-gemm_256_256_256-4_row_4_col",
    "small": "outputs/npu1-gemm_64_64_64-1_row_1_col",
    "stalls": "aie_design/stalls",
    "log": "tpu_mlir",
    "network": "deeploy",
    "solution": "minimalloc/harbour.81920.solved.csv",
    "module": "xla",
    "snapshot": "torch_snapshot",
    "newer": "tinygrad/train-0.13-cpu",
    "older": "tinygrad/train-0.12-cpu",
    "torch": "kineto",
    "onnx": "onnxruntime",
}
"""Name of a run -> the sample that it is read from."""
BASELINE = "profiles"
"""Name of the baseline that the older profile is."""
Ways = Any
"""Other ways to a number: `json(command, run, *arguments)` and `frame(run, name)`."""


@dataclass(frozen=True)
class Question:
    """A question, the call of a tool, and where the answer and the truth are.

    `run` is a name of SAMPLES_OF, "" if the tool is not about a run; arguments may name runs too.
    """

    text: str
    run: str
    tool: str
    find: Callable[[Mapping[str, Any]], object]
    truth: Callable[[Ways], object]
    arguments: Mapping[str, object] = field(default_factory=dict)


def _analyse(text, run, kind, find, truth, **arguments):
    return Question(text, run, "analyse", find, truth, {"kind": kind} | arguments)


def _ask(text, run, tool, find, truth, **arguments):
    return Question(text, run, tool, find, truth, arguments)


def _total(frame):
    return int((frame["end"] - frame["start"]).sum())


_GEMM = "gemm"
ARRAY = [
    _analyse(
        "Which core sets the pace?",
        _GEMM,
        "pace",
        lambda d: d["limiters"][0]["where"],
        lambda w: w.json("pace", _GEMM)["limiters"][0]["where"],
    ),
    _analyse(
        "Why does it set the pace?",
        _GEMM,
        "pace",
        lambda d: d["limiters"][0]["what"],
        lambda w: w.json("pace", _GEMM)["limiters"][0]["what"],
    ),
    _analyse(
        "Which rate would the array reach without its first limiter?",
        _GEMM,
        "pace",
        lambda d: d["limiters"][0]["gmacs_if_fixed"],
        lambda w: w.json("pace", _GEMM)["limiters"][0]["gmacs_if_fixed"],
    ),
    _analyse(
        "Which rate without both limiters?",
        _GEMM,
        "pace",
        lambda d: d["limiters"][1]["cumulative_gmacs"],
        lambda w: w.json("pace", _GEMM)["limiters"][1]["cumulative_gmacs"],
    ),
    _analyse(
        "How many cores were timed?",
        _GEMM,
        "pace",
        lambda d: len(d["tiles"]),
        lambda w: w.frame(_GEMM, "kernels")["track"].nunique(),
    ),
    _analyse(
        "Which share of the time does the first limiter take?",
        "small",
        "pace",
        lambda d: d["limiters"][0]["share"],
        lambda w: w.json("pace", "small")["limiters"][0]["share"],
    ),
    _ask(
        "What is the mean rate?",
        _GEMM,
        "describe_run",
        lambda d: d["run"]["gmacs_mean"],
        lambda w: w.listed(_GEMM)["gmacs_mean"],
    ),
    _ask(
        "On which hardware did it run?",
        _GEMM,
        "describe_run",
        lambda d: d["run"]["hwid"],
        lambda w: str(w.frame(_GEMM, "run")["hwid"].iloc[0]),
    ),
    _ask(
        "Which part of the cores' time is largest?",
        _GEMM,
        "hotspots",
        lambda d: d["hotspots"][0]["what"],
        lambda w: w.largest_part(_GEMM),
    ),
    _analyse(
        "Which tile size is best?",
        _GEMM,
        "advise",
        lambda d: [d["advice"][name] for name in "mkn"],
        lambda w: [w.json("advise", _GEMM)["advice"][name] for name in "mkn"],
    ),
    _ask(
        "Does the capture have errors?",
        _GEMM,
        "findings",
        lambda d: len(d["findings"]),
        lambda w: int((w.frame(_GEMM, "diagnostics")["severity"] == "error").sum()),
        severity="error",
    ),
    _ask(
        "Is the smaller GEMM slower than the larger one?",
        "small",
        "compare",
        lambda d: d["verdict"],
        lambda w: w.compare("small", _GEMM)["verdict"],
        base=["small"],
        new=[_GEMM],
    ),
]
_STALLS = "stalls"
DESIGN = [
    _analyse(
        "Which core stalls for memory?",
        _STALLS,
        "design",
        lambda d: d["stalls"][0]["tile"],
        lambda w: w.json("design", _STALLS)["memory_stalls"][0]["tile"],
    ),
    _analyse(
        "For how many cycles?",
        _STALLS,
        "design",
        lambda d: d["stalls"][0]["cycles"],
        lambda w: w.json("design", _STALLS)["memory_stalls"][0]["cycles"],
    ),
    _analyse(
        "In which bank are the conflicts?",
        _STALLS,
        "design",
        lambda d: d["stalls"][0]["banks"],
        lambda w: w.json("design", _STALLS)["memory_stalls"][0]["banks"],
    ),
    _analyse(
        "Which buffer should move, and to which address?",
        _STALLS,
        "design",
        lambda d: [(move["buffer"], move["address"]) for move in d["stalls"][0]["moves"]],
        lambda w: [
            (move["buffer"], move["address"])
            for move in w.json("design", _STALLS)["memory_stalls"][0]["moves"]
        ],
    ),
    _analyse(
        "Did the lab accept the move?",
        _STALLS,
        "design",
        lambda d: d["stalls"][0]["moves_check"][0]["accepted"],
        lambda w: w.json("design", _STALLS)["memory_stalls"][0]["moves_check"][0]["accepted"],
    ),
    _analyse(
        "How long does core 3,0 wait for locks?",
        _STALLS,
        "design",
        lambda d: next(s["cycles"] for s in d["stalls"] if s["kind"] == "lock"),
        lambda w: w.json("design", _STALLS)["lock_stalls"][0]["cycles"],
    ),
    _analyse(
        "How many buffers does the design have?",
        _STALLS,
        "design",
        lambda d: len(d["buffers"]),
        lambda w: len(w.frame(_STALLS, "design_buffers")),
        part="buffers",
    ),
    _analyse(
        "Which device is the design for?",
        _STALLS,
        "design",
        lambda d: d["device"],
        lambda w: str(w.frame(_STALLS, "design_devices")["device"].iloc[0]),
    ),
    _analyse(
        "How far is the model's computation from the measurement?",
        _STALLS,
        "predict",
        lambda d: next(t["residual"] for t in d["terms"] if t["term"] == "compute"),
        lambda w: next(
            t["residual"]
            for t in w.json("predict", _STALLS)["runs"][0]["terms"]
            if t["term"] == "compute"
        ),
    ),
]
MEMORY = [
    _analyse(
        "How many layer groups does the compile have?",
        "log",
        "groups",
        lambda d: len(d["groups"]),
        lambda w: w.frame("log", "attempts")["group"].nunique(),
    ),
    _analyse(
        "Did a layer group fail for good?",
        "log",
        "groups",
        lambda d: sum(group["failed_blocks"] > 0 for group in d["groups"]),
        lambda w: int((w.frame("log", "attempts").groupby("group")["failed"].last() > 0).sum()),
    ),
    _analyse(
        "Which attempt is in the headline?",
        "log",
        "groups",
        lambda d: d["headline"]["attempt"],
        lambda w: w.json("peak", "log")["peaks"][0]["attempt"],
    ),
    _analyse(
        "Why does block 0 of attempt 0 have no place?",
        "log",
        "why",
        lambda d: d["why"]["reason"],
        lambda w: w.json("allocate", "log", "--attempt", "0", "--why", "0")["why"]["reason"],
        attempt=0,
        block=0,
    ),
    _analyse(
        "What is the peak made of: how many bytes does placement waste?",
        "log",
        "peak",
        lambda d: d["peaks"][0]["parts"]["placement"],
        lambda w: w.attempt("log", 8, "extent") - w.attempt("log", 8, "live_peak"),
    ),
    _analyse(
        "What would lower the peak of the log?",
        "log",
        "peak",
        lambda d: (d["advice"][0]["kind"], d["advice"][0]["peak_after"]),
        lambda w: (
            "allocator",
            w.json("allocate", "log", "--strategy", "best_fit")["answers"][0]["extent"],
        ),
    ),
    _analyse(
        "Which share of the peak of L1 is persistent?",
        "network",
        "peak",
        lambda d: d["peaks"][0]["parts"]["persistent"],
        lambda w: w.json("peak", "network")["peaks"][0]["parts"]["persistent"],
    ),
    _analyse(
        "Do the parts of the peak sum to it?",
        "solution",
        "peak",
        lambda d: sum(d["peaks"][0]["parts"].values()),
        lambda w: int(w.listed("solution")["peak_memory"]),
    ),
    _analyse(
        "Which bytes does the solution of the problem waste?",
        "solution",
        "peak",
        lambda d: sum(d["peaks"][0]["parts"][name] for name in ("placement", "alignment")),
        lambda w: w.attempt("solution", 0, "waste"),
    ),
    _analyse(
        "How large are the temporaries of the module?",
        "module",
        "peak",
        lambda d: next(p["peak"] for p in d["peaks"] if p["label"] == "preallocated-temp"),
        lambda w: w.json("memory", "module")["by_kind"]["preallocated_temp"],
    ),
    _analyse(
        "How many bytes do the operators move into L1?",
        "network",
        "plan",
        lambda d: d["bytes_in"],
        lambda w: w.json("plan", "network", "--level", "L1")["levels"][0]["bytes_in"],
        level="L1",
    ),
    _analyse(
        "In which L1 does the network fit with other tiles?",
        "network",
        "plan",
        lambda d: d["least_capacity"]["any"],
        lambda w: w.json("plan", "network", "--level", "L1")["levels"][0]["least_capacity"]["any"],
        level="L1",
    ),
    _ask(
        "How large is the peak of the snapshot?",
        "snapshot",
        "memory_peak",
        lambda d: d["peak_bytes"],
        lambda w: int(w.frame("snapshot", "device_memory")["peak_allocated"].max()),
    ),
    _ask(
        "Which block of the peak is largest?",
        "snapshot",
        "memory_peak",
        lambda d: d["blocks"][0]["name"],
        lambda w: w.largest_alive("snapshot", 0),
    ),
    _ask(
        "How much was requested when memory ran out?",
        "snapshot",
        "memory_peak",
        lambda d: d["oom"][0]["asked"],
        lambda w: int(w.frame("snapshot", "out_of_memory")["requested"].iloc[0]),
    ),
    _ask(
        "How many bytes does the module have in all?",
        "module",
        "memory_peak",
        lambda d: d["total_bytes"],
        lambda w: w.json("memory", "module")["total_bytes"],
    ),
    _ask(
        "Are there warnings about the plan of the network?",
        "network",
        "findings",
        lambda d: [finding["code"] for finding in d["findings"]],
        lambda w: w.codes("network", "warning"),
        severity="warning",
    ),
]
_STEP = "newer"
PROFILE = [
    _analyse(
        "How long does a step take?",
        _STEP,
        "steps",
        lambda d: d["step_ns"],
        lambda w: w.json("steps", _STEP)["step_ns"],
    ),
    _analyse(
        "How many steps count?",
        _STEP,
        "steps",
        lambda d: d["series"][0]["counted"],
        lambda w: sum(step["counted"] for step in w.json("steps", _STEP)["steps"]),
    ),
    _analyse(
        "How long does the first step take?",
        _STEP,
        "steps",
        lambda d: d["series"][0]["first"],
        lambda w: w.json("steps", _STEP)["steps"][0]["duration"],
    ),
    _analyse(
        "How long did the rewrites take in all?",
        _STEP,
        "compile_time",
        lambda d: d["total"],
        lambda w: w.json("compile-time", _STEP)["total"],
    ),
    _analyse(
        "Which rewrite step took longest?",
        _STEP,
        "compile_time",
        lambda d: d["steps"][0]["name"],
        lambda w: w.json("compile-time", _STEP)["steps"][0]["name"],
    ),
    _analyse(
        "In which line is the rule that took longest?",
        _STEP,
        "compile_time",
        lambda d: d["rules"][0]["line"],
        lambda w: w.json("compile-time", _STEP)["rules"][0]["line"],
    ),
    _ask(
        "Which kernel takes the most time?",
        _STEP,
        "hotspots",
        lambda d: d["hotspots"][0]["what"],
        lambda w: w.longest_kernel(_STEP),
    ),
    _ask(
        "How many kernels ran?",
        _STEP,
        "query",
        lambda d: d["rows"][0][0],
        lambda w: len(w.frame(_STEP, "kernels")),
        sql="SELECT count(*) FROM kernels",
        runs=[_STEP],
    ),
    _ask(
        "How long did all kernels take together?",
        _STEP,
        "query",
        lambda d: d["rows"][0][0],
        lambda w: _total(w.frame(_STEP, "kernels")),
        sql='SELECT sum("end" - "start") FROM kernels',
        runs=[_STEP],
    ),
    _ask(
        "Is the newer tinygrad faster?",
        "older",
        "compare",
        lambda d: d["verdict"],
        lambda w: w.compare("older", _STEP)["verdict"],
        base=["older"],
        new=[_STEP],
    ),
    _analyse(
        "Which share of the counted steps is the GPU busy?",
        "torch",
        "breakdown",
        lambda d: d["devices"][0]["counted"]["busy"],
        lambda w: w.json("breakdown", "torch")["devices"][0]["counted"]["busy"],
    ),
    _analyse(
        "How long are exposed copies?",
        "torch",
        "breakdown",
        lambda d: d["devices"][0]["copy_exposed"],
        lambda w: w.json("breakdown", "torch")["devices"][0]["copy_exposed"],
    ),
    _analyse(
        "Why does the device idle longest?",
        "torch",
        "idle",
        lambda d: max(d["gaps"], key=lambda gap: gap["duration"])["reason"],
        lambda w: max(
            w.json("idle", "torch")["devices"][0]["top"], key=lambda gap: gap["duration"]
        )["reason"],
    ),
    _analyse(
        "Which operator takes most of the device's time?",
        "torch",
        "ops",
        lambda d: d["ops"][0]["name"],
        lambda w: max(w.json("ops", "torch")["ops"], key=lambda op: op["self_device"])["name"],
    ),
    _ask(
        "How large is the peak of the training?",
        "torch",
        "memory_peak",
        lambda d: max(device["peak_allocated"] for device in d["devices"]),
        lambda w: int(w.frame("torch", "device_memory")["peak_allocated"].max()),
    ),
    _analyse(
        "Which type of nodes takes longest?",
        "onnx",
        "ops",
        lambda d: d["ops"][0]["name"],
        lambda w: w.json("ops", "onnx")["ops"][0]["name"],
    ),
    _analyse(
        "How many runs of the model were profiled?",
        "onnx",
        "ops",
        lambda d: d["runs"],
        lambda w: w.json("ops", "onnx")["runs"],
    ),
]
TEAM = [
    _ask(
        "Which runs are there of tinygrad?",
        "",
        "find_runs",
        lambda d: {run["run_id"] for run in d["runs"]},
        lambda w: {w.id(_STEP), w.id("older")},
        source=["tinygrad"],
    ),
    _ask(
        "Which run of the GEMM is there?",
        "",
        "find_runs",
        lambda d: [run["run_id"] for run in d["runs"]],
        lambda w: [w.id(_GEMM)],
        M=[256],
        hwid=["npu2"],
    ),
    _ask(
        "What regressed against the rule?",
        "",
        "status",
        lambda d: [(row["run"]["run_id"], row["verdict"]) for row in d["rows"]],
        lambda w: [(row["run"]["run_id"], row["verdict"]) for row in w.json("status")["rows"]],
    ),
    _ask(
        "Does the profile pass its baseline?",
        _STEP,
        "check",
        lambda d: d["verdict"],
        lambda w: w.json("check", _STEP, "--baseline", BASELINE, "--format", "json")["verdict"],
        baseline=BASELINE,
    ),
    _ask(
        "How did the rate of the GEMM develop?",
        "",
        "trend",
        lambda d: [point["value"] for point in d["points"]],
        lambda w: [
            point["value"]
            for point in w.json("trend", "", "--metric", "gmacs_mean", "--M", "256")["points"]
        ],
        metric="gmacs_mean",
        M="256",
    ),
]
QUESTIONS = [*ARRAY, *DESIGN, *MEMORY, *PROFILE, *TEAM]
