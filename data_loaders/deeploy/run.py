"""Loader of Deeploy runs: the memory map of a tiled network with its graph, code and log."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from data_loaders.deeploy.checks import matches_solution, skip_foreign_files
from data_loaders.deeploy.evidence import Evidence, gather
from data_loaders.deeploy.files import STATES, file_kind, run_bundle
from data_loaders.deeploy.frames import map_frames
from data_loaders.deeploy.levels import Levels, determine_levels
from data_loaders.deeploy.plot import is_page
from data_loaders.memory_settings import memory_settings
from data_loaders.minimalloc.run import DEEPLOY_TABLE
from data_loaders.protocol import Bundle, LoadedRun, LoadError, Settings
from schema.diagnostics import Diagnostic
from schema.plurals import plural
from schema.sources import source_of

_PARTS = re.compile(r"[/\\]")
_ALLOCATORS = re.compile(r"(?<![A-Za-z])(?:MiniMalloc|TetrisRandom|TetrisCo-Opt)(?![A-Za-z])")
"""Values of Deeploy's option --memAllocStrategy."""
_GENERIC = {"", ".", "..", STATES, "minimalloc_calls"}


class DeeployLoader:
    """Loader of the output of a Deeploy run: its folder, or any single file of it."""

    name = "deeploy"
    reads = (
        "Deeploy runs: memory_alloc.html with its graph, code and log, or any one of these files"
    )
    setting_names = source_of("deeploy").settings
    version = "6"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` for a file that Deeploy writes, else a reason for rejection.

        Such files are plots, graphs, generated code, logs, profiles and MiniMalloc tables with
        Deeploy's names.
        """
        kind = file_kind(head)
        if kind == "table":
            return (
                None
                if DEEPLOY_TABLE.fullmatch(path.name)
                else "a MiniMalloc table without the file name that Deeploy gives it"
            )
        if kind is not None:
            return None
        return (
            "an HTML page, but not Deeploy's memory_alloc.html"
            if is_page(head)
            else "not a file that Deeploy writes"
        )

    def bundle(self, path: Path) -> Bundle:
        """Return the bundle of the file's folder, from any of its files.

        The primary file is the plot, else an unsolved problem, the log or the code. A file that is
        not part of the run is a bundle without companions.
        """
        return run_bundle(path)

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load a run.

        Raises LoadError if the primary file cannot be read or there are no levels, blocks, steps or
        measured cycles.
        """
        options = memory_settings(settings)
        place = origin or str(path)
        evidence = gather(path, companions, _PARTS.split(place)[-1])
        capacity = options.get("capacity")
        size = int(capacity) if capacity is not None else None
        levels = determine_levels(evidence, size)
        findings = [*evidence.findings, *skip_foreign_files(evidence, levels)]
        # Files of another run are gone from the evidence, so the levels are determined again.
        levels = determine_levels(evidence, size)
        findings += _remarks(evidence, levels, options)
        measured = evidence.measured_frames()
        if not len(levels.levels):
            if measured:
                return LoadedRun(_metadata(evidence, options, place), measured, findings)
            raise LoadError(
                f"{_PARTS.split(place)[-1]}: has no memory levels, blocks or steps{_no_data_reason(evidence)}"
            )
        result = map_frames(
            levels, evidence, _strategy(evidence, levels, options, _run_name(place, evidence))
        )
        metadata = _metadata(evidence, options, place)
        return LoadedRun(metadata, result.frames | measured, [*findings, *result.findings])


def _no_data_reason(evidence: Evidence) -> str:
    """Explain why a run has no memory data, as the end of a sentence that begins with `, ` or `: `.

    Returns "" if no file gives a reason.
    """
    if evidence.log is not None and evidence.log.raised:
        return f", as the run ended with {evidence.log.raised!r}"
    return ": ingest it together with the other files of its run" if evidence.profile else ""


def _strategy(
    evidence: Evidence, levels: Levels, options: Mapping[str, str | int], name: str
) -> str:
    """Determine the name of the allocator from setting, log, MiniMalloc's solution or folder name.

    "" if unknown. MiniMalloc's last solution counts if its blocks are in the map. A folder name
    counts if it contains the name of an allocator.
    """
    strategy = options.get("strategy") or (evidence.log.strategy if evidence.log else None)
    if not strategy and evidence.plot is not None and evidence.solution is not None:
        strategy = "MiniMalloc" if matches_solution(levels, evidence.solution) else None
    in_name = _ALLOCATORS.search(name)
    return str(strategy or (in_name[0] if in_name else ""))


def _metadata(
    evidence: Evidence, options: Mapping[str, str | int], place: str
) -> dict[str, object]:
    log = evidence.log
    code = evidence.code
    hwid = (
        options.get("hwid") or (log.platform if log else None) or (code.platform if code else None)
    )
    metadata: dict[str, object] = {
        "name": options.get("name") or _run_name(place, evidence),
        "time_unit": "steps",
    }
    metadata |= {"hwid": hwid} if hwid else {}
    return metadata | ({"tags": options["tags"]} if options.get("tags") else {})


def _run_name(place: str, evidence: Evidence) -> str:
    """Name the run after the innermost folder in its path that is not a usual name such as
    `deeployStates`.

    Without such a folder, that of the path in the log counts, else the file's name without suffix.
    """
    *folders, file = _PARTS.split(place)
    written = _PARTS.split(evidence.log.folder) if evidence.log and evidence.log.folder else []
    named = [part for part in folders if part not in _GENERIC] or [
        part for part in written if part not in _GENERIC
    ]
    return named[-1] if named else Path(file.removesuffix(".gz")).stem


def _remarks(
    evidence: Evidence, levels: Levels, options: Mapping[str, str | int]
) -> list[Diagnostic]:
    """Report that a plot is missing and what the map shows instead, and that setting `capacity` is
    not used; empty otherwise.
    """
    findings = []
    if evidence.plot is None and evidence.primary != "table" and len(levels.levels):
        count = len(levels.blocks)
        blocks = (
            f"{plural(count, 'tensor')} of the graph, alive while its steps use them"
            if count
            else "no blocks"
        )
        text = f"no memory_alloc.html (Deeploy's --plotMemAlloc) in its folder: the run shows levels and steps, and {blocks}"
        findings.append(Diagnostic("info", "no_plot", text))
        if evidence.table is not None:
            text = "MiniMalloc's last tables cover only one step and are not shown: ingest them with --loader minimalloc"
            findings.append(Diagnostic("info", "tables_not_shown", text))
    if "capacity" in options and not (levels.levels["capacity"] == options["capacity"]).any():
        text = "the setting capacity is ignored: the sizes of the levels are known"
        findings.append(Diagnostic("info", "capacity_known", text))
    return findings
