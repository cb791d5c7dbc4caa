"""Analyses of captures of AIE arrays: limiters of the pace, and the best tile size."""

from __future__ import annotations

from app.context import AppContext
from app.mcp.lists import listed_result
from app.mcp.tool import AnalyseArguments, ToolResult, tool_errors
from components.tiling.advice_captions import advice_caption
from schema.choices import METHODS
from services.run.advice import advice_mapping, find_advice
from services.run.pace import find_pace, pace_mapping


def pace(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the limiters of a capture's pace, paged by its cores.

    Raises ToolError if the run has no complete measured iterations of an array of cores.
    """
    with tool_errors():
        result = find_pace(context.repository, run, METHODS[0], {})
    mapping = {"unit": "cycles"} | pace_mapping(result)
    sentence = mapping.pop("sentence")
    cores = {"tiles": mapping.pop("tiles")}
    return listed_result(sentence, f"/run/{run}#limiters", mapping, cores, arguments.cursor)


def advise(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the best tile size for the GEMM of a capture; measured, predicted and refused sizes are
    paged. Raises ToolError if the run has no GEMM on an array.
    """
    with tool_errors():
        advice = find_advice(context.repository, run)
    mapping = advice_mapping(advice)
    # The refused sizes are the longest list and come last, as they are the least of use.
    sizes = {name: mapping.pop(name) for name in ("measured", "predicted", "refused")}
    path = f"/run/{run}#sizes"
    return listed_result(advice_caption(advice), path, mapping, sizes, arguments.cursor)
