"""Loader for XLA dumps: buffer assignments of modules, with live ranges and uses.

`XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_text"` writes
`module_NNNN.NAME.STAGE-buffer-assignment.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_loaders.memory_settings import memory_settings
from data_loaders.protocol import Bundle, LoadedRun, LoadError, Settings
from data_loaders.reading.files import content_name, open_content
from data_loaders.xla.assignment import (
    LEVELS,
    MAX_TEXT_BYTES,
    Allocation,
    Assignment,
    read_assignment,
)
from data_loaders.xla.live_range import LiveRanges, is_live_range, range_name, read_live_ranges
from data_loaders.xla.module_text import ModuleText, read_module
from data_loaders.xla.sharing import Placed, first_sharers
from data_loaders.xla.uses import is_uses, read_uses, repeated_names, uses_frame
from schema.diagnostics import Diagnostic, occurrences
from schema.frames import complete
from schema.plurals import plural
from schema.sources import source_of

_HEAD = b"BufferAssignment:"
_PRIMARY = "-buffer-assignment.txt"
_COMPANION_ENDS = ("-live-range.txt", ".txt", "-buffer-assignment-values.txt")
"""Suffixes of companions: live ranges, the module's text, uses of the values."""
_NAME = re.compile(
    r"module_\d{1,9}\.(.{1,500}?)(?:\.[^.]{1,100}_after_optimizations)?-buffer-assignment\.txt"
)
_KINDS: Mapping[str, tuple[str, str]] = {
    "constant": ("constant", ""),
    "parameter": ("variable", "input"),
    "maybe-live-out": ("activation", "output"),
    "thread-local": ("transient", ""),
}
"""Level -> kind and role of its values.

A level that is missing here has kind "activation" and no role.
"""


class XlaLoader:
    """Loads buffer assignments from XLA's dump folders."""

    name = "xla"
    reads = "buffer assignments that XLA dumps, with live ranges, uses and the module's text beside them"
    setting_names = source_of("xla").settings
    version = "1"

    def sniff(self, path: Path, head: bytes) -> str | None:
        """Return `None` if the file is a buffer assignment; else return why it is rejected."""
        if head.startswith(_HEAD):
            return None
        if head.startswith(b"HloLiveRange"):
            return "live ranges of an XLA module: ingest them with its buffer assignment"
        if is_uses(head.decode("utf-8", "replace")):
            return "uses of an XLA module's values: ingest them with its buffer assignment"
        return "does not begin like a buffer assignment of XLA"

    def bundle(self, path: Path) -> Bundle:
        """Return the assignment with the companions that exist: live ranges, text and uses of the
        same module.

        A file of another name has no companions.
        """
        name = content_name(path)
        if not name.endswith(_PRIMARY):
            return Bundle(path)
        stem = name.removesuffix(_PRIMARY)
        files = [
            path.parent / f"{stem}{end}{packed}"
            for end in _COMPANION_ENDS
            for packed in ("", ".gz")
        ]
        return Bundle(path, tuple(file for file in files if file.is_file()))

    def load(
        self,
        path: Path,
        settings: Settings,
        origin: str | None = None,
        companions: Sequence[Path] = (),
    ) -> LoadedRun:
        """Load an assignment.

        Raises LoadError if no allocation has a readable value, the text is too large or a setting
        is invalid.
        """
        options = memory_settings(settings)
        file = re.split(r"[/\\]", origin or str(path))[-1]
        assignment = read_assignment(_text(path))
        if not any(allocation.values for allocation in assignment.allocations):
            raise LoadError(f"{file}: has no allocation with a value")
        findings = _assignment_findings(assignment, file)
        companion_data = _read_companions(companions, assignment, findings)
        frames = _frames(assignment, companion_data, options)
        findings += _range_findings(companion_data.ranges)
        repeated = repeated_names(frames["allocations"]["name"].tolist(), companion_data.uses)
        explanation = "with the name of an earlier value: the uses are those of the first"
        findings += occurrences("warning", "values_repeated", repeated, "value", explanation)
        metadata: dict[str, object] = {
            "name": options.get("name") or _run_name(file),
            "time_unit": "steps",
        }
        metadata |= {key: options[key] for key in ("hwid", "tags") if options.get(key)}
        return LoadedRun(metadata, frames, findings)


def _text(path: Path) -> str:
    with open_content(path) as stream:
        content = stream.read(MAX_TEXT_BYTES + 1)
    if len(content) > MAX_TEXT_BYTES:
        raise LoadError(f"{path.name}: is larger than {MAX_TEXT_BYTES} bytes")
    return content.decode("utf-8", "replace").replace("\r\n", "\n")


def _run_name(file: str) -> str:
    match = _NAME.fullmatch(file.removesuffix(".gz"))
    return match[1] if match else file.removesuffix(".gz").removesuffix(".txt")


@dataclass
class _Companions:
    """Content of the companions: live ranges, module text, and value -> instructions that use
    it.
    """

    ranges: LiveRanges | None = None
    module: ModuleText = field(default_factory=ModuleText)
    uses: Mapping[str, Sequence[str]] = field(default_factory=dict)


def _read_companions(
    companions: Sequence[Path], assignment: Assignment, findings: list[Diagnostic]
) -> _Companions:
    """Read the companions by their content.

    A file that is unreadable or of another module is left out and reported in `findings`.
    """
    companion_data = _Companions()
    for file in companions:
        try:
            text = _text(file)
        except (LoadError, OSError) as error:
            message = f"{file.name} cannot be read and is ignored: {error}"
            findings.append(Diagnostic("warning", "companion_unreadable", message, file.name))
            continue
        if is_uses(text):
            companion_data.uses = read_uses(text)
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
        2 * shared > len(ranges.ranges) or (assignment.cut and shared > 0)
    )


def _assignment_findings(assignment: Assignment, file: str) -> list[Diagnostic]:
    findings = []
    if assignment.cut:
        text = "the last line is not terminated: the file was cut off, and was read up to there"
        findings.append(Diagnostic("warning", "file_cut", text, file))
    if assignment.skipped:
        text = (
            f"{plural(assignment.skipped, 'line')} of allocations and values skipped: not readable"
        )
        findings.append(Diagnostic("warning", "lines_skipped", text, file, assignment.skipped))
    return findings


def _range_findings(ranges: LiveRanges | None) -> list[Diagnostic]:
    if ranges is None:
        text = "its folder has no live ranges of the module: lifetimes of values are not known"
        return [Diagnostic("warning", "lifetimes_unknown", text)]
    if ranges.peak is None:
        return []
    step, size = ranges.peak
    text = f"XLA counts {size} bytes alive at its peak, step {step}: aliases of one allocation count each time"
    return [Diagnostic("info", "xla_peak", text)]


def _frames(
    assignment: Assignment, companions: _Companions, options: Mapping[str, str | int]
) -> dict[str, Any]:
    """Build frames `attempts` (a row per level) and `allocations` (a row per value).

    If there are live ranges, also build `steps`, and `buffer_uses` if there are uses too.
    """
    ranges = companions.ranges
    module = companions.module
    used_levels = {allocation.level for allocation in assignment.allocations}
    levels = [level for level in LEVELS if level in used_levels]
    # XLA's live ranges of parameters end a step after the last instruction.
    steps = len(ranges.steps) + 1 if ranges else 1
    rows: list[dict[str, object]] = []
    totals = []
    for attempt, level in enumerate(levels):
        allocations = [
            allocation for allocation in assignment.allocations if allocation.level == level
        ]
        totals.append(sum(allocation.size for allocation in allocations))
        rows += _level_rows(attempt, allocations, ranges, steps, module)
    columns = {
        name: [row[name] for row in rows] for name in rows[0] if name != "origin" or module.origins
    }
    attempts = {
        "attempt": range(len(levels)),
        "level": levels,
        "outcome": "solved",
        "strategy": str(options.get("strategy", "")),
        "steps": steps,
        "capacity": options.get("capacity"),
        "reported_bytes": totals,
    }
    frames = {
        "attempts": complete("attempts", attempts),
        "allocations": complete("allocations", columns),
    }
    if ranges:
        types = [module.opcodes.get(name) for name in ranges.steps]
        step_columns = {"step": range(len(types)), "name": list(ranges.steps), "op_type": types}
        frames["steps"] = complete("steps", step_columns)
    if ranges and companions.uses:
        producers = [_instruction(str(row["name"])) for row in rows]
        frames["buffer_uses"] = uses_frame(rows, companions.uses, ranges.steps, producers)
    return frames


def _level_rows(
    attempt: int,
    allocations: Sequence[Allocation],
    ranges: LiveRanges | None,
    steps: int,
    module: ModuleText,
) -> list[dict[str, object]]:
    """Build a row of frame `allocations` (column -> value) per value of a level, in order.

    Sizes and addresses are bytes. The level's allocations follow each other in the address space.
    """
    rows: list[dict[str, object]] = []
    base = 0
    for allocation in allocations:
        lives = [_life(value.name, ranges, steps) for value in allocation.values]
        places = [
            Placed(value.offset, value.offset + value.size, start, end)
            for value, (start, end, _) in zip(allocation.values, lives, strict=True)
        ]
        first = len(rows)
        kind, role = _KINDS.get(allocation.level, ("activation", ""))
        for value, (start, end, hold), shared in zip(
            allocation.values, lives, first_sharers(places), strict=True
        ):
            rows.append(
                {
                    "attempt": attempt,
                    "level": allocation.level,
                    "block": len(rows),
                    "name": value.name,
                    "op_type": module.opcodes.get(_instruction(value.name)),
                    "origin": module.origins.get(_instruction(value.name)),
                    "kind": kind,
                    "role": role or None,
                    "dtype": value.dtype or None,
                    "shape": value.shape,
                    "address": base + value.offset,
                    "size": value.size,
                    "start": start,
                    "end": end,
                    "hold": hold,
                    "status": "placed" if shared is None else "shared",
                    "alias_of": None if shared is None else first + shared,
                }
            )
        base += allocation.size
    return rows


def _instruction(value: str) -> str:
    """Return the instruction that produces a value: its name without index (`{0}`) and ` (phi)`."""
    return value.split("{", maxsplit=1)[0].removesuffix(" (phi)")


def _life(name: str, ranges: LiveRanges | None, steps: int) -> tuple[int, int, bool]:
    """Return start, end (steps, exclusive) and `hold` of a value.

    A value without a live range (inside of a fusion or reduction) is held in all steps: (0, steps,
    True). Without a live range file, every value is alive in a single step: (0, 1, False).
    """
    if ranges is None:
        return 0, 1, False
    life = ranges.ranges.get(range_name(name))
    if life is None:
        return 0, steps, True
    # Both ends of XLA's ranges are inclusive, the schema's end is exclusive.
    start = min(life[0], steps - 1)
    return start, max(start + 1, min(life[1] + 1, steps)), False
