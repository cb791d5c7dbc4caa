"""Shared beginning of all callbacks of a page of views: load view state and page data from the
page's stores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from dash import Dash, Input, Output, State, no_update

from app.views import page_data
from app.views.view_page import ViewPage


@dataclass(frozen=True)
class Binding(Generic[page_data.Data, page_data.State]):
    """Registers the callbacks of a kind of page with a Dash application.

    `open(data_id, state)` returns the page data. `version(data_id, state)` returns a text that
    changes whenever the page data does.
    """

    app: Dash
    screen: ViewPage[page_data.Data, page_data.State]
    open: Callable[[str, page_data.State], page_data.Data]
    version: Callable[[str, page_data.State], str]

    def open_page(self, query: str | None, data_id: str) -> tuple[page_data.State, page_data.Data]:
        """Return (view state, page data) for the values of the page's stores; raises as `open`
        does.
        """
        state = self.screen.parse(query if isinstance(query, str) else "")
        return state, self.open(data_id, state)

    def open_drawn(
        self, query: str | None, data_id: str
    ) -> tuple[page_data.State, str, page_data.Data]:
        """Return (view state, version, page data) for a drawing, for the values of the page's
        stores; the version is at most as new as the data.
        """
        state = self.screen.parse(query if isinstance(query, str) else "")
        # Read the version before the data: if the data changes between the two, the old version
        # makes the page draw again. A newer version with older data would never be redrawn.
        version = self.version(data_id, state)
        return state, version, self.open(data_id, state)

    def steps(
        self, *inputs: Input, outputs: Sequence[Output] = (), states: Sequence[State] = ()
    ) -> Callable[[Callable[..., Any]], None]:
        """Make a decorator for a function that returns the next view state.

        The function is called with view state, page data, and the values of `inputs` and `states`.
        It returns the new view state, or with `outputs` a tuple of the view state and a value per
        output. The decorator registers the function and returns None.
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
            def respond(*values: Any) -> Any:  # noqa: ANN401
                *arguments, query, data_id = values
                state, data = self.open_page(query, data_id)
                result = step(state, data, *arguments)
                after, *others = result if outputs else (result,)
                # An equal query is not sent, because the browser would request another drawing.
                query_update = after.query() if after.query() != query else no_update
                return (query_update, *others) if outputs else query_update

        return register
