"""Tool `analyse`: the records that the commands about a single run print with `--json`.

All kinds of analysis are a single tool, because assistants read the descriptions of all tools in
every session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

from app.context import AppContext
from app.mcp import captures, designs, devices, planning, ranks, times
from app.mcp.tool import AnalyseArguments, Run, Tool, ToolResult

_ANALYSES: Mapping[str, Callable[[AppContext, str, AnalyseArguments], ToolResult]] = (
    MappingProxyType(
        {
            "breakdown": devices.device_time,
            "idle": devices.device_idle,
            "ops": devices.operators,
            "ranks": ranks.ranks,
            "pace": captures.pace,
            "advise": captures.advise,
            "design": designs.design,
            "predict": designs.predict,
            "steps": times.steps,
            "compile_time": times.compile_time,
            "groups": planning.groups,
            "why": planning.why,
            "plan": planning.plan,
            "peak": planning.peak,
        }
    )
)
"""Kind of analysis -> its function, which receives the full id of the run."""


class Analyse(AnalyseArguments):
    """Arguments of the tool `analyse`."""

    run: Run
    kind: Literal[
        "breakdown",
        "idle",
        "ops",
        "ranks",
        "pace",
        "advise",
        "design",
        "predict",
        "steps",
        "compile_time",
        "groups",
        "why",
        "plan",
        "peak",
    ]


def _analyse(context: AppContext, arguments: Analyse) -> ToolResult:
    run = context.repository.resolve(arguments.run)
    return _ANALYSES[arguments.kind](context, run, arguments)


ANALYSE = Tool(
    "analyse",
    "Analyse a run. Of a profile, breakdown: time of devices; idle: why they idle; ops: operators; "
    "ranks: of a job; steps: of a training; compile_time. Of an array, pace: what limits it; "
    "advise: tile size of a GEMM; design: what explains its stalls; predict: beside measured "
    "cycles. Of memory, groups: why layer groups failed; why: a block has no "
    "place; plan: of a network; peak: its parts, what lowers it.",
    Analyse,
    _analyse,
)
