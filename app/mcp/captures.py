"""Analyses of captures of AIE arrays: what sets the pace, and the best tile size."""

from __future__ import annotations

from app.context import AppContext
from app.mcp.lists import listed_result
from app.mcp.tool import AnalyseArguments, ToolError, ToolResult
from components.tiling.advice_captions import advice_caption
from schema.choices import METHODS
from services.run.advice import advice_mapping, find_advice
from services.run.pace import find_pace, pace_mapping


def pace(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return what sets the pace of a capture, paged by its cores."""
    try:
        result = find_pace(context.repository, run, METHODS[0], {})
    except ValueError as error:
        raise ToolError(str(error)) from error
    mapping = {"unit": "cycles"} | pace_mapping(result)
    sentence = mapping.pop("sentence")
    cores = {"tiles": mapping.pop("tiles")}
    return listed_result(sentence, f"/run/{run}#limiters", mapping, cores, arguments.cursor)


def advise(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the best tile size of a capture, paged by the refused sizes."""
    try:
        advice = find_advice(context.repository, run)
    except ValueError as error:
        raise ToolError(str(error)) from error
    mapping = advice_mapping(advice)
    # The refused sizes are the longest list and come last, as they are the least of use.
    sizes = {name: mapping.pop(name) for name in ("measured", "predicted", "refused")}
    path = f"/run/{run}#sizes"
    return listed_result(advice_caption(advice), path, mapping, sizes, arguments.cursor)
