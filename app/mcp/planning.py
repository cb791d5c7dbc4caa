"""Analyses of memory maps: layer groups, blocks without a place, plans of a network, and peaks."""

from __future__ import annotations

from app.context import AppContext
from app.mcp.lists import listed_result
from app.mcp.tool import AnalyseArguments, ToolError, ToolResult, tool_errors
from app.run_records import peaks_record
from components.memory.group_words import groups_sentence
from components.tiling.network_words import network_caption
from schema.choices import METHODS
from services.lab.groups import list_groups
from services.lab.why import find_block_obstacles, obstacle_lines, why_mapping
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.group_failures import EFFORT
from services.run.plan import plan_mapping
from storage.errors import FrameNotFound


def _load_plan(context: AppContext, run: str, capability: Capability, lacks: str) -> RunData:
    """Return a run's data with the results of searches; raises ToolError if it lacks a capability."""
    data = context.data.with_saved(run, METHODS[0], {})
    if not data.can(capability):
        raise ToolError(f"run {run[:12]} has no {lacks}")
    return data


def groups(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the layer groups of a compiler's log, paged by group, with the results of the searches
    made so far. Raises ToolError if the run has no layer groups.
    """
    data = _load_plan(context, run, Capability.LAYER_GROUPS, "layer groups")
    memory = data.memory
    version = context.repository.version(data.run_id)
    # Searches take a minute: the page of the run starts them, and this tool has what they found.
    failures = context.lab.searches.groups.kept.read(version, EFFORT) or {}
    mapping = list_groups(memory, data.run_id, failures)
    final = bool(memory.attempts["final"].fillna(False).astype(bool).any())
    sentence = groups_sentence(memory.groups, memory.failure, final_known=final)
    lists = {"groups": mapping.pop("groups")}
    path = f"/run/{data.run_id}#groups"
    return listed_result(sentence, path, mapping, lists, arguments.cursor)


def why(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the obstacles that keep a block from a place.

    Raises ToolError if the arguments name no block or an unknown block or attempt, or the run has
    no memory map.
    """
    if arguments.block is None:
        raise ToolError("analyse needs the argument 'block' for the kind 'why'")
    data = _load_plan(context, run, Capability.MEMORY, "memory map")
    try:
        obstacles = find_block_obstacles(
            data.memory, data.run_id, arguments.attempt, arguments.block
        )
    except (ValueError, FrameNotFound) as error:
        raise ToolError(str(error)) from error
    first, *_ = obstacle_lines(obstacles)
    sentence = f"{first[0].upper()}{first[1:]}."
    path = f"/run/{data.run_id}?attempt={obstacles.attempt}&block={obstacles.block}#block"
    return ToolResult(sentence, path, lambda _items: why_mapping(obstacles))


def plan(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the bytes that each operator moves at a memory level, paged by operator.

    Raises ToolError if the arguments name no level, or no operator of the run is tiled there.
    """
    if arguments.level is None:
        raise ToolError("analyse needs the argument 'level' for the kind 'plan'")
    data = _load_plan(context, run, Capability.TILING, "operators that are cut into tiles")
    with tool_errors():
        mapping = plan_mapping(data, arguments.level, ())
    (level,) = mapping["levels"]
    shown = None if data.network is None else data.network.level(arguments.level)
    if shown is None:
        raise ToolError(f"run {data.run_id[:12]} has no operators that are tiled at this level")
    lists = {"operators": level.pop("operators")}
    path = f"/run/{data.run_id}#network"
    return listed_result(network_caption(shown), path, level, lists, arguments.cursor)


def peak(context: AppContext, run: str, arguments: AnalyseArguments) -> ToolResult:
    """Return the parts of the peaks of a memory map, paged by the advice that lowers them.

    Raises ToolError if the run has no memory map, no such attempt, or no bytes in use.
    """
    data = _load_plan(context, run, Capability.MEMORY, "memory map")
    with tool_errors():
        record = peaks_record(data, arguments.attempt)
    sentence = record.pop("sentence")
    peaks = record["peaks"]
    first = peaks[0]["attempt"]
    # The advice is a list of its own, whose entries name their peak, so that it can be cut.
    advice = [{"attempt": one["attempt"], **entry} for one in peaks for entry in one.pop("advice")]
    path = f"/run/{data.run_id}?attempt={first}&peak=advice#peak"
    return listed_result(sentence, path, record, {"advice": advice}, arguments.cursor)
