"""What views are of: a run or a comparison, and the view state of its page."""

from __future__ import annotations

from typing import Protocol

from typing_extensions import TypeVar

from app.views.address.view_state import ViewState
from app.views.state import RunState
from services.run.capabilities import Capability
from services.run.data import RunData


class PageData(Protocol):
    """What a page shows: a run, or runs against each other."""

    @property
    def label(self) -> str:
        """Return what the log calls it."""

    def can(self, *needs: Capability) -> bool:
        """Return whether it has all of these capabilities."""


Data = TypeVar("Data", bound=PageData, default=RunData)
State = TypeVar("State", bound=ViewState, default=RunState)
