"""Analyses of the time of the steps of a training, and of the time of a compiler."""

from __future__ import annotations

from app.context import AppContext
from app.mcp.lists import listed_result
from app.mcp.tool import AnalyseArguments, ToolResult, tool_errors
from components.kernels.step_words import step_sentence
from components.program.compile_words import compile_sentence
from services.run.compile_time import compile_mapping, find_compile_time
from services.run.steps import find_step_times, steps_mapping


def steps(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the duration of each step of a training, paged by steps.

    Raises ToolError if the run is not a profile of kernels.
    """
    with tool_errors():
        times = find_step_times(context.repository, run, arguments.steps)
    sentence = step_sentence(times.series, len(times.steps))
    mapping = {"unit": "ns"} | steps_mapping(times)
    lists = {"steps": mapping.pop("steps")}
    return listed_result(sentence, f"/run/{run}#steps", mapping, lists, arguments.cursor)


def compile_time(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the time of a compiler by step, rule, context and range, paged in this order.

    Raises ToolError if the run has no rewrites of a compiler.
    """
    with tool_errors():
        times = find_compile_time(context.repository, run)
    mapping = {"unit": "ns"} | compile_mapping(times)
    sentence = compile_sentence(times)
    lists = {name: mapping.pop(name) for name in ("steps", "rules", "contexts", "ranges")}
    path = f"/run/{run}#compile-rules"
    return listed_result(sentence, path, mapping, lists, arguments.cursor)
