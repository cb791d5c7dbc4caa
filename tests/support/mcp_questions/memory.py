"""Questions about memory maps, plans and snapshots."""

from tests.support.mcp_questions.question import ask

MEMORY = [
    ask(
        "log analyse groups",
        "How many layer groups does the compile have?",
        lambda d: len(d["groups"]),
        lambda w: w.frame("log", "attempts")["group"].nunique(),
    ),
    ask(
        "log analyse groups",
        "Did a layer group fail for good?",
        lambda d: sum(group["failed_blocks"] > 0 for group in d["groups"]),
        lambda w: int((w.frame("log", "attempts").groupby("group")["failed"].last() > 0).sum()),
    ),
    ask(
        "log analyse groups",
        "Which attempt is in the headline?",
        "headline.attempt",
        "peak: peaks.0.attempt",
    ),
    ask(
        "log analyse why",
        "Why does block 0 of attempt 0 have no place?",
        "why.reason",
        "allocate --attempt 0 --why 0: why.reason",
        attempt=0,
        block=0,
    ),
    ask(
        "log analyse peak",
        "What is the peak made of: how many bytes does placement waste?",
        "peaks.0.parts.placement",
        lambda w: w.attempt("log", 8, "extent") - w.attempt("log", 8, "live_peak"),
    ),
    ask(
        "log analyse peak",
        "What would lower the peak of the log?",
        lambda d: (d["advice"][0]["kind"], d["advice"][0]["peak_after"]),
        lambda w: (
            "allocator",
            w.json("allocate", "log", "--strategy", "best_fit")["answers"][0]["extent"],
        ),
    ),
    ask(
        "network analyse peak",
        "Which share of the peak of L1 is persistent?",
        "peaks.0.parts.persistent",
    ),
    ask(
        "solution analyse peak",
        "Do the parts of the peak sum to it?",
        lambda d: sum(d["peaks"][0]["parts"].values()),
        lambda w: int(w.listed("solution")["peak_memory"]),
    ),
    ask(
        "solution analyse peak",
        "Which bytes does the solution of the problem waste?",
        lambda d: sum(d["peaks"][0]["parts"][name] for name in ("placement", "alignment")),
        lambda w: w.attempt("solution", 0, "waste"),
    ),
    ask(
        "module analyse peak",
        "How large are the temporaries of the module?",
        lambda d: next(p["peak"] for p in d["peaks"] if p["label"] == "preallocated-temp"),
        "memory: by_kind.preallocated_temp",
    ),
    ask(
        "network analyse plan",
        "How many bytes do the operators move into L1?",
        "bytes_in",
        "plan --level L1: levels.0.bytes_in",
        level="L1",
    ),
    ask(
        "network analyse plan",
        "In which L1 does the network fit with other tiles?",
        "least_capacity.any",
        "plan --level L1: levels.0.least_capacity.any",
        level="L1",
    ),
    ask(
        "snapshot memory_peak",
        "How large is the peak of the snapshot?",
        "peak_bytes",
        lambda w: int(w.frame("snapshot", "device_memory")["peak_allocated"].max()),
    ),
    ask(
        "snapshot memory_peak",
        "Which block of the peak is largest?",
        "blocks.0.name",
        lambda w: w.largest_alive("snapshot", 0),
    ),
    ask(
        "snapshot memory_peak",
        "How much was requested when memory ran out?",
        "oom.0.asked",
        lambda w: int(w.frame("snapshot", "out_of_memory")["requested"].iloc[0]),
    ),
    ask(
        "module memory_peak",
        "How many bytes does the module have in all?",
        "total_bytes",
        "memory: total_bytes",
    ),
    ask(
        "network findings",
        "Are there warnings about the plan of the network?",
        lambda d: [finding["code"] for finding in d["findings"]],
        lambda w: w.codes("network", "warning"),
        severity="warning",
    ),
]
