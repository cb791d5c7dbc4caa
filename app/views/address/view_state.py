"""Base class of the view states of pages with views: fields, options, and selections that views
define.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, TypeVar

from app.views.address.codec import Addressed
from app.views.address.fields import declared_params
from app.views.address.selections import ViewSelections

Record = TypeVar("Record")


class ViewState(Addressed):
    """The view state of a page with views.

    `app.views.reads` records which of its fields a view reads.

    `chosen` has the options that are not at their default, `view_selections` the selections that
    views define.
    """

    chosen: Mapping[str, str]
    view_selections: ViewSelections

    @property
    def selects_nothing(self) -> bool:
        """Whether the state selects nothing, so that the page shows all of its data."""
        raise NotImplementedError

    def selected(self, record: type[Record]) -> Record:
        """Return the selection of a class that views define, with its defaults if it selects
        nothing.
        """
        return self.view_selections.of(record)

    def with_selected(self, record: object) -> Self:
        """Return the state with another record of a selection that views define, in place of that
        of the same class.
        """
        return replace(self, view_selections=self.view_selections.with_records([record]))  # type: ignore[type-var]

    def without(self, name: str) -> Self:
        """Return the state with a field of such a selection, and the fields that require it, at
        their default.
        """
        records = [_without(record, name) for record in self.view_selections.records]
        return replace(self, view_selections=self.view_selections.with_records(records))  # type: ignore[type-var]


def _without(record: Any, name: str) -> Any:  # noqa: ANN401 -- a record of a view's own
    params = declared_params(type(record))
    return replace(
        record, **{item.name: item.default for item in params if name in (item.name, item.requires)}
    )
