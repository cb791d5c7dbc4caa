"""The callbacks of a page that is made of views and fields: those of the views, keys, fields, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic
from urllib.parse import parse_qsl, urlencode

from dash import ALL, Input, Output, State
from dash.exceptions import PreventUpdate

from app.views import subject
from app.views.binding import Binding
from app.views.callbacks import ViewCallbacks
from app.views.drawing import Piece, view_pieces
from app.views.screen import Screen

_ESCAPE = "Escape"


@dataclass(frozen=True)
class PageCallbacks(Generic[subject.Data, subject.State]):
    """The callbacks of a page.

    `head` is drawn above the views, `cleared` takes the selection away. `shown` returns what the field of a name shows,
    `filled` the view state after fields were given other values, by their names.
    """

    binding: Binding[subject.Data, subject.State]
    head: Sequence[Piece[subject.Data, subject.State]]
    cleared: Callable[[subject.State], subject.State]
    shown: Callable[[subject.Data, subject.State, str], str]
    filled: Callable[[subject.State, Mapping[str, str]], subject.State]

    def pieces(self, data: subject.Data) -> Iterator[Piece[subject.Data, subject.State]]:
        """Yield what of the page is drawn."""
        yield from self.head
        yield from view_pieces(self.binding.screen, data)

    def register(self) -> None:
        """Add them."""
        ViewCallbacks(self.binding, self.pieces).register()
        self._register_keys()
        self._register_fields()
        self._register_following()

    def _register_keys(self) -> None:
        screen = self.binding.screen

        @self.binding.steps(Input(screen.key, "data"))
        def press(state: subject.State, data: subject.Data, key: dict[str, Any] | None) -> subject.State:
            pressed = key.get("key") if isinstance(key, dict) else None
            if pressed is None:
                raise PreventUpdate
            return self.cleared(state) if pressed == _ESCAPE else screen.pressed(state, data, str(pressed))

    @property
    def _field(self) -> dict[str, Any]:
        return {"type": self.binding.screen.choice, "name": ALL}

    def _register_fields(self) -> None:
        @self.binding.steps(Input(self._field, "value"), states=[State(self._field, "id")])
        def chosen(
            state: subject.State, data: subject.Data, values: list[object], names: list[dict[str, str]]
        ) -> subject.State:
            pairs = zip(names, values, strict=True)
            given = {name["name"]: field_text(value) for name, value in pairs}
            # What a field shows where nothing is chosen is nobody's choice.
            made = {name: value for name, value in given.items() if value != self.shown(data, state, name)}
            if not made:
                raise PreventUpdate
            return self.filled(state, made)

    def _register_following(self) -> None:
        binding, screen = self.binding, self.binding.screen

        @binding.app.callback(
            Output(screen.view, "data", allow_duplicate=True),
            Output(self._field, "value"),
            Input(f"{screen.view}-from-url", "data"),
            State(self._field, "id"),
            State(screen.subject, "data"),
            prevent_initial_call=True,
        )
        def follow(query: str | None, names: list[dict[str, str]], subject_id: str) -> tuple[str, list[str]]:
            """Bring the view and its fields in line with the address after back or forward."""
            state, data = binding.opened(query, subject_id)
            return state.query(), [self.shown(data, state, name["name"]) for name in names]


def field_text(value: object) -> str:
    """Return what a field holds, a number of a numeric field too; nothing for what none can hold."""
    return str(value) if isinstance(value, str | int | float) else ""


def with_fields(
    screen: Screen[subject.Data, subject.State],
    state: subject.State,
    given: Mapping[str, str],
    forgotten: Collection[str] = (),
) -> subject.State:
    """Return the view state with fields of its address given other values, and others left out."""
    kept = [(key, value) for key, value in parse_qsl(state.query()) if key not in given.keys() | {*forgotten}]
    # a field may hold half of a pair of surrogates, which no address can have
    wanted = [(name, value.strip()) for name, value in given.items()]
    return screen.parse(urlencode([*kept, *wanted], errors="replace"))


def choice_shown(state: subject.State, known: Mapping[str, Sequence[str]], name: str) -> str:
    """Return what a choice between looks shows, empty where it is none; `known` has the values, the default first."""
    return state.chosen.get(name, known[name][0]) if name in known else ""
