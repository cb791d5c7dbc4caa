"""The memory levels of a Deeploy run and the blocks in them, from the best of what there is.

That is the plot; else a problem that MiniMalloc was not able to solve; else the tensors of the graph, which live in
the home level from the step that writes them to the last that reads them, with the addresses that the code gives them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from data_loaders.deeploy.aliases import view_sources
from data_loaders.deeploy.evidence import Evidence
from data_loaders.deeploy.plot import Plot
from data_loaders.deeploy.residents import home_addresses, home_level, residents
from data_loaders.minimalloc.table import MinimallocTable

_LEVEL = {"level": "str", "capacity": "Int64", "static": "Int64", "reported": "Int64", "outcome": "str"}
_BLOCKS = ["attempt", "name", "address", "size", "start", "end", "constant", "alignment", "hint", "gaps"]
_SUCCESS, _FAILED, _UNFINISHED, _SOLVED, _UNSOLVED = "success", "failed", "unfinished", "solved", "unsolved"


@dataclass(frozen=True)
class Levels:
    """`levels`: level (null: not known), capacity, static, reported, outcome, in the order of the attempts.

    `blocks`: attempt, name, address (Int64, null: none), size, start, end, constant, alignment, hint, gaps.
    `steps` is null where nothing says how many there are.
    """

    levels: pd.DataFrame
    blocks: pd.DataFrame
    steps: int | None


def levels_of(evidence: Evidence, capacity: int | None) -> Levels:
    """Return the levels and their blocks; `capacity` is what the user says of a level whose size is not known."""
    if evidence.plot is not None:
        found = _of_plot(evidence.plot)
    elif evidence.table is not None and evidence.primary == "table":
        found = _of_table(evidence.table, evidence)
    else:
        found = _of_reports(evidence)
    reported = found.levels["level"].map(_reported_bytes(evidence)).astype("Int64")
    told = found.levels["capacity"].where(found.levels["capacity"] > 0)  # a damaged log may say 0
    size = told.fillna(pd.NA if capacity is None else capacity)
    return replace(found, levels=found.levels.assign(reported=reported, capacity=size))


def _reported_bytes(evidence: Evidence) -> dict[str, int]:
    """Return the bytes of each level's arena, as the log or else the code says."""
    arenas = dict(evidence.code.arenas) if evidence.code else {}
    usage = evidence.log.usage.dropna(subset="dynamic") if evidence.log else None
    return arenas | (dict(zip(usage["level"], usage["dynamic"].tolist(), strict=True)) if usage is not None else {})


def _levels(**columns: object) -> pd.DataFrame:
    return pd.DataFrame({"reported": None, **columns}, columns=list(_LEVEL)).astype(_LEVEL)


def _blocks(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the blocks of all attempts, with what they do not say filled in."""
    frame = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["name", "size", "start", "end"])
    blank = {"attempt": 0, "address": pd.NA, "constant": False, "alignment": pd.NA, "hint": pd.NA, "gaps": ""}
    frame = frame.assign(**{name: value for name, value in blank.items() if name not in frame})
    numbers = dict.fromkeys(("attempt", "size", "start", "end"), "int64")
    optional = dict.fromkeys(("address", "alignment", "hint"), "Int64")
    return frame[_BLOCKS].astype({"name": "str", "gaps": "str", "constant": "bool"} | numbers | optional)


def _of_plot(plot: Plot) -> Levels:
    columns = {name: [getattr(level, name) for level in plot.levels] for name in ("capacity", "static")}
    levels = _levels(level=[level.name for level in plot.levels], outcome=_SUCCESS, **columns)
    blocks = _blocks([level.blocks.assign(attempt=attempt) for attempt, level in enumerate(plot.levels)])
    return Levels(levels, blocks, max(level.steps for level in plot.levels))


def _of_table(table: MinimallocTable, evidence: Evidence) -> Levels:
    """Return the problem as the level that the log says did not fit."""
    level, capacity = (evidence.log.failed if evidence.log else None) or (None, None)
    solved = bool(table.frame["address"].notna().all())
    levels = _levels(level=[level], capacity=[capacity], outcome=_SOLVED if solved else _UNSOLVED)
    blocks = _blocks([table.frame])
    return Levels(levels, blocks, _steps_of(blocks, evidence))


def _steps_of(blocks: pd.DataFrame, evidence: Evidence) -> int:
    """Return the steps that graph or log say, where the blocks fit: an output lives one step beyond the last."""
    last = int(blocks["end"].max())
    said = [len(evidence.graph.steps) if evidence.graph else None, evidence.log.layers if evidence.log else None]
    return next((steps for steps in said if steps is not None and last <= steps + 1), last)


def _of_reports(evidence: Evidence) -> Levels:
    """Return the levels that log or code name, and the graph's tensors in the one that is their home."""
    levels, graph, code = _named_levels(evidence), evidence.graph, evidence.code
    if graph is None:
        said = [len(code.nodes)] if code else []
        said += [len(evidence.log.operations), evidence.log.layers or 0] if evidence.log else []
        steps = max(said, default=0) or None
        unfinished = steps is not None and levels.empty
        return Levels(_levels(level=[None], outcome=_UNFINISHED) if unfinished else levels, _blocks([]), steps)
    sources = view_sources(code, graph) or {}
    blocks = residents(graph, sources)
    home = home_level(blocks["name"], code) if code else None
    if code and home:
        blocks = blocks.assign(address=home_addresses(blocks["name"], code, home, sources))
    if not (levels["level"] == home).any():
        levels = pd.concat([levels, _levels(level=[home], outcome=_SUCCESS if home else _UNSOLVED)], ignore_index=True)
    number = levels.index[levels["level"].isna() if home is None else levels["level"] == home][0]
    return Levels(levels, _blocks([blocks.assign(attempt=number)]), len(graph.steps))


def _named_levels(evidence: Evidence) -> pd.DataFrame:
    """Return the levels of the memory usage report, else of the failure, else the arenas of the code."""
    if evidence.log is not None and len(evidence.log.usage):
        usage = evidence.log.usage
        return _levels(level=usage["level"], capacity=usage["capacity"], static=usage["static"], outcome=_SUCCESS)
    if evidence.log is not None and evidence.log.failed:
        level, capacity = evidence.log.failed
        return _levels(level=[level], capacity=[capacity], outcome=_FAILED)
    return _levels(level=sorted(evidence.code.arenas, reverse=True) if evidence.code else [], outcome=_SUCCESS)
