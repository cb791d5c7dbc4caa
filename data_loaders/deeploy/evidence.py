"""Read all files of a Deeploy run, each once; unreadable companions are skipped with a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import pandas as pd

from data_loaders.deeploy.code import MAX_CODE_BYTES, Code, is_whole, read_code
from data_loaders.deeploy.files import file_kind, is_call, is_pickle
from data_loaders.deeploy.graph import MAX_GRAPH_BYTES, Graph, read_graph
from data_loaders.deeploy.log import MAX_LOG_BYTES, Log, log_findings, measured_findings, read_log
from data_loaders.deeploy.plot import MAX_PLOT_BYTES, Plot, read_plot
from data_loaders.minimalloc.table import MAX_TABLE_BYTES, MinimallocTable, read_table
from data_loaders.protocol import LoadError
from data_loaders.reading.files import HEAD_BYTES, content_name, open_content
from schema.diagnostics import Diagnostic
from schema.plurals import plural

_LIMITS = {
    "plot": MAX_PLOT_BYTES,
    "graph": MAX_GRAPH_BYTES,
    "code": MAX_CODE_BYTES,
    "header": MAX_CODE_BYTES,
}
"""Bytes that are read of a file, by kind."""
_LIMITS |= {"log": MAX_LOG_BYTES, "profile": MAX_LOG_BYTES, "table": MAX_TABLE_BYTES}


@dataclass
class Evidence:
    """Parsed files of a run; `primary` is the kind of the primary file."""

    primary: str
    plot: Plot | None = None
    graph: Graph | None = None
    code: Code | None = None
    log: Log | None = None
    profile: Log | None = None
    table: MinimallocTable | None = None
    solution: MinimallocTable | None = None
    findings: list[Diagnostic] = field(default_factory=list)

    def measured_frames(self) -> dict[str, pd.DataFrame]:
        """Map `tile_times` and `operator_counters` to the frame of the profile, or else of the log.

        A frame without rows is left out, so the dict may be empty.
        """
        printed = [log for log in (self.profile, self.log) if log is not None]
        times = next((log.tiles for log in printed if len(log.tiles)), None)
        counters = next((log.counters for log in printed if len(log.counters)), None)
        frames = {"tile_times": times, "operator_counters": counters}
        return {name: frame for name, frame in frames.items() if frame is not None}


def gather(path: Path, companions: Sequence[Path], file: str) -> Evidence:
    """Read the primary file and the companions of a run into the record of its parsed files.

    Raises LoadError if the primary file, called `file`, cannot be read; unreadable companions give
    findings. Pickles are not opened.
    """
    content, kind = _content(path)
    if kind is None:
        raise LoadError(
            f"{file}: not a memory map, generated code, graph, log or MiniMalloc table of Deeploy"
        )
    reader = _Reader(Evidence(kind))
    reader.take(kind, content, file)
    for other in sorted(companions, key=_preference):
        if not is_pickle(other) and not is_call(other):
            reader.take_companion(other)
    reader.finish(companions)
    return reader.evidence


def _preference(path: Path) -> tuple[bool, str]:
    """Sort key of companions: False if the name begins with `backend_post_parsing`, else True, then
    the name.

    So the graph in the schedule's order is read first.
    """
    return not content_name(path).startswith("backend_post_parsing"), path.name


def _content(path: Path) -> tuple[bytes, str | None]:
    """Return a file's uncompressed bytes and its kind, `None` if it is not a file of Deeploy.

    Reads one byte more than the limit of the kind, which shows that a file is larger; without a
    kind only the first 64 KiB.
    """
    with open_content(path) as stream:
        head = stream.read(HEAD_BYTES)
        kind = file_kind(head)
        return head + stream.read(max(0, _LIMITS.get(kind or "", 0) + 1 - len(head))), kind


class _Reader:
    """Reader of the files of a run; the first file of each kind is used."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._sources: dict[str, bytes] = {}
        self._tables: set[str] = set()

    def take_companion(self, path: Path) -> None:
        """Read a companion into the evidence.

        An unreadable companion gives a finding, a file of unknown kind is ignored.
        """
        try:
            content, kind = _content(path)
            if kind is not None:
                self.take(kind, content, path.name)
        except (LoadError, OSError) as error:
            text = f"{path.name} skipped: {str(error).removeprefix(f'{path.name}: ')}"
            self.evidence.findings.append(
                Diagnostic("warning", "companion_unreadable", text, path.name)
            )

    def take(self, kind: str, content: bytes, file: str) -> None:
        """Read a file of this kind into the evidence; raises LoadError if it cannot be read.

        Ignored if a file of the kind was read before.
        """
        evidence = self.evidence
        if kind == "plot" and evidence.plot is None:
            evidence.plot = read_plot(content, file)
            evidence.findings += evidence.plot.findings
        # Graphs of the middleware are earlier stages: their nodes are not the steps of the map.
        elif (
            kind == "graph"
            and evidence.graph is None
            and (file.startswith("backend_") or evidence.primary == "graph")
        ):
            evidence.graph = read_graph(content, file)
        elif kind == "log" and evidence.log is None:
            evidence.log = read_log(content)
            evidence.findings += log_findings(evidence.log, file)
        elif kind == "profile" and evidence.profile is None:
            evidence.profile = read_log(content)
            evidence.findings += measured_findings(evidence.profile, file)
        elif kind in {"code", "header"}:
            self._take_code(kind, content, file)
        elif kind == "table":
            self._take_table(content, file)

    def _take_code(self, kind: str, content: bytes, file: str) -> None:
        if kind not in self._sources and not is_whole(content):
            text = f"{file} is cut off: the part before the cut was read"
            self.evidence.findings.append(Diagnostic("warning", "file_cut", text, file))
        self._sources.setdefault(kind, content)

    def _take_table(self, content: bytes, file: str) -> None:
        table = read_table(BytesIO(content), file)
        self._tables.add(file.removesuffix(".gz"))
        if file.startswith("output_") and self.evidence.solution is None:
            self.evidence.solution = table
        if self.evidence.table is None:
            self.evidence.table = table
            self.evidence.findings += table.findings if self.evidence.primary == "table" else []

    def finish(self, companions: Sequence[Path]) -> None:
        """Parse the code from its one or two files into the evidence, after all files were taken.

        Adds findings about pickles, which are not opened, and about MiniMalloc problems without a
        solution.
        """
        if self._sources:
            # "code" sorts before "header": read_code expects Network.c first.
            self.evidence.code = read_code([self._sources[kind] for kind in sorted(self._sources)])
        pickles = sum(is_pickle(path) for path in companions)
        if pickles:
            text = f"{plural(pickles, 'pickle')} in the same folder not opened: opening a pickle runs the code in it"
            self.evidence.findings.append(
                Diagnostic("info", "pickles_left_closed", text, "", pickles)
            )
        unsolved = sum(
            name.startswith("input_") and f"output_{name[6:]}" not in self._tables
            for name in self._tables
        )
        if unsolved and self.evidence.plot is not None:
            text = (
                f"{plural(unsolved, 'MiniMalloc problem')} without a solution in "
                "the folder of the map: a later allocation failed"
            )
            self.evidence.findings.append(
                Diagnostic("warning", "problem_unsolved", text, "", unsolved)
            )
