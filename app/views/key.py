"""Key bindings of a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from app.views.page_data import Data, State
from services.run.capabilities import Capability


@dataclass(frozen=True)
class Key(Generic[Data, State]):
    """Keys that belong together.

    `does` is the text of the keyboard help. Page data has the binding if it has all capabilities in
    `needs`. `step` returns the next view state.
    """

    keys: tuple[str, ...]
    does: str
    needs: frozenset[Capability]
    step: Callable[[State, Data, str], State]
