"""Options of views: a value in the address that decides how a view is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.views.address.view_state import ViewState


@dataclass(frozen=True)
class Option:
    """A named option with its values (value -> label); the first value is the default.

    `label` describes the option for screen readers. A page whose data is not `offered` the option
    has no selector for it.
    """

    name: str
    label: str
    options: Mapping[str, str]
    offered: Callable[[Any], bool] = lambda _data: True

    @property
    def default(self) -> str:
        """The value that applies if none is chosen."""
        return next(iter(self.options))

    def of(self, state: ViewState) -> str:
        """Return the option's value in a view state; the default if it is not chosen or this option
        does not offer it.
        """
        value = state.chosen.get(self.name, self.default)
        # Views that share an option may offer different values of it.
        return value if value in self.options else self.default
