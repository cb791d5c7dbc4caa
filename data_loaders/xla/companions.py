"""Read the files beside a buffer assignment: live ranges, module text, uses, usage report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from data_loaders.protocol import LoadError
from data_loaders.reading.files import open_content
from data_loaders.xla.assignment import MAX_TEXT_BYTES, Assignment
from data_loaders.xla.live_range import LiveRanges, is_live_range, range_name, read_live_ranges
from data_loaders.xla.module_text import ModuleText, read_module
from data_loaders.xla.usage_report import is_usage_report, reported_total
from data_loaders.xla.uses import is_uses, read_uses
from schema.diagnostics import Diagnostic

COMPANION_ENDS = (
    "-live-range.txt",
    ".txt",
    "-buffer-assignment-values.txt",
    "-memory-usage-report.txt",
)
"""Suffixes of companions: live ranges, the module's text, uses of the values, usage report."""


def read_text(path: Path) -> str:
    """Read a plain or gzip file. Raises LoadError if it is larger than MAX_TEXT_BYTES."""
    with open_content(path) as stream:
        # One byte more shows that the file is too large without reading all of it.
        content = stream.read(MAX_TEXT_BYTES + 1)
    if len(content) > MAX_TEXT_BYTES:
        raise LoadError(f"{path.name}: is larger than {MAX_TEXT_BYTES} bytes")
    return content.decode("utf-8", "replace").replace("\r\n", "\n")


@dataclass
class Companions:
    """Content of the companions: live ranges, module text, value -> instructions that use it, and
    the total of the memory usage report in bytes.
    """

    ranges: LiveRanges | None = None
    module: ModuleText = field(default_factory=ModuleText)
    uses: Mapping[str, Sequence[str]] = field(default_factory=dict)
    total: int | None = None


def read_companions(
    companions: Sequence[Path], assignment: Assignment, findings: list[Diagnostic]
) -> Companions:
    """Read the companions by their content, and parts of the assignment's own text in place of
    those that are missing.

    A file that is unreadable or of another module is left out and reported in `findings`.
    """
    companion_data = Companions(total=assignment.total)
    if assignment.ranges:
        companion_data.ranges = read_live_ranges(assignment.ranges)
    if assignment.uses:
        companion_data.uses = read_uses(assignment.uses)
    for file in companions:
        try:
            text = read_text(file)
        except (LoadError, OSError) as error:
            message = f"{file.name} cannot be read and is ignored: {error}"
            findings.append(Diagnostic("warning", "companion_unreadable", message, file.name))
            continue
        if is_usage_report(text):
            # The total in the assignment itself comes first.
            if companion_data.total is None:
                companion_data.total = reported_total(text)
        elif is_uses(text):
            companion_data.uses = read_uses(text)
        # The text of a module has no mark of its own, so any other text is read as a module.
        elif not is_live_range(text):
            companion_data.module = read_module(text)
        elif _fits(ranges := read_live_ranges(text), assignment):
            companion_data.ranges = ranges
        else:
            message = f"{file.name} contains values of another module and is ignored"
            findings.append(Diagnostic("warning", "companion_foreign", message, file.name))
    return companion_data


def _fits(ranges: LiveRanges, assignment: Assignment) -> bool:
    """Whether most values with a live range are in the assignment, as in the same module.

    If the assignment is cut, a single common value suffices. False without live ranges.
    """
    names: set[str] = set()
    for allocation in assignment.allocations:
        names.update(range_name(value.name) for value in allocation.values)
    shared = sum(name in names for name in ranges.ranges)
    return bool(ranges.ranges) and (
        # Modules of one program share some names, so a few common names prove nothing.
        2 * shared > len(ranges.ranges) or (assignment.cut and shared > 0)
    )
