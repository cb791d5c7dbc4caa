"""What every callback of a page of views begins with, written once: view state and subject from the page's stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from dash import Dash, Input, Output, State, no_update

from app.views import page_data as subject
from app.views.view_page import ViewPage


@dataclass(frozen=True)
class Binding(Generic[subject.Data, subject.State]):
    """An application's callbacks on a kind of page.

    `open` returns what a subject's id and a view state show, `version` what changes whenever that does.
    """

    app: Dash
    screen: ViewPage[subject.Data, subject.State]
    open: Callable[[str, subject.State], subject.Data]
    version: Callable[[str, subject.State], str]

    def open_page(self, query: str | None, subject_id: str) -> tuple[subject.State, subject.Data]:
        """Return view state and subject of what the stores of a page hold."""
        state = self.screen.parse(query if isinstance(query, str) else "")
        return state, self.open(subject_id, state)

    def open_drawn(self, query: str | None, subject_id: str) -> tuple[subject.State, str, subject.Data]:
        """Return view state, version and subject of what is to be drawn.

        The version is read first: what changes meanwhile is drawn again, where a newer version would say that it was.
        """
        state = self.screen.parse(query if isinstance(query, str) else "")
        version = self.version(subject_id, state)
        return state, version, self.open(subject_id, state)

    def steps(
        self, *inputs: Input, outputs: Sequence[Output] = (), states: Sequence[State] = ()
    ) -> Callable[[Callable[..., Any]], None]:
        """Decorate what leads to another view state: called with state, subject, and the values of inputs and states.

        It returns the new view state, and where there are further outputs a tuple of it and their values.
        """

        def register(step: Callable[..., Any]) -> None:
            @self.app.callback(
                Output(self.screen.view, "data", allow_duplicate=True),
                *outputs,
                *inputs,
                *states,
                State(self.screen.view, "data"),
                State(self.screen.subject, "data"),
                prevent_initial_call=True,
            )
            def answer(*values: Any) -> Any:  # noqa: ANN401
                *given, query, subject_id = values
                state, data = self.open_page(query, subject_id)
                made = step(state, data, *given)
                after, *others = made if outputs else (made,)
                told = after.query() if after.query() != query else no_update
                return (told, *others) if outputs else told

        return register
