"""The selection of the views of layer groups."""

from __future__ import annotations

from dataclasses import dataclass

from app.views.address.fields import param
from app.views.address.kinds import Whole
from app.views.state import RunState
from app.views.view import ViewSelection
from components.memory.group_words import group_name
from services.run.capabilities import Capability
from services.run.data import RunData


@dataclass(frozen=True)
class GroupSelection:
    """The layer group that restricts the list of attempts, by its first attempt."""

    group: int | None = param(Whole())


def _words(data: RunData, state: RunState) -> dict[str, str]:
    first = state.selected(GroupSelection).group
    if first is None or not data.can(Capability.LAYER_GROUPS):
        return {}
    named = next(
        (group_name(group) for group in data.memory.groups if group.attempts[0].attempt == first),
        None,
    )
    return {"group": f"layer group {first if named is None else named}"}


GROUPS_SELECTION = ViewSelection(GroupSelection, _words)
"""The selection that the views of layer groups define."""
