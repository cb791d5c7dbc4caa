"""Analyses of the time of a training's steps, and of a compiler."""

from __future__ import annotations

from app.context import AppContext
from app.mcp.lists import listed_result
from app.mcp.tool import AnalyseArguments, ToolError, ToolResult
from components.kernels.step_words import step_sentence
from components.program.compile_words import compile_sentence
from services.program.compile_time import compile_mapping, find_compile_time
from services.run.steps import find_step_times, steps_mapping


def steps(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return how long each step of a training takes, paged by its steps."""
    try:
        times = find_step_times(context.repository, run, arguments.steps)
    except ValueError as error:
        raise ToolError(str(error)) from error
    sentence = step_sentence(times.series, len(times.steps))
    mapping = {"unit": "ns"} | steps_mapping(times)
    lists = {"steps": mapping.pop("steps")}
    return listed_result(sentence, f"/run/{run}#steps", mapping, lists, arguments.cursor)


def compile_time(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return where a compiler's time went, paged by steps, rules, contexts and ranges."""
    try:
        times = find_compile_time(context.repository, run)
    except ValueError as error:
        raise ToolError(str(error)) from error
    mapping = {"unit": "ns"} | compile_mapping(times)
    sentence = compile_sentence(times)
    lists = {name: mapping.pop(name) for name in ("steps", "rules", "contexts", "ranges")}
    path = f"/run/{run}#compile-rules"
    return listed_result(sentence, path, mapping, lists, arguments.cursor)
