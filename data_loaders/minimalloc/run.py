"""Loader of MiniMalloc CSV files: buffers with lifetimes, sizes and, if solved, addresses.

Format: google/minimalloc; see `data_loaders.minimalloc.table`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from data_loaders.memory_banks import with_banks
from data_loaders.memory_settings import memory_settings
from data_loaders.minimalloc.problem import problem_tag
from data_loaders.minimalloc.table import MinimallocTable, has_header, read_table
from data_loaders.protocol import LoadedRun, Settings, SingleFileLoader
from data_loaders.reading.files import open_content
from data_loaders.reading.run_names import known_place, name_columns, with_name
from schema.diagnostics import Diagnostic
from schema.frames import complete
from schema.memory import MAX_BYTES
from schema.plurals import plural
from schema.sources import source_of

DEEPLOY_TABLE = re.compile(r"(?:input|output)_minimalloc_[0-9a-f]+\.csv(?:\.gz)?")
"""Names of the problem files that Deeploy writes for MiniMalloc."""

_CAPACITY = re.compile(
    r"(?:(?<![a-z])cap(?:acity)?[-_=]?([0-9]{1,40})(?![0-9a-z])|\.([0-9]{1,40})(?=\.|$))",
    re.IGNORECASE,
)
"""Capacity in a file's name: `cap919680`, `capacity=4096`, or a number behind a dot."""


class MinimallocLoader(SingleFileLoader):
    """Loader of MiniMalloc's CSV problems and solutions, with every header it accepts."""

    name = "minimalloc"
    reads = "MiniMalloc problems and solutions as CSV, with or without offsets"
    setting_names = source_of("minimalloc").settings
    version = "4"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` if the first line is a MiniMalloc header, else a reason for rejection.

        Tables with the names that Deeploy gives them are rejected: they belong to a Deeploy run.
        """
        if not has_header(head):
            return "its first line is not a MiniMalloc header (id, lower, upper, size)"
        if DEEPLOY_TABLE.fullmatch(path.name):
            return "a MiniMalloc problem of a Deeploy run"
        return None

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load a problem or a solution.

        Raises LoadError if no row can be read, a setting is invalid or the banks do not fit the
        capacity.
        """
        options = memory_settings(settings)
        file = re.split(r"[/\\]", origin or str(path))[-1]
        with open_content(path) as stream:
            table = read_table(stream, file)
        stem = file.removesuffix(".gz").removesuffix(".csv")
        capacity, capacity_findings = _capacity(options, stem, table)
        outcome = _outcome(table)
        attempts = {
            "attempt": [0],
            "outcome": [outcome],
            "strategy": [str(options.get("strategy", ""))],
        }
        attempts |= {"capacity": [capacity], "steps": [int(table.frame["end"].max())]}
        frames = {
            "attempts": complete("attempts", attempts),
            "allocations": _allocations(table.frame),
        }
        if "banks" in options:
            frames["attempts"] = with_banks(frames["attempts"], int(options["banks"]), file)
        findings = [*table.findings, *capacity_findings, *_offset_findings(table, outcome, file)]
        findings += _pool_findings(table, file)
        columns = name_columns(known_place(path, origin), stem)
        metadata = with_name(columns, _metadata(options, problem_tag(table.frame)))
        return LoadedRun(metadata, frames, findings)


def _metadata(options: Mapping[str, str | int], problem: str) -> dict[str, object]:
    given = {key: options[key] for key in ("hwid", "name") if options.get(key)}
    tags = f"{options.get('tags') or ''} {problem}".strip()
    return {"time_unit": "steps", "tags": tags, **given}


def _capacity(
    options: Mapping[str, str | int], stem: str, table: MinimallocTable
) -> tuple[int | None, list[Diagnostic]]:
    """Read the capacity in bytes from the settings or a file name such as `000-L2-cap919680`.

    `None` if it is in neither. A number in the name counts if every buffer fits into it; a finding
    reports that it counts, or why it does not.
    """
    if "capacity" in options:
        return int(options["capacity"]), []
    named = [int(first or second) for first, second in _CAPACITY.findall(stem)]
    largest = int(table.frame["size"].max())
    fit = [capacity for capacity in named if max(largest, 1) <= capacity < MAX_BYTES]
    if not fit:
        return None, _unread_findings(named, largest, stem)
    text = f"the capacity of {plural(fit[-1], 'byte')} comes from the file's name; override it with --set capacity=BYTES"
    return fit[-1], [Diagnostic("info", "capacity_from_name", text, stem)]


def _unread_findings(named: Sequence[int], largest: int, stem: str) -> list[Diagnostic]:
    """Report why the last number of a file's name is not its capacity; [] without a number."""
    if not named:
        return []
    number = named[-1]
    why = (
        f"a capacity is below {MAX_BYTES} bytes"
        if number >= MAX_BYTES
        else f"the largest buffer has {plural(largest, 'byte')}"
    )
    text = f"{number} in the file's name is not read as the capacity, since {why}; set it with --set capacity=BYTES"
    return [Diagnostic("info", "capacity_not_read", text, stem)]


def _outcome(table: MinimallocTable) -> str:
    return "solved" if table.fixed and table.frame["address"].notna().all() else "unsolved"


def _allocations(frame: pd.DataFrame) -> pd.DataFrame:
    """Build frame `allocations`, a row per row in the same order.

    All blocks are of attempt 0 and of kind `buffer`.
    """
    status = np.where(frame["address"].notna(), "placed", "unplaced")
    constant = {"attempt": 0, "block": np.arange(len(frame)), "kind": "buffer", "status": status}
    return complete("allocations", {name: frame[name] for name in frame.columns} | constant)


def _offset_findings(table: MinimallocTable, outcome: str, file: str) -> list[Diagnostic]:
    without = int(table.frame["address"].isna().sum())
    if not table.fixed or outcome == "solved":
        return []
    text = f"{plural(without, 'row')} of {len(table.frame)} without an offset: a problem in which all other buffers are fixed"
    return [Diagnostic("info", "offsets_partly", text, file, without)]


def _pool_findings(table: MinimallocTable, file: str) -> list[Diagnostic]:
    if not table.pool_offset:
        return []
    text = f"addresses are relative to the start of the pool, which is at {table.pool_offset}"
    return [Diagnostic("info", "pool_offset", text, file)]
