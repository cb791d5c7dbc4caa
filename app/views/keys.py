"""A key of a run's page: what it does, which runs have it, and its step from one view state to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.views.state import RunState
from services.capabilities import Capability
from services.runs import RunData


@dataclass(frozen=True)
class Key:
    """One or more keys that belong together; `does` is what the keyboard help says."""

    keys: tuple[str, ...]
    does: str
    needs: frozenset[Capability]
    step: Callable[[RunState, RunData, str], RunState]
