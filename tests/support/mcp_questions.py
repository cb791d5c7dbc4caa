"""Sixty questions of the tutorials, each with the tool that answers it and the same number by another way.

The other way is a command's JSON or a stored frame: an answer is right if both agree.
"""

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


def _ask(call, text, find, truth="", **arguments):
    """A question; `call` names a run and a tool ("gemm hotspots"), with a kind ("gemm analyse pace"), or a tool ("status").

    The answer is at the path `find`, such as "hotspots.0.what", or what a function `find` returns. `truth` is such a
    path behind a command, such as "peak: peaks.0.attempt", or a function of the ways; by default it is the same path
    in the JSON of the command of the kind.
    """
    run, tool, *kinds = call.split() if " " in call else ("", call)
    for kind in kinds:
        arguments["kind"] = kind
        truth = truth or f"{kind.replace('_', '-')}: {find}"
    find = _at(find) if isinstance(find, str) else find
    truth = _printed(run, *truth.split(": ")) if isinstance(truth, str) else truth
    return Question(text, run, tool, find, truth, arguments)


def _printed(run, command, path):
    name, *options = command.split()
    return lambda ways: _at(path)(ways.json(name, run, *options))


def _at(path):
    def read(record):
        for part in path.split("."):
            record = record[int(part) if part.isdigit() else part]
        return record

    return read


def _total(frame):
    return int((frame["end"] - frame["start"]).sum())


_GEMM = "gemm"
ARRAY = [
    _ask("gemm analyse pace", "Which core sets the pace?", "limiters.0.where"),
    _ask("gemm analyse pace", "Why does it set the pace?", "limiters.0.what"),
    _ask(
        "gemm analyse pace",
        "Which rate would the array reach without its first limiter?",
        "limiters.0.gmacs_if_fixed",
    ),
    _ask("gemm analyse pace", "Which rate without both limiters?", "limiters.1.cumulative_gmacs"),
    _ask(
        "gemm analyse pace",
        "How many cores were timed?",
        lambda d: len(d["tiles"]),
        lambda w: w.frame(_GEMM, "kernels")["track"].nunique(),
    ),
    _ask(
        "small analyse pace",
        "Which share of the time does the first limiter take?",
        "limiters.0.share",
    ),
    _ask(
        "gemm describe_run",
        "What is the mean rate?",
        "run.gmacs_mean",
        lambda w: w.listed(_GEMM)["gmacs_mean"],
    ),
    _ask(
        "gemm describe_run",
        "On which hardware did it run?",
        "run.hwid",
        lambda w: str(w.frame(_GEMM, "run")["hwid"].iloc[0]),
    ),
    _ask(
        "gemm hotspots",
        "Which part of the cores' time is largest?",
        "hotspots.0.what",
        lambda w: w.largest_part(_GEMM),
    ),
    _ask(
        "gemm analyse advise",
        "Which tile size is best?",
        lambda d: [d["advice"][name] for name in "mkn"],
        lambda w: [w.json("advise", _GEMM)["advice"][name] for name in "mkn"],
    ),
    _ask(
        "gemm findings",
        "Does the capture have errors?",
        lambda d: len(d["findings"]),
        lambda w: int((w.frame(_GEMM, "diagnostics")["severity"] == "error").sum()),
        severity="error",
    ),
    _ask(
        "small compare",
        "Is the smaller GEMM slower than the larger one?",
        "verdict",
        lambda w: w.compare("small", _GEMM)["verdict"],
        base=["small"],
        new=[_GEMM],
    ),
]
_STALLS = "stalls"
DESIGN = [
    _ask(
        "stalls analyse design",
        "Which core stalls for memory?",
        "stalls.0.tile",
        "design: memory_stalls.0.tile",
    ),
    _ask(
        "stalls analyse design",
        "For how many cycles?",
        "stalls.0.cycles",
        "design: memory_stalls.0.cycles",
    ),
    _ask(
        "stalls analyse design",
        "In which bank are the conflicts?",
        "stalls.0.banks",
        "design: memory_stalls.0.banks",
    ),
    _ask(
        "stalls analyse design",
        "Which buffer should move, and to which address?",
        lambda d: [(move["buffer"], move["address"]) for move in d["stalls"][0]["moves"]],
        lambda w: [
            (move["buffer"], move["address"])
            for move in w.json("design", _STALLS)["memory_stalls"][0]["moves"]
        ],
    ),
    _ask(
        "stalls analyse design",
        "Did the lab accept the move?",
        "stalls.0.moves_check.0.accepted",
        "design: memory_stalls.0.moves_check.0.accepted",
    ),
    _ask(
        "stalls analyse design",
        "How long does core 3,0 wait for locks?",
        lambda d: next(s["cycles"] for s in d["stalls"] if s["kind"] == "lock"),
        "design: lock_stalls.0.cycles",
    ),
    _ask(
        "stalls analyse design",
        "How many buffers does the design have?",
        lambda d: len(d["buffers"]),
        lambda w: len(w.frame(_STALLS, "design_buffers")),
        part="buffers",
    ),
    _ask(
        "stalls analyse design",
        "Which device is the design for?",
        "device",
        lambda w: str(w.frame(_STALLS, "design_devices")["device"].iloc[0]),
    ),
    _ask(
        "stalls analyse predict",
        "How far is the model's computation from the measurement?",
        lambda d: next(t["residual"] for t in d["terms"] if t["term"] == "compute"),
        lambda w: next(
            t["residual"]
            for t in w.json("predict", _STALLS)["runs"][0]["terms"]
            if t["term"] == "compute"
        ),
    ),
]
MEMORY = [
    _ask(
        "log analyse groups",
        "How many layer groups does the compile have?",
        lambda d: len(d["groups"]),
        lambda w: w.frame("log", "attempts")["group"].nunique(),
    ),
    _ask(
        "log analyse groups",
        "Did a layer group fail for good?",
        lambda d: sum(group["failed_blocks"] > 0 for group in d["groups"]),
        lambda w: int((w.frame("log", "attempts").groupby("group")["failed"].last() > 0).sum()),
    ),
    _ask(
        "log analyse groups",
        "Which attempt is in the headline?",
        "headline.attempt",
        "peak: peaks.0.attempt",
    ),
    _ask(
        "log analyse why",
        "Why does block 0 of attempt 0 have no place?",
        "why.reason",
        "allocate --attempt 0 --why 0: why.reason",
        attempt=0,
        block=0,
    ),
    _ask(
        "log analyse peak",
        "What is the peak made of: how many bytes does placement waste?",
        "peaks.0.parts.placement",
        lambda w: w.attempt("log", 8, "extent") - w.attempt("log", 8, "live_peak"),
    ),
    _ask(
        "log analyse peak",
        "What would lower the peak of the log?",
        lambda d: (d["advice"][0]["kind"], d["advice"][0]["peak_after"]),
        lambda w: (
            "allocator",
            w.json("allocate", "log", "--strategy", "best_fit")["answers"][0]["extent"],
        ),
    ),
    _ask(
        "network analyse peak",
        "Which share of the peak of L1 is persistent?",
        "peaks.0.parts.persistent",
    ),
    _ask(
        "solution analyse peak",
        "Do the parts of the peak sum to it?",
        lambda d: sum(d["peaks"][0]["parts"].values()),
        lambda w: int(w.listed("solution")["peak_memory"]),
    ),
    _ask(
        "solution analyse peak",
        "Which bytes does the solution of the problem waste?",
        lambda d: sum(d["peaks"][0]["parts"][name] for name in ("placement", "alignment")),
        lambda w: w.attempt("solution", 0, "waste"),
    ),
    _ask(
        "module analyse peak",
        "How large are the temporaries of the module?",
        lambda d: next(p["peak"] for p in d["peaks"] if p["label"] == "preallocated-temp"),
        "memory: by_kind.preallocated_temp",
    ),
    _ask(
        "network analyse plan",
        "How many bytes do the operators move into L1?",
        "bytes_in",
        "plan --level L1: levels.0.bytes_in",
        level="L1",
    ),
    _ask(
        "network analyse plan",
        "In which L1 does the network fit with other tiles?",
        "least_capacity.any",
        "plan --level L1: levels.0.least_capacity.any",
        level="L1",
    ),
    _ask(
        "snapshot memory_peak",
        "How large is the peak of the snapshot?",
        "peak_bytes",
        lambda w: int(w.frame("snapshot", "device_memory")["peak_allocated"].max()),
    ),
    _ask(
        "snapshot memory_peak",
        "Which block of the peak is largest?",
        "blocks.0.name",
        lambda w: w.largest_alive("snapshot", 0),
    ),
    _ask(
        "snapshot memory_peak",
        "How much was requested when memory ran out?",
        "oom.0.asked",
        lambda w: int(w.frame("snapshot", "out_of_memory")["requested"].iloc[0]),
    ),
    _ask(
        "module memory_peak",
        "How many bytes does the module have in all?",
        "total_bytes",
        "memory: total_bytes",
    ),
    _ask(
        "network findings",
        "Are there warnings about the plan of the network?",
        lambda d: [finding["code"] for finding in d["findings"]],
        lambda w: w.codes("network", "warning"),
        severity="warning",
    ),
]
_STEP = "newer"
PROFILE = [
    _ask("newer analyse steps", "How long does a step take?", "step_ns"),
    _ask(
        "newer analyse steps",
        "How many steps count?",
        "series.0.counted",
        lambda w: sum(step["counted"] for step in w.json("steps", _STEP)["steps"]),
    ),
    _ask(
        "newer analyse steps",
        "How long does the first step take?",
        "series.0.first",
        "steps: steps.0.duration",
    ),
    _ask("newer analyse compile_time", "How long did the rewrites take in all?", "total"),
    _ask("newer analyse compile_time", "Which rewrite step took longest?", "steps.0.name"),
    _ask(
        "newer analyse compile_time", "In which line is the rule that took longest?", "rules.0.line"
    ),
    _ask(
        "newer hotspots",
        "Which kernel takes the most time?",
        "hotspots.0.what",
        lambda w: w.longest_kernel(_STEP),
    ),
    _ask(
        "newer query",
        "How many kernels ran?",
        "rows.0.0",
        lambda w: len(w.frame(_STEP, "kernels")),
        sql="SELECT count(*) FROM kernels",
        runs=[_STEP],
    ),
    _ask(
        "newer query",
        "How long did all kernels take together?",
        "rows.0.0",
        lambda w: _total(w.frame(_STEP, "kernels")),
        sql='SELECT sum("end" - "start") FROM kernels',
        runs=[_STEP],
    ),
    _ask(
        "older compare",
        "Is the newer tinygrad faster?",
        "verdict",
        lambda w: w.compare("older", _STEP)["verdict"],
        base=["older"],
        new=[_STEP],
    ),
    _ask(
        "torch analyse breakdown",
        "Which share of the counted steps is the GPU busy?",
        "devices.0.counted.busy",
    ),
    _ask("torch analyse breakdown", "How long are exposed copies?", "devices.0.copy_exposed"),
    _ask(
        "torch analyse idle",
        "Why does the device idle longest?",
        lambda d: max(d["gaps"], key=lambda gap: gap["duration"])["reason"],
        lambda w: max(
            w.json("idle", "torch")["devices"][0]["top"], key=lambda gap: gap["duration"]
        )["reason"],
    ),
    _ask(
        "torch analyse ops",
        "Which operator takes most of the device's time?",
        "ops.0.name",
        lambda w: max(w.json("ops", "torch")["ops"], key=lambda op: op["self_device"])["name"],
    ),
    _ask(
        "torch memory_peak",
        "How large is the peak of the training?",
        lambda d: max(device["peak_allocated"] for device in d["devices"]),
        lambda w: int(w.frame("torch", "device_memory")["peak_allocated"].max()),
    ),
    _ask("onnx analyse ops", "Which type of nodes takes longest?", "ops.0.name"),
    _ask("onnx analyse ops", "How many runs of the model were profiled?", "runs"),
]
TEAM = [
    _ask(
        "find_runs",
        "Which runs are there of tinygrad?",
        lambda d: {run["run_id"] for run in d["runs"]},
        lambda w: {w.id(_STEP), w.id("older")},
        source=["tinygrad"],
    ),
    _ask(
        "find_runs",
        "Which run of the GEMM is there?",
        lambda d: [run["run_id"] for run in d["runs"]],
        lambda w: [w.id(_GEMM)],
        M=[256],
        hwid=["npu2"],
    ),
    _ask(
        "status",
        "What regressed against the rule?",
        lambda d: [(row["run"]["run_id"], row["verdict"]) for row in d["rows"]],
        lambda w: [(row["run"]["run_id"], row["verdict"]) for row in w.json("status")["rows"]],
    ),
    _ask(
        "newer check",
        "Does the profile pass its baseline?",
        "verdict",
        lambda w: w.json("check", _STEP, "--baseline", BASELINE, "--format", "json")["verdict"],
        baseline=BASELINE,
    ),
    _ask(
        "trend",
        "How did the rate of the GEMM develop?",
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
