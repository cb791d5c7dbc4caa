"""Types of the data that the views of a page are drawn from, and of its view state."""

from __future__ import annotations

from typing import Protocol

from typing_extensions import TypeVar

from app.views.address.view_state import ViewState
from app.views.state import RunState
from services.run.capabilities import Capability
from services.run.data import RunData


class PageData(Protocol):
    """The data of a page: a run, or a comparison of runs."""

    @property
    def label(self) -> str:
        """Name of the data in log lines."""

    def can(self, *needs: Capability) -> bool:
        """Return whether the data has all of the capabilities `needs`."""


Data = TypeVar("Data", bound=PageData, default=RunData)
State = TypeVar("State", bound=ViewState, default=RunState)
