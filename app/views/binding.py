"""What every callback of a run's page begins with, written once: view state and run from the page's stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from dash import Dash, Input, Output, State, no_update

from app.views.registry import parse
from app.views.state import VIEW, RunState
from services.runs import RunData, RunDataCache

RUN_ID = "run-id"
"""Id of the store that holds the run's id."""
SHOWN = "run-shown"
"""Id of the store that says what the page shows, see `app.views.drawing.Shown`."""
CHANGES = "run-changes"
"""Id of the store through which the browser is given what changes: properties by component."""
PROGRESS = "run-progress"
"""Id of the element that is hidden unless the page is drawn."""


@dataclass(frozen=True)
class Binding:
    """An application's callbacks on a run's page, and where its runs come from."""

    app: Dash
    cache: RunDataCache

    def opened(self, query: str | None, run_id: str) -> tuple[RunState, RunData]:
        """Return view state and run of what the stores of a page hold."""
        state = parse(query or "")
        return state, self.cache.get(run_id, state.method, state.overrides)

    def steps(
        self, *inputs: Input, outputs: Sequence[Output] = (), states: Sequence[State] = ()
    ) -> Callable[[Callable[..., Any]], None]:
        """Decorate what leads to another view state: called with state, run, and the values of inputs and states.

        It returns the new view state, and where there are further outputs a tuple of it and their values.
        """

        def register(step: Callable[..., Any]) -> None:
            @self.app.callback(
                Output(VIEW, "data", allow_duplicate=True),
                *outputs,
                *inputs,
                *states,
                State(VIEW, "data"),
                State(RUN_ID, "data"),
                prevent_initial_call=True,
            )
            def answer(*values: Any) -> Any:  # noqa: ANN401
                *given, query, run_id = values
                state, data = self.opened(query, run_id)
                made = step(state, data, *given)
                after, *others = made if outputs else (made,)
                told = after.query() if after.query() != query else no_update
                return (told, *others) if outputs else told

        return register


def content_of(cache: RunDataCache, run_id: str, state: RunState) -> str:
    """Return what changes whenever a run's data does: its stored content, the method, the settings."""
    return f"{cache.version(run_id)}?{urlencode(state.options())}"
