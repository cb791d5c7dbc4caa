"""Convert view states to query strings and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar
from urllib.parse import parse_qsl, urlencode

from app.views.address.fields import declared_params, read_params, write_params
from app.views.address.kind import NO_CHOICES, Address, Choices, Pair

State = TypeVar("State", bound="Addressed")


class Addressed:
    """A view state with declared fields (see `fields.param`); equal states have equal queries.

    `safe` are characters that are not percent-encoded in its query. If `keeps_blank` is true, an
    empty text is a value.
    """

    safe: ClassVar[str] = ","
    keeps_blank: ClassVar[bool] = False

    def query(self) -> str:
        """Return the canonical query string of the state without `?`; fields at their default are
        left out, "" if all are.
        """
        return urlencode([*write_params(declared_params(type(self)), self)], safe=self.safe)


def parse_query(
    state: type[State],
    query: str,
    choices: Choices = NO_CHOICES,
    selections: tuple[type[Any], ...] = (),
) -> State:
    """Parse a query string, with or without `?`, to an instance of `state`; unknown and malformed
    fields are ignored.

    `choices` maps options to their values, the default first; `selections` are the types of records
    that views define.
    """
    # Unpaired surrogates cannot be encoded; they are replaced by question marks.
    text = query.removeprefix("?").encode("utf-8", "replace").decode()
    pairs = parse_qsl(text, keep_blank_values=state.keeps_blank)
    return read_state(state, pairs, choices, selections)


def read_state(
    state: type[State],
    pairs: Iterable[Pair],
    choices: Choices = NO_CHOICES,
    selections: tuple[type[Any], ...] = (),
) -> State:
    """Build an instance of `state` from the (name, text) pairs of an address; unknown names are
    ignored, invalid texts become the default.
    """
    return state(**read_params(declared_params(state), Address([*pairs], choices, selections)))
