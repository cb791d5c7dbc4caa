"""A choice of how a view looks: its name in the address, what it decides, its values with their labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.views.address.view_state import ViewState


@dataclass(frozen=True)
class Option:
    """A named choice between `options` (value -> label), the first one by default; `label` says what it decides."""

    name: str
    label: str
    options: Mapping[str, str]

    @property
    def default(self) -> str:
        """Return the value that stands where none is chosen."""
        return next(iter(self.options))

    def of(self, state: ViewState) -> str:
        """Return the value that a view state has."""
        value = state.chosen.get(self.name, self.default)
        return value if value in self.options else self.default
