"""Write the files of a Deeploy run: plot, graph, code and log."""

from __future__ import annotations

from pathlib import Path

from samples.deeploy_code import code, header
from samples.deeploy_network import CAPACITY, CONSTANTS, HOME, NETWORK
from samples.deeploy_page import page
from samples.deeploy_plan import PlannedBuffer, Strategy, arena, plan
from samples.deeploy_profile import tile_profile

TOOL = "Deeploy"
_SAYS = f"[{TOOL}]"
_RULE = f"{_SAYS} {'=' * 80}"
GRAPH = Path("deeployStates", "backend_post_parsing.onnx")
"""Path of the graph's file in the folder of a run."""


def write_run(folder: Path, graph: bytes, strategy: Strategy = "MiniMalloc") -> Path:
    """Write the files of a run into its folder.

    Return the path of the plot, the run's main file.
    """
    blocks = plan(strategy)
    states = folder / "deeployStates"
    states.mkdir(parents=True, exist_ok=True)
    for name, text in {
        "Network.c": code(blocks),
        "Network.h": header(blocks),
        "run.log": log(blocks, folder.name, strategy),
    }.items():
        (folder / name).write_text(text, "utf-8", newline="")
    (states / "memory_alloc.html").write_text(page(blocks, TOOL), "utf-8", newline="")
    (folder / GRAPH).write_bytes(graph)
    return states / "memory_alloc.html"


def log(blocks: dict[str, list[PlannedBuffer]], run: str, strategy: Strategy) -> str:
    """Return the text of run.log, as the tool prints it with -v."""
    lines = [
        f"python testMVP.py -t Tests/gull -p Siracusa --defaultMemLevel={HOME} --l1={CAPACITY['L1']} -v"
        f" --memAllocStrategy={strategy} --plotMemAlloc",
        *(_RULE, f"{_SAYS} {TOOL} FrontEnd", _RULE),
        f"{_SAYS}  ✔ Parsed network with {len(NETWORK)} layers after 1 iterations in 8.073 ms",
        *(_RULE, f"{_SAYS} {TOOL} MidEnd", _RULE),
        f"{_SAYS}  ✔ Memory allocation successful!",
        f"{_SAYS}  > Export Memory Allocation Visualization to out/{run}/deeployStates",
    ]
    for node in NETWORK:
        lines += [
            f"{_SAYS} Layer '{node.name}'",
            f"{_SAYS}   Number of Operations        : {node.operations}",
        ]
    lines += [f"{_SAYS} ", f"{_SAYS} Memory Usage Report:"]
    lines += [
        f"{_SAYS}   Level          Capacity (bytes)      Total (    Static + Dynamic   ) (Usage )"
    ]
    lines += [_usage(level, arena(own)) for level, own in blocks.items()]
    return "\n".join([*lines, *tile_profile(), ""])


def _usage(level: str, dynamic: int) -> str:
    static = sum(constant.size for constant in CONSTANTS) if level == HOME else 0
    total = static + dynamic
    capacity = CAPACITY[level]
    parts = f"{total:>10,} ({static:>10,} + {dynamic:>10,}) ({100 * total / capacity:5.1f}%)"
    return f"{_SAYS}   {level:<10}{capacity:>22,} {parts}"
