"""Parse names in AIE traces: event names of both generations, and process names.

Source: mlir-aie `python/utils/trace`. Before 2024 events had CamelCase names and shim units were
called `intfc`.
"""

from __future__ import annotations

import re

_LEGACY = {
    "True": "TRUE",
    "Event0": "INSTR_EVENT_0",
    "Event1": "INSTR_EVENT_1",
    "VectorInstr": "INSTR_VECTOR",
    "LoadInstr": "INSTR_LOAD",
    "StoreInstr": "INSTR_STORE",
    "LockAcquireInstr": "INSTR_LOCK_ACQUIRE_REQ",
    "LockReleaseInstr": "INSTR_LOCK_RELEASE_REQ",
}
"""Old event names whose new name is not the same words in upper case."""
_UNCHANGED = {"Unknown", "NONE"}
_WORD = re.compile(r"S2mm|Mm2s|[A-Z][a-z]*|\d+")
_PROCESS = re.compile(
    r"(core|mem|memtile|shim|intfc)_trace for tile\(?([0-9]{1,4})\s*,\s*([0-9]{1,4})\)?"
)


def event_name(name: str) -> str:
    """Convert an event's name to today's spelling, for example `LockStall` to `LOCK_STALL`.

    A name that is not in CamelCase stays as it is.
    """
    if name in _LEGACY:
        return _LEGACY[name]
    if name in _UNCHANGED or not name[:1].isupper() or name.isupper() or not name.isalnum():
        return name
    words = _WORD.findall(
        name.replace("S2Mm", "S2mm")
        .replace("Mm2S", "Mm2s")
        .replace("S2MM", "S2mm")
        .replace("MM2S", "Mm2s")
    )
    return "_".join(words).upper() if "".join(words).lower() == name.lower() else name


def process_unit(process: str) -> tuple[str, int | None, int | None]:
    """Parse a process name such as `core_trace for tile2,1` into (kind, row, col).

    For any other name row and col are `None`, and kind is `core` if the name contains `core_trace`,
    else `other`.
    """
    match = _PROCESS.fullmatch(process.strip())
    if match:
        kind, row, col = match.groups()
        return ("shim" if kind == "intfc" else kind), int(row), int(col)
    return ("core" if "core_trace" in process else "other"), None, None
