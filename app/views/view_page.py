"""A page that is made of views: its ids, its views in reading order, its keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic

from app.views.address.codec import parse_query
from app.views.key import Key
from app.views.page_data import Data, State
from app.views.view import ContentView, Link, Plot, View


@dataclass(frozen=True)
class ViewPage(Generic[Data, State]):
    """A kind of page: `name` begins the ids of its components.

    `state` declares the fields of its address, to which the views add theirs; `zoomed` takes the ranges that a plot was
    zoomed to, `jumps` are the links in answers.
    """

    name: str
    views: tuple[View[Data, State], ...]
    state: type[State]
    zoomed: Callable[[State, Mapping[str, Any]], State]
    keys: tuple[Key[Data, State], ...] = ()
    jumps: tuple[Link[Data, State], ...] = ()

    def id(self, part: str) -> str:
        """Return the id of a part of the page."""
        return f"{self.name}-{part}"

    @property
    def view(self) -> str:
        """Return the id of the store that holds the view state, as its query string."""
        return self.id("view")

    @property
    def subject(self) -> str:
        """Return the id of the store that says what the page is of."""
        return self.id("id")

    @property
    def shown_store(self) -> str:
        """Return the id of the store that says what the page shows, see `app.views.drawing.Shown`."""
        return self.id("shown")

    @property
    def changes(self) -> str:
        """Return the id of the store through which the browser is given what changes: properties by component."""
        return self.id("changes")

    @property
    def progress(self) -> str:
        """Return the id of the element that is hidden unless the page is drawn."""
        return self.id("progress")

    @property
    def zoom(self) -> str:
        """Return the id of the store that holds the ranges a plot was zoomed to, by what they set."""
        return self.id("zoom")

    @property
    def key(self) -> str:
        """Return the id of the store that holds the key that was pressed."""
        return self.id("key")

    @property
    def choice(self) -> str:
        """Return the type of the ids of what chooses how the page looks; its name is a field of the view state."""
        return self.id("choice")

    @cached_property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """Return name of every choice -> the values that any view gives it, the default first."""
        found: dict[str, dict[str, None]] = {}
        for choice in (choice for view in self.views for choice in view.choices):
            found.setdefault(choice.name, {}).update(dict.fromkeys(choice.options))
        return MappingProxyType({name: tuple(values) for name, values in found.items()})

    @cached_property
    def selections(self) -> tuple[type[Any], ...]:
        """Return the records of the selections that its views bring."""
        return tuple(dict.fromkeys(view.selection.record for view in self.views if view.selection))

    def parse(self, query: str) -> State:
        """Return the view state that a query string names."""
        return parse_query(self.state, query, self.choices, self.selections)

    def selection_words(self, data: Data, state: State) -> dict[str, str]:
        """Return what is selected in views that bring a selection, in words, by the field of the address."""
        brought = dict.fromkeys(view.selection for view in self.views_of(data) if view.selection)
        return {part: text for selection in brought for part, text in selection.words(data, state).items()}

    def views_of(self, data: Data) -> list[View[Data, State]]:
        """Return the views that a subject has, in reading order."""
        return [view for view in self.views if view.shown_for(data)]

    def plots_of(self, data: Data) -> list[Plot[Data, State]]:
        """Return the plots that a subject has, in reading order."""
        return [view for view in self.views_of(data) if isinstance(view, Plot)]

    def plot_of(self, data: Data, view_id: str) -> Plot[Data, State] | None:
        """Return the plot of an id that the subject has."""
        return next((view for view in self.plots_of(data) if view.id == view_id), None)

    def words_of(self, data: Data, view_id: str) -> ContentView[Data, State] | None:
        """Return the view in words of an id that the subject has."""
        found = (view for view in self.views_of(data) if isinstance(view, ContentView) and view.id == view_id)
        return next(found, None)

    def links(self) -> list[Link[Data, State]]:
        """Return the links that stand inside of views, and those of their answers."""
        return [*self.jumps, *(link for view in self.views for link in view.links)]

    def press_key(self, state: State, data: Data, key: str) -> State:
        """Return the view state after a key."""
        binding = next((one for one in self.keys if key in one.keys and data.can(*one.needs)), None)
        return state if binding is None else binding.step(state, data, key)
