"""Parser of log lines as the team's notebook reads them: fields of a line, and a truncated last
line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

# A value ends at the first character that is not in this class, so the notebook cuts such names.
_FIELD = re.compile(r""";\s*([\w/.]+)\s*=\s*(['"]?)([-\s\w:,./"']+)\2""")
_NUMBER = re.compile(r"[-+]?(\d+|\d+\.\d*|\.\d+)([eE][-+]?\d+)?")
"""Texts that the notebook converts to a number."""
_WANTED = ("; action = lmem_assign", "; tag = iteration_result")
"""Texts that a line must contain to be read by the notebook."""
SETTINGS = ("allow_bank_conflict", "shape_secs")
"""Fields that begin a new patch when they change."""
_LIMITS = {
    "addr": (-1, 2**60),
    "size": (0, 10**18),
    "timestep_start": (0, 10**7),
    "timestep_end": (0, 10**7),
}
"""Numbers that the notebook needs of a block, with the range [lowest, highest) that a frame can
hold.
"""
_STATUS = {"success": "placed", "failed": "failed"}
"""Status in the log -> status in frame `allocations`."""
_KINDS = {"LMEM_ACTIVATION": "activation", "LMEM_WEIGHT": "weight", "LMEM_OPERATION": "operation"}
"""Type of memory in the log -> kind in frame `allocations`."""

Fields = Mapping[str, str | int]


def parse_fields(line: str) -> dict[str, str | int] | None:
    """Parse the fields `; name = value` of a line as the notebook does: name -> int if it looks
    like a number, else text. `None` when it stops at a field.

    When a name occurs several times, its last value counts. {} without fields.
    """
    fields: dict[str, str | int] = {}
    for key, _, text in _FIELD.findall(line):
        value = text.strip()
        try:
            fields[key] = (
                int(value)
                if _NUMBER.fullmatch(value)
                else int(value, 16)
                if "0x" in value
                else value
            )
        except ValueError:
            return None
    return fields


@dataclass(frozen=True)
class CutLine:
    """Truncated last line of a log: its number, and the fields before the cut.

    `fields` is `None` if the notebook stops at the line itself. `results` is the number of results
    in the line that the loader could not read.
    """

    line: int
    fields: Fields | None
    results: int

    @property
    def settings(self) -> dict[str, str | int]:
        """Settings of the truncated line before its cut (names in SETTINGS -> values); {} if it has
        none.
        """
        return {name: value for name, value in (self.fields or {}).items() if name in SETTINGS}

    @property
    def lacks(self) -> str | None:
        """Name of the first field of the truncated line that is missing or out of range, without
        which the notebook stops; `None` if it has all.
        """
        fields = self.fields or {}
        return next(
            (name for name in ("status", *_LIMITS) if not _is_good(name, fields.get(name))), None
        )

    @property
    def is_drawable(self) -> bool:
        """Whether the notebook can draw the truncated line's block, for which it needs `one_loop`,
        too.
        """
        return "one_loop" in (self.fields or {})

    def block(self) -> dict[str, object]:
        """Return the values of frame `allocations` for the truncated line's block, by column.

        Only valid if `lacks` is `None`; raises KeyError if a field is missing.
        """
        fields = self.fields or {}
        status = _STATUS[str(fields["status"])]
        address = int(fields["addr"])
        start = int(fields["timestep_start"])
        end = int(fields["timestep_end"])
        return {
            "name": str(fields.get("op_name", "")),
            "op_type": str(fields.get("op_type", "")),
            "kind": _KINDS.get(str(fields.get("lmem_type")), "buffer"),
            "address": address if status == "placed" else None,
            "size": int(fields["size"]),
            "start": start,
            "end": end + 1,
            "wraps": start > end,
            "hold": bool(fields.get("hold_in_lmem"))
            and self.is_drawable
            and not fields["one_loop"],
            "status": status,
        }


def _is_good(name: str, value: object) -> bool:
    if name not in _LIMITS:
        return value in _STATUS
    least, below = _LIMITS[name]
    return isinstance(value, int) and least <= value < below


def cut_line(unread: pd.DataFrame) -> CutLine | None:
    """Parse the last line of frame `unread_lines` as the notebook does; `None` if the notebook
    ignores it, or there are no such lines.
    """
    if not len(unread):
        return None
    line = int(unread["line"].iloc[-1])
    text = str(unread["text"].iloc[-1])
    results = 0 if unread["read"].iloc[-1] else text.count(_WANTED[1])
    # A character of several bytes that is cut is invalid text: the notebook fails when it reads the
    # file.
    if "\ufffd" in text:
        return CutLine(line, None, results)
    return (
        CutLine(line, parse_fields(text), results)
        if all(wanted in text for wanted in _WANTED)
        else None
    )
