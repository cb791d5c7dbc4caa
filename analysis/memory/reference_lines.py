"""How the team's notebook reads a line of a log: its fields, and a last line that the end of the file cut."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

_FIELD = re.compile(r""";\s*([\w/.]+)\s*=\s*(['"]?)([-\s\w:,./"']+)\2""")
_NUMBER = re.compile(r"[-+]?(\d+|\d+\.\d*|\.\d+)([eE][-+]?\d+)?")
_WANTED = ("; action = lmem_assign", "; tag = iteration_result")
"""What the notebook asks of a line; any other is nothing to it."""
SETTINGS = ("allow_bank_conflict", "shape_secs")
"""The fields that separate patches."""
_LIMITS = {"addr": (-1, 2**60), "size": (0, 10**18), "timestep_start": (0, 10**7), "timestep_end": (0, 10**7)}
"""The numbers that it needs of a block, and the range in which a frame holds them."""
_STATUS = {"success": "placed", "failed": "failed"}
_KINDS = {"LMEM_ACTIVATION": "activation", "LMEM_WEIGHT": "weight", "LMEM_OPERATION": "operation"}

Fields = Mapping[str, str | int]


def fields_of(line: str) -> dict[str, str | int] | None:
    """Return the fields of a line as the notebook has them, the last of one name; None where it stops at one."""
    fields: dict[str, str | int] = {}
    for key, _, text in _FIELD.findall(line):
        value = text.strip()
        try:
            fields[key] = int(value) if _NUMBER.fullmatch(value) else int(value, 16) if "0x" in value else value
        except ValueError:
            return None
    return fields


@dataclass(frozen=True)
class CutLine:
    """A log's last line, which ends with the file: the fields before the cut, and its number.

    `fields` is None where the notebook stops at the line itself. `results` are its results that the loader could not
    read.
    """

    line: int
    fields: Fields | None
    results: int

    @property
    def settings(self) -> dict[str, str | int]:
        """Return which of the fields that separate patches it has."""
        return {name: value for name, value in (self.fields or {}).items() if name in SETTINGS}

    @property
    def lacks(self) -> str | None:
        """Return the first field without which the notebook stops at a block in a patch; None where it has them."""
        fields = self.fields or {}
        return next((name for name in ("status", *_LIMITS) if not _is_good(name, fields.get(name))), None)

    @property
    def is_drawable(self) -> bool:
        """Return whether the notebook can draw the block: it asks for one more field than it needs to list it."""
        return "one_loop" in (self.fields or {})

    def block(self) -> dict[str, object]:
        """Return the columns of frame `allocations` that its block has, where it lacks no field."""
        fields = self.fields or {}
        status, address = _STATUS[str(fields["status"])], int(fields["addr"])
        start, end = int(fields["timestep_start"]), int(fields["timestep_end"])
        return {
            "name": str(fields.get("op_name", "")),
            "op_type": str(fields.get("op_type", "")),
            "kind": _KINDS.get(str(fields.get("lmem_type")), "buffer"),
            "address": address if status == "placed" else None,
            "size": int(fields["size"]),
            "start": start,
            "end": end + 1,
            "wraps": start > end,
            "hold": bool(fields.get("hold_in_lmem")) and self.is_drawable and not fields["one_loop"],
            "status": status,
        }


def _is_good(name: str, value: object) -> bool:
    if name not in _LIMITS:
        return value in _STATUS
    least, below = _LIMITS[name]
    return isinstance(value, int) and least <= value < below


def cut_line(unread: pd.DataFrame) -> CutLine | None:
    """Return the last line of frame `unread_lines` as the notebook reads it; None where it passes it over."""
    if not len(unread):
        return None
    line, text = int(unread["line"].iloc[-1]), str(unread["text"].iloc[-1])
    results = 0 if unread["read"].iloc[-1] else text.count(_WANTED[1])
    # A character of several bytes that is cut is no text: the notebook fails at reading the file.
    if "\ufffd" in text:
        return CutLine(line, None, results)
    return CutLine(line, fields_of(text), results) if all(wanted in text for wanted in _WANTED) else None
