"""Trace configuration of a single unit of an AIE array."""

from __future__ import annotations

from dataclasses import dataclass, field

from data_loaders.aie.event_codes import code_name
from data_loaders.aie.packets import SLOTS

_NO_EVENT = (0, "NONE")

Place = tuple[str, int, int]
"""Kind, row and column of a unit."""


def _no_events() -> list[int | str | None]:
    return [None] * SLOTS


@dataclass
class UnitConfiguration:
    """Trace configuration of a unit: event of each of its eight slots, and mode.

    An event is a code or a name. An event or the mode is `None` if it is not configured.
    """

    codes: list[int | str | None] = field(default_factory=_no_events)
    mode: int | None = None

    @property
    def has_events(self) -> bool:
        """Whether an event is configured for at least one slot, also if that is NONE."""
        return any(code is not None for code in self.codes)

    @property
    def is_traced(self) -> bool:
        """Whether at least one slot has a configured event other than NONE."""
        return any(code is not None and code not in _NO_EVENT for code in self.codes)

    def slot_names(self, kind: str) -> list[str]:
        """Return the event names of the eight slots in order, on a unit of this kind.

        `slot 3` if slot 3 is not configured.
        """
        return [_slot_name(kind, slot, code) for slot, code in enumerate(self.codes)]


Units = dict[Place, UnitConfiguration]


def _slot_name(kind: str, slot: int, code: int | str | None) -> str:
    if code is None:
        return f"slot {slot}"
    return code if isinstance(code, str) else code_name(kind, code)


def unit_name(place: Place) -> str:
    """Return the name of a unit as tracks have it, for example `core 2,1`."""
    kind, row, col = place
    return f"{kind} {row},{col}"
