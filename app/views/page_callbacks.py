"""Callbacks of a page that consists of views and fields: views, keys, fields, browser history."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic
from urllib.parse import parse_qsl, urlencode

from dash import ALL, Input, Output, State
from dash.exceptions import PreventUpdate

from app.views import page_data
from app.views.binding import Binding
from app.views.callbacks import ViewCallbacks
from app.views.drawing import Piece, view_pieces
from app.views.view_page import ViewPage
from schema.byte_sizes import parse_bytes

_ESCAPE = "Escape"


@dataclass(frozen=True)
class MoreFields(Generic[page_data.Data, page_data.State]):
    """Fields of a page that are not options.

    `inputs` are their values, and `ids` tell apart the components of one input. `take` returns the
    view state after a change and the values for `outputs`. `show` returns the values of the fields
    for a view state.
    """

    inputs: Sequence[Input]
    ids: Sequence[State]
    outputs: Sequence[Output]
    take: Callable[
        [page_data.State, page_data.Data, Sequence[Any], Sequence[Any]],
        tuple[page_data.State, Sequence[Any]],
    ]
    show: Callable[[page_data.Data, page_data.State, Sequence[Any]], Sequence[Any]]


@dataclass(frozen=True)
class PageCallbacks(Generic[page_data.Data, page_data.State]):
    """The callbacks of a page.

    `head` is drawn above the views, `foot` below them. `cleared` clears the selection. `shown`
    returns the displayed value of a named field. `filled` returns the view state after fields got
    new values, by field name. `more` has fields with rules of their own.
    """

    binding: Binding[page_data.Data, page_data.State]
    head: Sequence[Piece[page_data.Data, page_data.State]]
    cleared: Callable[[page_data.State], page_data.State]
    shown: Callable[[page_data.Data, page_data.State, str], str]
    filled: Callable[[page_data.State, page_data.Data, Mapping[str, str]], page_data.State]
    foot: Sequence[Piece[page_data.Data, page_data.State]] = ()
    more: MoreFields[page_data.Data, page_data.State] | None = None

    def pieces(self, data: page_data.Data) -> Iterator[Piece[page_data.Data, page_data.State]]:
        """Yield all pieces of the page, in reading order: head, views, foot."""
        yield from self.head
        yield from view_pieces(self.binding.screen, data)
        yield from self.foot

    def register(self) -> None:
        """Register the callbacks of views, keys, fields and browser history with the app."""
        ViewCallbacks(self.binding, self.pieces).register()
        self._register_keys()
        self._register_fields()
        self._register_following()

    def _register_keys(self) -> None:
        screen = self.binding.screen

        @self.binding.steps(Input(screen.key, "data"))
        def press(
            state: page_data.State, data: page_data.Data, key: dict[str, Any] | None
        ) -> page_data.State:
            pressed = key.get("key") if isinstance(key, dict) else None
            if pressed is None:
                raise PreventUpdate
            return (
                self.cleared(state)
                if pressed == _ESCAPE
                else screen.press_key(state, data, str(pressed))
            )

    @property
    def _field(self) -> dict[str, Any]:
        return {"type": self.binding.screen.choice, "name": ALL}

    def _register_fields(self) -> None:
        more = self.more
        states = [State(self._field, "id"), *(more.ids if more else ())]
        inputs, outputs = (more.inputs, more.outputs) if more else ((), ())

        @self.binding.steps(Input(self._field, "value"), *inputs, outputs=outputs, states=states)
        def choose(
            state: page_data.State,
            data: page_data.Data,
            values: list[object],
            *arguments: Any,  # noqa: ANN401
        ) -> Any:  # noqa: ANN401
            others = arguments[: len(inputs)]
            names = arguments[len(inputs)]
            ids = arguments[len(inputs) + 1 :]
            # Dash also calls this when the fields follow the address, so only changes by a person
            # count.
            fields = {name["name"]: value for name, value in zip(names, values, strict=True)}
            changed = self._changed_fields(state, data, fields)
            if not changed and more is None:
                raise PreventUpdate
            after = self.filled(state, data, changed) if changed else state
            if more is None:
                return after
            after, values_of_outputs = more.take(after, data, others, ids)
            return after, *values_of_outputs

    def _changed_fields(
        self, state: page_data.State, data: page_data.Data, fields: Mapping[str, object]
    ) -> dict[str, str]:
        """Return field name -> text for the fields that a person changed, which differ from the
        displayed values.
        """
        texts = {name: field_text(value) for name, value in fields.items()}
        return {
            name: value for name, value in texts.items() if value != self.shown(data, state, name)
        }

    def _register_following(self) -> None:
        """Register the callback that updates the view state and the fields when the browser goes
        back or forward.
        """
        binding = self.binding
        screen = self.binding.screen
        more = self.more
        others = [
            Output(field.component_id, field.component_property, allow_duplicate=True)
            for field in (more.inputs if more else ())
        ]

        @binding.app.callback(
            Output(screen.view, "data", allow_duplicate=True),
            Output(self._field, "value"),
            *others,
            Input(f"{screen.view}-from-url", "data"),
            State(screen.subject, "data"),
            State(self._field, "id"),
            *(more.ids if more else ()),
            prevent_initial_call=True,
        )
        def follow(
            query: str | None,
            data_id: str,
            names: list[dict[str, str]],
            *ids: Any,  # noqa: ANN401
        ) -> tuple[Any, ...]:
            """Return the query of the view state for an address after back or forward, and the
            values of the fields.
            """
            state, data = binding.open_page(query, data_id)
            values = [self.shown(data, state, name["name"]) for name in names]
            return state.query(), values, *(more.show(data, state, ids) if more else ())


def field_text(value: object) -> str:
    """Convert the value of a field to text; "" for a value of any other type."""
    return str(value) if isinstance(value, str | int | float) else ""


def bytes_text(text: str | None) -> str | None:
    """Convert a field with a unit (as "4 KiB") to decimal digits of bytes; "" for an empty field,
    None if missing or invalid.
    """
    if text is None or not text.strip():
        # None stays None, blanks become "".
        return text and ""
    try:
        return str(parse_bytes("".join(text.split())))
    except ValueError:
        return None


def with_fields(
    screen: ViewPage[page_data.Data, page_data.State],
    state: page_data.State,
    given: Mapping[str, str],
    forgotten: Collection[str] = (),
) -> page_data.State:
    """Return the view state with the values in `given` (stripped) for some fields of its address.

    The fields in `forgotten` are left out, so that they have their defaults.
    """
    unchanged = [
        (key, value)
        for key, value in parse_qsl(state.query())
        if key not in given.keys() | {*forgotten}
    ]
    # A field can contain an unpaired surrogate, which cannot be encoded in an address.
    wanted = [(name, value.strip()) for name, value in given.items()]
    return screen.parse(urlencode([*unchanged, *wanted], errors="replace"))


def choice_shown(state: page_data.State, known: Mapping[str, Sequence[str]], name: str) -> str:
    """Return the displayed value of an option, "" for an unknown name.

    `known` maps the name of an option to its values, the default first.
    """
    return state.chosen.get(name, known[name][0]) if name in known else ""
