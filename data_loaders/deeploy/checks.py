"""Check that the files of a Deeploy run belong together, and skip files of another run."""

from __future__ import annotations

from data_loaders.deeploy.blocks import describe_blocks
from data_loaders.deeploy.evidence import Evidence
from data_loaders.deeploy.frames import step_names
from data_loaders.deeploy.levels import Levels
from data_loaders.deeploy.operands import addresses
from data_loaders.minimalloc.table import MinimallocTable
from schema.diagnostics import Diagnostic
from schema.plurals import plural


def skip_foreign_files(evidence: Evidence, levels: Levels) -> list[Diagnostic]:
    """Remove a log, graph or code of another run than the map from the evidence, in place.

    Returns a finding for each removed file, and for addresses that disagree. Empty without a map.
    """
    # When there is no map, files have nothing to be compared with.
    if evidence.primary not in {"plot", "table"}:
        return []
    return [
        *_check_log(evidence, levels),
        *_check_graph(evidence, levels),
        *_check_code(evidence, levels),
    ]


def _check_log(evidence: Evidence, levels: Levels) -> list[Diagnostic]:
    """Set the evidence's log to `None` if it reports another capacity of a level than the map.

    Returns a list with the warning, empty if the log stays or there is no log or map.
    """
    if evidence.log is None or evidence.plot is None:
        return []
    both = levels.levels.merge(evidence.log.usage, on="level", suffixes=("", "_logged"))
    other = both[(both["capacity"] != both["capacity_logged"]).fillna(False)]
    if other.empty:
        return []
    evidence.log = None
    level, capacity = other.iloc[0][["level", "capacity_logged"]]
    text = (
        f"the log is skipped: it gives level {level} {plural(capacity, 'byte')} but the "
        "map gives it another size, so the log is from another run"
    )
    return [Diagnostic("warning", "log_foreign", text)]


def _check_graph(evidence: Evidence, levels: Levels) -> list[Diagnostic]:
    """Set the evidence's graph to `None` if it has other steps or tensors than the map.

    The number of steps must be equal, and at least one tensor of the graph must be a block. Returns
    a list with the warning, empty if the graph stays.
    """
    graph = evidence.graph
    blocks = levels.blocks
    if graph is None:
        return []
    steps = len(graph.steps)
    fits = levels.steps == steps and (
        blocks["name"].isin(graph.tensors.index).any() or blocks.empty
    )
    if fits:
        return []
    evidence.graph = None
    text = f"the graph is skipped: it has {plural(steps, 'step')} and tensors that differ from those of the map"
    return [Diagnostic("warning", "graph_foreign", text)]


def _check_code(evidence: Evidence, levels: Levels) -> list[Diagnostic]:
    """Compare the addresses in the code with the map.

    Set the evidence's code to `None` if more than half of them differ. Returns a list with a
    warning that counts differing addresses, empty if all agree or there is no code or map.
    """
    if evidence.code is None or evidence.plot is None:
        return []
    expected, missing = addresses(
        describe_blocks(levels), evidence.code, step_names(evidence, levels.steps)["name"]
    )
    if not missing:
        return []
    if 2 * missing > expected:
        evidence.code = None
        text = f"the code is skipped: the map lacks {missing} of its {plural(expected, 'address')}, so it is from another run"
        return [Diagnostic("warning", "code_foreign", text, "", missing)]
    text = f"{missing} of {plural(expected, 'address')} in the code are not in the map"
    return [Diagnostic("warning", "addresses_disagree", text, "", missing)]


def matches_solution(levels: Levels, solution: MinimallocTable) -> bool:
    """Whether all rows of MiniMalloc's last solution have an address and are blocks of the map,
    equal in name, start, end, size and address.
    """
    keys = ["name", "start", "end", "size", "address"]
    matches = solution.frame[keys].merge(levels.blocks[keys].drop_duplicates(), on=keys)
    return bool(solution.frame["address"].notna().all()) and len(matches) == len(solution.frame)
