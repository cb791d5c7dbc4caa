"""The selection of the views of hardware counters."""

from __future__ import annotations

from dataclasses import dataclass

from app.views.address.fields import param
from app.views.address.kinds import Words
from app.views.view import ViewSelection

_MAX_LENGTH = 400


@dataclass(frozen=True)
class CounterSelection:
    """The hardware counter that is shown per instance; empty if none is selected."""

    counter: str = param(Words(_MAX_LENGTH), "")


COUNTER = ViewSelection(CounterSelection)
"""The selection that the views of hardware counters define."""
