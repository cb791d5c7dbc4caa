"""The selection of the views of tilings: an operator, its buffering, and a capacity to try."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.views.address.fields import param
from app.views.address.kind import TextKind
from app.views.address.kinds import Whole
from app.views.state import RunState
from app.views.view import ViewSelection
from components.numbers import shorten
from services.run.capabilities import Capability
from services.run.data import RunData

_KIB = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3})?", re.ASCII)
_BUFFER = re.compile(r"([A-Za-z0-9_]{1,40})-([12])", re.ASCII)
_MAX_BUFFERS = 16
_MAX_LENGTH = 30
"""Maximum characters of an operator's name on a button."""


class _Size(TextKind[str]):
    """A size in KiB above 0, with at most three decimals."""

    def read(self, text: str) -> str | None:
        match = _KIB.fullmatch(text.strip())
        return f"{float(text):.3f}".rstrip("0").rstrip(".") if match and float(text) > 0 else None


class _Buffers(TextKind[tuple[tuple[str, int], ...]]):
    """Operands and the number of their tiles, one or two: `A-2,B-1`."""

    def read(self, text: str) -> tuple[tuple[str, int], ...]:
        matches = (match for part in text.split(",") if (match := _BUFFER.fullmatch(part)))
        return tuple(sorted({match[1]: int(match[2]) for match in matches}.items()))[:_MAX_BUFFERS]

    def write(self, value: tuple[tuple[str, int], ...]) -> str:
        return ",".join(f"{operand}-{count}" for operand, count in value)


@dataclass(frozen=True)
class TilingSelection:
    """The displayed tiled operator (a rank in frame `tilings`), and the changes to try with it.

    `l1` is the local memory to try in KiB; empty for the run's own. `buffers` gives operands
    another number of tiles than stored.
    """

    operator: int | None = param(Whole())
    l1: str = param(_Size(), "")
    buffers: tuple[tuple[str, int], ...] = param(_Buffers(), (), requires="operator")


def _words(data: RunData, state: RunState) -> dict[str, str]:
    selection = state.selected(TilingSelection)
    words = {}
    if selection.operator is not None and data.can(Capability.TILING, Capability.MEMORY):
        words["operator"] = f"tiling {selection.operator}"
        if selection.operator < len(data.tiling.tiled_operators):
            operator = data.tiling.tiled_operators[selection.operator].operator
            words["operator"] = f"{shorten(operator.name, _MAX_LENGTH)} at {operator.level}"
        if selection.buffers:
            words["buffers"] = "other buffering"
    return words | ({"l1": f"local memory of {selection.l1} KiB"} if selection.l1 else {})


TILING = ViewSelection(TilingSelection, _words)
"""The selection that the views of tilings define."""
