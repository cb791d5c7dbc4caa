"""Read the `lmem.json` that LetsVis, a viewer of TPU-MLIR, makes of a local-memory log.

Format: a list of groups, each with `settings` (`allow_bank_conflict`, `shape_secs`) and
`allocations`. A group is an attempt of `max_timestep` + 1 steps. The last step of a lifetime is
included; a lifetime wraps if it ends before it starts. The file has no memory of the chip and no
finish lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from data_loaders.protocol import LoadError
from data_loaders.tpu_mlir.companion_files import read_json
from data_loaders.tpu_mlir.frames import with_capacity
from data_loaders.tpu_mlir.markers import Memory
from data_loaders.tpu_mlir.rows import KINDS
from schema.diagnostics import Diagnostic
from schema.frames import complete
from schema.memory import MAX_BYTES
from schema.plurals import plural

MAX_STEPS = 10**7
"""Steps of an attempt."""
_MAX_NAME_CHARS = 4096


@dataclass
class _Columns:
    """Columns of frames `attempts` and `allocations`, filled group by group."""

    attempts: list[dict[str, object]] = field(default_factory=list)
    allocations: list[dict[str, object]] = field(default_factory=list)
    skipped: int = 0


def read_letsvis(
    path: Path, memory: Memory | None, capacity: int | None
) -> tuple[dict[str, pd.DataFrame], list[Diagnostic]]:
    """Read frames `attempts` (a row per group) and `allocations`.

    Entries that cannot be read are counted by a finding. `memory` is that of the chip, `capacity`
    the user's setting in bytes; without both the capacity is null. Raises LoadError if no
    allocation can be read.
    """
    groups = read_json(path)
    columns = _Columns()
    for group in groups if isinstance(groups, list) else []:
        _add_group(columns, group)
    if not columns.allocations:
        raise LoadError(f"{path.name}: no group has a readable allocation")
    attempts = complete("attempts", _by_column(columns.attempts))
    if memory is not None:
        attempts = attempts.assign(
            **{
                name: pd.array([value] * len(attempts), dtype="Int64")
                for name, value in _memory_columns(memory).items()
            }
        )
    if capacity is not None:
        attempts = with_capacity(attempts, capacity)
    frames = {
        "attempts": attempts,
        "allocations": complete("allocations", _by_column(columns.allocations)),
    }
    return frames, _skipped_findings(columns.skipped, path.name)


def _memory_columns(memory: Memory) -> dict[str, int]:
    return {
        name: getattr(memory, name) for name in ("align_bytes", "capacity", "banks", "bank_bytes")
    }


def _skipped_findings(skipped: int, file: str) -> list[Diagnostic]:
    if not skipped:
        return []
    entries = plural(skipped, "entry")
    text = f"{entries} skipped: name, address, size or lifetime is missing or invalid"
    return [Diagnostic("warning", "entries_skipped", text, file, skipped)]


def _by_column(rows: Sequence[Mapping[str, object]]) -> dict[str, list[object]]:
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def _add_group(columns: _Columns, group: object) -> None:
    """Add the attempt of a group with its allocations; a group that is damaged is counted as skipped."""
    if not isinstance(group, dict) or not isinstance(group.get("allocations"), list):
        columns.skipped += 1
        return
    entries = group["allocations"]
    attempt = len(columns.attempts)
    blocks: list[dict[str, Any]] = []
    last = 0
    for entry in entries:
        block = _block(entry)
        if block is None:
            columns.skipped += 1
            continue
        last = max(
            last,
            _number(entry.get("max_timestep"), MAX_STEPS - 1) or 0,
            block["start"],
            block["end"] - 1,
        )
        blocks.append({"attempt": attempt, "block": len(blocks)} | block)
    columns.allocations += blocks
    failed = any(block["status"] == "failed" for block in blocks)
    settings = group["settings"] if isinstance(group.get("settings"), dict) else {}
    columns.attempts.append(
        {
            "attempt": attempt,
            "outcome": "failed" if failed else "success",
            "steps": last + 1,
            "shape_secs": _shape_text(settings.get("shape_secs")),
            "allow_bank_conflict": _flag(settings.get("allow_bank_conflict")),
            "one_loop": _flag(settings.get("one_loop")),
        }
    )


def _block(entry: object) -> dict[str, Any] | None:
    """Convert an entry to a value per column of frame `allocations`, with an exclusive end.

    `None` if a field is missing or invalid.
    """
    if not isinstance(entry, dict) or not isinstance(entry.get("op_name"), str):
        return None
    placed = entry.get("status") == "success"
    address = _number(entry.get("addr"), MAX_BYTES // 2)
    size = _number(entry.get("size"), MAX_BYTES // 2)
    start = _number(entry.get("timestep_start"), MAX_STEPS - 1)
    end = _number(entry.get("timestep_end"), MAX_STEPS - 1)
    if size is None or start is None or end is None or (placed and address is None):
        return None
    return {
        "name": entry["op_name"][:_MAX_NAME_CHARS],
        "op_type": str(entry.get("op_type") or "")[:_MAX_NAME_CHARS] or None,
        "kind": KINDS.get(str(entry.get("lmem_type")), "buffer"),
        "address": address if placed else pd.NA,
        "size": size,
        "start": start,
        "end": end + 1,
        "wraps": start > end,
        "hold": entry.get("hold_in_lmem") in (True, 1),
        "status": "placed" if placed else "failed",
    }


def _number(value: object, most: int) -> int | None:
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most
        else None
    )


def _flag(value: object) -> object:
    return int(value) if isinstance(value, bool | int) and value in (0, 1) else pd.NA


def _shape_text(value: object) -> str | None:
    """Format the slices of a group as the log does, `1,1,1,4,1`.

    `None` if they are not a list of numbers from 0.
    """
    if not isinstance(value, list) or len(value) > 16:
        return None
    numbers = [_number(part, MAX_STEPS) for part in value]
    return None if None in numbers else ",".join(map(str, numbers))
