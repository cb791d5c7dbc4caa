"""What views are of: a run or a comparison, and the view state of its page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from typing_extensions import TypeVar

from app.views.state import RunState
from services.capabilities import Capability
from services.runs import RunData


class Subject(Protocol):
    """What a page shows: a run, or runs against each other."""

    @property
    def label(self) -> str:
        """Return what the log calls it."""

    def can(self, *needs: Capability) -> bool:
        """Return whether it has all of these capabilities."""


class ViewState(Protocol):
    """What of it is shown, and how; its fields are named in `app.views.reads`."""

    @property
    def chosen(self) -> Mapping[str, str]:
        """Return the choices that are not the default ones."""

    @property
    def selects_nothing(self) -> bool:
        """Return whether all of the subject is shown."""

    def query(self) -> str:
        """Return the canonical query string, without `?`."""


Data = TypeVar("Data", bound=Subject, default=RunData)
State = TypeVar("State", bound=ViewState, default=RunState)
