"""A key of a page: what it does, which subjects have it, and its step from one view state to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from app.views.page_data import Data, State
from services.run.capabilities import Capability


@dataclass(frozen=True)
class Key(Generic[Data, State]):
    """One or more keys that belong together; `does` is what the keyboard help says."""

    keys: tuple[str, ...]
    does: str
    needs: frozenset[Capability]
    step: Callable[[State, Data, str], State]
