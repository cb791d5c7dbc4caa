"""Questions about captures and designs of arrays of cores."""

from tests.support.mcp_questions.question import ask

ARRAY = [
    ask("gemm analyse pace", "Which core sets the pace?", "limiters.0.where"),
    ask("gemm analyse pace", "Why does it set the pace?", "limiters.0.what"),
    ask(
        "gemm analyse pace",
        "Which rate would the array reach without its first limiter?",
        "limiters.0.gmacs_if_fixed",
    ),
    ask("gemm analyse pace", "Which rate without both limiters?", "limiters.1.cumulative_gmacs"),
    ask(
        "gemm analyse pace",
        "How many cores were timed?",
        lambda d: len(d["tiles"]),
        lambda w: w.frame("gemm", "kernels")["track"].nunique(),
    ),
    ask(
        "small analyse pace",
        "Which share of the time does the first limiter take?",
        "limiters.0.share",
    ),
    ask(
        "gemm describe_run",
        "What is the mean rate?",
        "run.gmacs_mean",
        lambda w: w.listed("gemm")["gmacs_mean"],
    ),
    ask(
        "gemm describe_run",
        "On which hardware did it run?",
        "run.hwid",
        lambda w: str(w.frame("gemm", "run")["hwid"].iloc[0]),
    ),
    ask(
        "gemm hotspots",
        "Which part of the cores' time is largest?",
        "hotspots.0.what",
        lambda w: w.largest_part("gemm"),
    ),
    ask(
        "gemm analyse advise",
        "Which tile size is best?",
        lambda d: [d["advice"][name] for name in "mkn"],
        lambda w: [w.json("advise", "gemm")["advice"][name] for name in "mkn"],
    ),
    ask(
        "gemm findings",
        "Does the capture have errors?",
        lambda d: len(d["findings"]),
        lambda w: int((w.frame("gemm", "diagnostics")["severity"] == "error").sum()),
        severity="error",
    ),
    ask(
        "small compare",
        "Is the smaller GEMM slower than the larger one?",
        "verdict",
        lambda w: w.compare("small", "gemm")["verdict"],
        base=["small"],
        new=["gemm"],
    ),
]
DESIGN = [
    ask(
        "stalls analyse design",
        "Which core stalls for memory?",
        "stalls.0.tile",
        "design: memory_stalls.0.tile",
    ),
    ask(
        "stalls analyse design",
        "For how many cycles?",
        "stalls.0.cycles",
        "design: memory_stalls.0.cycles",
    ),
    ask(
        "stalls analyse design",
        "In which bank are the conflicts?",
        "stalls.0.banks",
        "design: memory_stalls.0.banks",
    ),
    ask(
        "stalls analyse design",
        "Which buffer should move, and to which address?",
        lambda d: [(move["buffer"], move["address"]) for move in d["stalls"][0]["moves"]],
        lambda w: [
            (move["buffer"], move["address"])
            for move in w.json("design", "stalls")["memory_stalls"][0]["moves"]
        ],
    ),
    ask(
        "stalls analyse design",
        "Did the lab accept the move?",
        "stalls.0.moves_check.0.accepted",
        "design: memory_stalls.0.moves_check.0.accepted",
    ),
    ask(
        "stalls analyse design",
        "How long does core 3,0 wait for locks?",
        lambda d: next(s["cycles"] for s in d["stalls"] if s["kind"] == "lock"),
        "design: lock_stalls.0.cycles",
    ),
    ask(
        "stalls analyse design",
        "How many buffers does the design have?",
        lambda d: len(d["buffers"]),
        lambda w: len(w.frame("stalls", "design_buffers")),
        part="buffers",
    ),
    ask(
        "stalls analyse design",
        "Which device is the design for?",
        "device",
        lambda w: str(w.frame("stalls", "design_devices")["device"].iloc[0]),
    ),
    ask(
        "stalls analyse predict",
        "How far is the model's computation from the measurement?",
        lambda d: next(t["residual"] for t in d["terms"] if t["term"] == "compute"),
        lambda w: next(
            t["residual"]
            for t in w.json("predict", "stalls")["runs"][0]["terms"]
            if t["term"] == "compute"
        ),
    ),
]
