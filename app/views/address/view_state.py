"""The state of a page of views: its fields, the choices between looks, and the selections that views bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, TypeVar

from app.views.address.codec import Addressed
from app.views.address.fields import params_of
from app.views.address.selections import ViewSelections

Record = TypeVar("Record")


class ViewState(Addressed):
    """What of a subject a page of views shows, and how; `app.views.reads` says which of its fields a view read.

    `chosen` has the choices between looks that are not the default ones, `view_selections` what is selected in views
    that bring a selection of their own.
    """

    chosen: Mapping[str, str]
    view_selections: ViewSelections

    @property
    def selects_nothing(self) -> bool:
        """Return whether all of the subject is shown."""
        raise NotImplementedError

    def selected(self, record: type[Record]) -> Record:
        """Return the selection of a class that views bring."""
        return self.view_selections.of(record)

    def with_selected(self, record: object) -> Self:
        """Return the state with another selection that views bring."""
        return replace(self, view_selections=self.view_selections.with_records([record]))  # type: ignore[type-var]

    def without(self, name: str) -> Self:
        """Return the state with a field of such a selection at its default, and the fields that require it."""
        records = [_without(one, name) for one in self.view_selections.records]
        return replace(self, view_selections=self.view_selections.with_records(records))  # type: ignore[type-var]


def _without(record: Any, name: str) -> Any:  # noqa: ANN401 -- a record of a view's own
    params = params_of(type(record))
    return replace(record, **{one.name: one.default for one in params if name in (one.name, one.requires)})
