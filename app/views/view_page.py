"""A page that consists of views: its component ids, views in reading order, keys."""

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
    """A kind of page.

    `name` is the prefix of its component ids. `state` declares the fields of its address, to which
    the views add their own. `zoomed` returns the state after a plot was zoomed; `jumps` are the
    links in captions.
    """

    name: str
    views: tuple[View[Data, State], ...]
    state: type[State]
    zoomed: Callable[[State, Mapping[str, Any]], State]
    keys: tuple[Key[Data, State], ...] = ()
    jumps: tuple[Link[Data, State], ...] = ()

    def id(self, part: str) -> str:
        """Return the component id of a part of the page: the page's name, a dash and the part."""
        return f"{self.name}-{part}"

    @property
    def view(self) -> str:
        """Id of the store that has the view state as a query string."""
        return self.id("view")

    @property
    def subject(self) -> str:
        """Id of the store that has the id of the page data."""
        return self.id("id")

    @property
    def shown_store(self) -> str:
        """Id of the store for the state of the displayed page, see `app.views.drawing.Shown`."""
        return self.id("shown")

    @property
    def changes(self) -> str:
        """Id of the store that sends changed properties to the browser, by component."""
        return self.id("changes")

    @property
    def progress(self) -> str:
        """Id of the element that is visible while the page is drawn."""
        return self.id("progress")

    @property
    def zoom(self) -> str:
        """Id of the store that has the ranges that a plot was zoomed to, by name of the range."""
        return self.id("zoom")

    @property
    def key(self) -> str:
        """Id of the store that has the pressed key."""
        return self.id("key")

    @property
    def choice(self) -> str:
        """Type in the ids of the page's selectors; the name in the id is a field of the view state."""
        return self.id("choice")

    @cached_property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """Name of every option -> the values that any view offers for it, the default first."""
        # Dicts as ordered sets: the default has to stay first.
        values_by_name: dict[str, dict[str, None]] = {}
        for choice in (choice for view in self.views for choice in view.choices):
            values_by_name.setdefault(choice.name, {}).update(dict.fromkeys(choice.options))
        return MappingProxyType({name: tuple(values) for name, values in values_by_name.items()})

    @cached_property
    def selections(self) -> tuple[type[Any], ...]:
        """Types of the records of the selections that its views define."""
        return tuple(dict.fromkeys(view.selection.record for view in self.views if view.selection))

    def parse(self, query: str) -> State:
        """Parse a query string into a view state; invalid fields get their defaults."""
        return parse_query(self.state, query, self.choices, self.selections)

    def selection_words(self, data: Data, state: State) -> dict[str, str]:
        """Return field of the address -> selection in words, for the selections that the views of
        the page data define.
        """
        # Several views may share a selection, which is described once.
        brought = dict.fromkeys(
            view.selection for view in self.available_views(data) if view.selection
        )
        return {
            part: text
            for selection in brought
            for part, text in selection.words(data, state).items()
        }

    def available_views(self, data: Data) -> list[View[Data, State]]:
        """Return the views that the page data supports, in reading order."""
        return [view for view in self.views if view.shown_for(data)]

    def available_plots(self, data: Data) -> list[Plot[Data, State]]:
        """Return the plots that the page data supports, in reading order."""
        return [view for view in self.available_views(data) if isinstance(view, Plot)]

    def find_plot(self, data: Data, view_id: str) -> Plot[Data, State] | None:
        """Return the plot with an id; None if the page data does not have it."""
        return next((view for view in self.available_plots(data) if view.id == view_id), None)

    def find_content_view(self, data: Data, view_id: str) -> ContentView[Data, State] | None:
        """Return the content view with an id; None if the page data does not have it."""
        matches = (
            view
            for view in self.available_views(data)
            if isinstance(view, ContentView) and view.id == view_id
        )
        return next(matches, None)

    def links(self) -> list[Link[Data, State]]:
        """Return all links of the page: the links in captions, then the links inside views; a link
        that several views share once.
        """
        inside = (link for view in self.views for link in view.links)
        return [*dict.fromkeys((*self.jumps, *inside))]

    def press_key(self, state: State, data: Data, key: str) -> State:
        """Return the view state after a key was pressed; unchanged if the page data has no action
        for the key.
        """
        binding = next(
            (other for other in self.keys if key in other.keys and data.can(*other.needs)), None
        )
        return state if binding is None else binding.step(state, data, key)
