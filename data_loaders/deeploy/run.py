"""Deeploy runs: the memory map of a tiled network, with the graph, the code and the log that lie beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from data_loaders.deeploy.checks import is_solution_of, skip_foreign_files
from data_loaders.deeploy.evidence import Evidence, gather
from data_loaders.deeploy.files import STATES, kind_of, run_bundle
from data_loaders.deeploy.frames import map_frames
from data_loaders.deeploy.levels import Levels, levels_of
from data_loaders.deeploy.plot import is_page
from data_loaders.memory_settings import memory_settings
from data_loaders.minimalloc.run import OF_DEEPLOY
from data_loaders.protocol import Bundle, LoadedRun, LoadError, Settings
from schema.diagnostics import Diagnostic
from schema.plurals import plural
from schema.sources import source_of

_PARTS = re.compile(r"[/\\]")
_ALLOCATORS = re.compile(r"(?<![A-Za-z])(?:MiniMalloc|TetrisRandom|TetrisCo-Opt)(?![A-Za-z])")
"""What Deeploy's option --memAllocStrategy can be."""
_GENERIC = {"", ".", "..", STATES, "minimalloc_calls"}


class DeeployLoader:
    """Reads the output of a Deeploy run: its folder, or any file of it alone."""

    name = "deeploy"
    reads = "Deeploy runs: memory_alloc.html with its graph, code and log, or any of these alone"
    setting_names = source_of("deeploy").settings
    version = "5"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return None for a plot, a graph, generated code or a log of Deeploy, and for its MiniMalloc tables."""
        kind = kind_of(head)
        if kind == "table":
            return None if OF_DEEPLOY.fullmatch(path.name) else "a MiniMalloc table that is not named as Deeploy does"
        if kind is not None:
            return None
        return "an HTML page, but not Deeploy's memory_alloc.html" if is_page(head) else "nothing that Deeploy writes"

    def bundle(self, path: Path) -> Bundle:
        """Return the run of the file's folder: its plot names it, else the problem it failed on, else log or code."""
        return run_bundle(path)

    def load(
        self, path: Path, settings: Settings, origin: str | None = None, companions: Sequence[Path] = ()
    ) -> LoadedRun:
        """Read a run; raises LoadError where the primary file cannot be read."""
        known = memory_settings(settings)
        place = origin or str(path)
        evidence = gather(path, companions, _PARTS.split(place)[-1])
        capacity = known.get("capacity")
        said = int(capacity) if capacity is not None else None
        levels = levels_of(evidence, said)
        findings = [*evidence.findings, *skip_foreign_files(evidence, levels)]
        levels = levels_of(evidence, said)
        findings += _remarks(evidence, levels, known)
        tiles = {} if evidence.measured is None else {"tile_times": evidence.measured.tiles}
        if not len(levels.levels):
            if tiles:
                return LoadedRun(_metadata(evidence, known, place), tiles, findings)
            raise LoadError(f"{_PARTS.split(place)[-1]}: has no memory levels, blocks or steps{_why(evidence)}")
        made = map_frames(levels, evidence, _strategy(evidence, levels, known, _run_name(place, evidence)))
        return LoadedRun(_metadata(evidence, known, place), made.frames | tiles, [*findings, *made.findings])


def _why(evidence: Evidence) -> str:
    """Return why nothing is known of a run's memory, as the end of a sentence; empty where nothing says so."""
    if evidence.log is not None and evidence.log.raised:
        return f", as the run ended with {evidence.log.raised!r}"
    return ": ingest it together with the other files of its run" if evidence.profile else ""


def _strategy(evidence: Evidence, levels: Levels, known: Mapping[str, str | int], name: str) -> str:
    """Return the allocator: as the user says, else the log, else MiniMalloc where its last solution is in the map.

    At last one of Deeploy's own that the folder of the run is named after.
    """
    said = known.get("strategy") or (evidence.log.strategy if evidence.log else None)
    if not said and evidence.plot is not None and evidence.solution is not None:
        said = "MiniMalloc" if is_solution_of(levels, evidence.solution) else None
    in_name = _ALLOCATORS.search(name)
    return str(said or (in_name[0] if in_name else ""))


def _metadata(evidence: Evidence, known: Mapping[str, str | int], place: str) -> dict[str, object]:
    log, code = evidence.log, evidence.code
    hwid = known.get("hwid") or (log.platform if log else None) or (code.platform if code else None)
    metadata: dict[str, object] = {"name": known.get("name") or _run_name(place, evidence), "time_unit": "steps"}
    metadata |= {"hwid": hwid} if hwid else {}
    return metadata | ({"tags": known["tags"]} if known.get("tags") else {})


def _run_name(place: str, evidence: Evidence) -> str:
    """Return what people would call the run: its dump folder's name as the path or the log has it, else the file's."""
    *folders, file = _PARTS.split(place)
    written = _PARTS.split(evidence.log.folder) if evidence.log and evidence.log.folder else []
    named = [part for part in folders if part not in _GENERIC] or [part for part in written if part not in _GENERIC]
    return named[-1] if named else Path(file.removesuffix(".gz")).stem


def _remarks(evidence: Evidence, levels: Levels, known: Mapping[str, str | int]) -> list[Diagnostic]:
    """Return what the user should know of where the map comes from."""
    findings = []
    if evidence.plot is None and evidence.primary != "table":
        count = len(levels.blocks)
        blocks = f"{plural(count, 'tensor')} of the graph, alive as its steps use them" if count else "no blocks"
        text = f"no memory_alloc.html (Deeploy's --plotMemAlloc) beside it: shown are levels and steps, and {blocks}"
        findings.append(Diagnostic("info", "no_plot", text))
        if evidence.table is not None:
            text = (
                "MiniMalloc's last tables cover one step only and are not shown: ingest them with --loader minimalloc"
            )
            findings.append(Diagnostic("info", "tables_not_shown", text))
    if "capacity" in known and not (levels.levels["capacity"] == known["capacity"]).any():
        text = "the setting capacity is not used: the levels' sizes are known"
        findings.append(Diagnostic("info", "capacity_known", text))
    return findings
