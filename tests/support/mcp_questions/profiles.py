"""Questions about profiles, and about runs of several kinds: lists, status, gate, trend."""

from tests.support.mcp_questions.question import BASELINE, ask


def _total(frame):
    return int((frame["end"] - frame["start"]).sum())


PROFILE = [
    ask("newer analyse steps", "How long does a step take?", "step_ns"),
    ask(
        "newer analyse steps",
        "How many steps count?",
        "series.0.counted",
        lambda w: sum(step["counted"] for step in w.json("steps", "newer")["steps"]),
    ),
    ask(
        "newer analyse steps",
        "How long does the first step take?",
        "series.0.first",
        "steps: steps.0.duration",
    ),
    ask("newer analyse compile_time", "How long did the rewrites take in all?", "total"),
    ask("newer analyse compile_time", "Which rewrite step took longest?", "steps.0.name"),
    ask(
        "newer analyse compile_time", "In which line is the rule that took longest?", "rules.0.line"
    ),
    ask(
        "newer hotspots",
        "Which kernel takes the most time?",
        "hotspots.0.what",
        lambda w: w.longest_kernel("newer"),
    ),
    ask(
        "newer query",
        "How many kernels ran?",
        "rows.0.0",
        lambda w: len(w.frame("newer", "kernels")),
        sql="SELECT count(*) FROM kernels",
        runs=["newer"],
    ),
    ask(
        "newer query",
        "How long did all kernels take together?",
        "rows.0.0",
        lambda w: _total(w.frame("newer", "kernels")),
        sql='SELECT sum("end" - "start") FROM kernels',
        runs=["newer"],
    ),
    ask(
        "older compare",
        "Is the newer tinygrad faster?",
        "verdict",
        lambda w: w.compare("older", "newer")["verdict"],
        base=["older"],
        new=["newer"],
    ),
    ask(
        "torch analyse breakdown",
        "Which share of the counted steps is the GPU busy?",
        "devices.0.counted.busy",
    ),
    ask("torch analyse breakdown", "How long are exposed copies?", "devices.0.copy_exposed"),
    ask(
        "torch analyse idle",
        "Why does the device idle longest?",
        lambda d: max(d["gaps"], key=lambda gap: gap["duration"])["reason"],
        lambda w: max(
            w.json("idle", "torch")["devices"][0]["top"], key=lambda gap: gap["duration"]
        )["reason"],
    ),
    ask(
        "torch analyse ops",
        "Which operator takes most of the device's time?",
        "ops.0.name",
        lambda w: max(w.json("ops", "torch")["ops"], key=lambda op: op["self_device"])["name"],
    ),
    ask(
        "torch memory_peak",
        "How large is the peak of the training?",
        lambda d: max(device["peak_allocated"] for device in d["devices"]),
        lambda w: int(w.frame("torch", "device_memory")["peak_allocated"].max()),
    ),
    ask("onnx analyse ops", "Which type of nodes takes longest?", "ops.0.name"),
    ask("onnx analyse ops", "How many runs of the model were profiled?", "runs"),
]
TEAM = [
    ask(
        "find_runs",
        "Which runs are there of tinygrad?",
        lambda d: {run["run_id"] for run in d["runs"]},
        lambda w: {w.id("newer"), w.id("older")},
        source=["tinygrad"],
    ),
    ask(
        "find_runs",
        "Which run of the GEMM is there?",
        lambda d: [run["run_id"] for run in d["runs"]],
        lambda w: [w.id("gemm")],
        M=[256],
        hwid=["npu2"],
    ),
    ask(
        "status",
        "What regressed against the rule?",
        lambda d: [(row["run"]["run_id"], row["verdict"]) for row in d["rows"]],
        lambda w: [(row["run"]["run_id"], row["verdict"]) for row in w.json("status")["rows"]],
    ),
    ask(
        "newer check",
        "Does the profile pass its baseline?",
        "verdict",
        lambda w: w.json("check", "newer", "--baseline", BASELINE, "--format", "json")["verdict"],
        baseline=BASELINE,
    ),
    ask(
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
