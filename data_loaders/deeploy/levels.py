"""Determine the memory levels of a Deeploy run and their blocks from the best available file.

That is the plot, else a problem that MiniMalloc could not solve, else the graph. Tensors of the
graph are placed in the home level, alive from the step that writes them to the last step that reads
them, at the addresses in the code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from data_loaders.deeploy.aliases import view_sources
from data_loaders.deeploy.evidence import Evidence
from data_loaders.deeploy.plot import Plot
from data_loaders.deeploy.residents import home_addresses, home_level, residents
from data_loaders.minimalloc.table import MinimallocTable

_LEVEL = {
    "level": "str",
    "capacity": "Int64",
    "static": "Int64",
    "reported": "Int64",
    "outcome": "str",
}
"""Columns of `Levels.levels` with their dtypes."""
_BLOCKS = [
    "attempt",
    "name",
    "address",
    "size",
    "start",
    "end",
    "constant",
    "alignment",
    "hint",
    "gaps",
]
_SUCCESS = "success"
_FAILED = "failed"
_UNFINISHED = "unfinished"
_SOLVED = "solved"
_UNSOLVED = "unsolved"


@dataclass(frozen=True)
class Levels:
    """Memory levels of a run and their blocks.

    `levels`: level (null if unknown), capacity, static, reported, outcome, in the order of the
    attempts. `blocks`: attempt, name, address (Int64, null if unplaced), size, start, end,
    constant, alignment, hint, gaps. `steps` is `None` if no file gives their number.
    """

    levels: pd.DataFrame
    blocks: pd.DataFrame
    steps: int | None


def determine_levels(evidence: Evidence, capacity: int | None) -> Levels:
    """Determine the levels and their blocks from the plot, else MiniMalloc's problem, else graph,
    log and code.

    `capacity` (bytes) is used for levels of unknown size, which otherwise stay null. Without
    evidence there are no levels.
    """
    if evidence.plot is not None:
        result = _plot_levels(evidence.plot)
    elif evidence.table is not None and evidence.primary == "table":
        result = _table_levels(evidence.table, evidence)
    else:
        result = _report_levels(evidence)
    reported = result.levels["level"].map(_reported_bytes(evidence)).astype("Int64")
    static = _static_bytes(result.levels, evidence)
    sizes = result.levels["capacity"].where(
        result.levels["capacity"] > 0
    )  # a damaged log may contain 0
    capacities = sizes.fillna(pd.NA if capacity is None else capacity)
    return replace(
        result, levels=result.levels.assign(reported=reported, static=static, capacity=capacities)
    )


def _reported_bytes(evidence: Evidence) -> dict[str, int]:
    """Map the name of each level to the dynamic bytes that the log reports for it, or else to the
    bytes of its arena in the code; a level with neither is missing.
    """
    arenas = dict(evidence.code.arenas) if evidence.code else {}
    usage = evidence.log.usage.dropna(subset="dynamic") if evidence.log else None
    return arenas | (
        dict(zip(usage["level"], usage["dynamic"].tolist(), strict=True))
        if usage is not None
        else {}
    )


def _static_bytes(levels: pd.DataFrame, evidence: Evidence) -> pd.Series:
    """Return the static bytes of each level (Int64) from log or map, the larger of both.

    Null if both are unknown. The log counts after code generation, so that it has tables of the
    generated code which the map lacks. The constants that the map draws are there in any case.
    """
    if evidence.log is None:
        return levels["static"]
    counted = evidence.log.usage.drop_duplicates("level").set_index("level")["static"]
    logged = levels["level"].map(counted).astype("Int64")
    return levels["static"].where(logged.isna() | (levels["static"] > logged).fillna(False), logged)


def _levels(**columns: object) -> pd.DataFrame:
    return pd.DataFrame({"reported": None, **columns}, columns=list(_LEVEL)).astype(_LEVEL)


def _blocks(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Join the blocks of all attempts into a frame with attempt, name, address, size, start, end,
    constant, alignment, hint and gaps.

    Missing columns get defaults: attempt 0, not constant, gaps "", address, alignment and hint
    null. Empty without parts.
    """
    frame = (
        pd.concat(parts, ignore_index=True)
        if parts
        else pd.DataFrame(columns=["name", "size", "start", "end"])
    )
    blank = {
        "attempt": 0,
        "address": pd.NA,
        "constant": False,
        "alignment": pd.NA,
        "hint": pd.NA,
        "gaps": "",
    }
    frame = frame.assign(**{name: value for name, value in blank.items() if name not in frame})
    numbers = dict.fromkeys(("attempt", "size", "start", "end"), "int64")
    optional = dict.fromkeys(("address", "alignment", "hint"), "Int64")
    return frame[_BLOCKS].astype(
        {"name": "str", "gaps": "str", "constant": "bool"} | numbers | optional
    )


def _plot_levels(plot: Plot) -> Levels:
    columns = {
        name: [getattr(level, name) for level in plot.levels] for name in ("capacity", "static")
    }
    levels = _levels(level=[level.name for level in plot.levels], outcome=_SUCCESS, **columns)
    blocks = _blocks(
        [level.blocks.assign(attempt=attempt) for attempt, level in enumerate(plot.levels)]
    )
    return Levels(levels, blocks, max(level.steps for level in plot.levels))


def _table_levels(table: MinimallocTable, evidence: Evidence) -> Levels:
    """Make one level of MiniMalloc's problem: the level that did not fit according to the log, null
    if unknown.
    """
    level, capacity = (evidence.log.failed if evidence.log else None) or (None, None)
    solved = bool(table.frame["address"].notna().all())
    levels = _levels(level=[level], capacity=[capacity], outcome=_SOLVED if solved else _UNSOLVED)
    blocks = _blocks([table.frame])
    return Levels(levels, blocks, _step_count(blocks, evidence))


def _step_count(blocks: pd.DataFrame, evidence: Evidence) -> int:
    """Return the number of steps in the graph, or else the log, if the last block ends at most one
    step behind them.

    Otherwise the end of the last block. An output of the network is alive until one step behind the
    last.
    """
    last = int(blocks["end"].max())
    counts = [
        len(evidence.graph.steps) if evidence.graph else None,
        evidence.log.layers if evidence.log else None,
    ]
    # An output ends one step behind the last, hence `steps + 1`.
    return next((steps for steps in counts if steps is not None and last <= steps + 1), last)


def _report_levels(evidence: Evidence) -> Levels:
    """Make levels that log or code name, and place the graph's tensors in their home level, the
    level of most addresses in the code.

    Without a graph there are no blocks; if only steps are known, a level without a name represents
    them.
    """
    levels = _named_levels(evidence)
    graph = evidence.graph
    code = evidence.code
    if graph is None:
        counts = [len(code.nodes)] if code else []
        counts += [len(evidence.log.operations), evidence.log.layers or 0] if evidence.log else []
        steps = max(counts, default=0) or None
        unfinished = steps is not None and levels.empty
        return Levels(
            _levels(level=[None], outcome=_UNFINISHED) if unfinished else levels, _blocks([]), steps
        )
    sources = view_sources(code, graph) or {}
    blocks = residents(graph, sources)
    home = home_level(blocks["name"], code) if code else None
    if code and home:
        blocks = blocks.assign(address=home_addresses(blocks["name"], code, home, sources))
    if not (levels["level"] == home).any():
        outcome = _SUCCESS if home else _UNSOLVED
        levels = pd.concat([levels, _levels(level=[home], outcome=outcome)], ignore_index=True)
    number = levels.index[levels["level"].isna() if home is None else levels["level"] == home][0]
    return Levels(levels, _blocks([blocks.assign(attempt=number)]), len(graph.steps))


def _named_levels(evidence: Evidence) -> pd.DataFrame:
    """List the levels in the log's usage report, else in its failure, else in the code's arenas.

    Columns level, capacity, static, reported (null) and outcome. Empty if there are none.
    """
    if evidence.log is not None and len(evidence.log.usage):
        usage = evidence.log.usage
        return _levels(
            level=usage["level"],
            capacity=usage["capacity"],
            static=usage["static"],
            outcome=_SUCCESS,
        )
    if evidence.log is not None and evidence.log.failed:
        level, capacity = evidence.log.failed
        return _levels(level=[level], capacity=[capacity], outcome=_FAILED)
    return _levels(
        level=sorted(evidence.code.arenas, reverse=True) if evidence.code else [], outcome=_SUCCESS
    )
