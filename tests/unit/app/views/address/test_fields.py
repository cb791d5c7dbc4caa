from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import choices_param, param, record_param, selections_param
from app.views.address.kinds import Flag, Numbers, OneOf, Text, Whole
from app.views.address.ranges import Span
from app.views.address.selections import ViewSelections
from app.views.address.view_state import ViewState


@dataclass(frozen=True)
class Place:
    """A record of a layer that knows no addresses."""

    row: int | None = None
    window: tuple[int, int] | None = None


@dataclass(frozen=True)
class Probe:
    """A selection that a view brings."""

    probe: str = param(Text(9), "")
    depth: int = param(Whole(), 3, requires="probe")


@dataclass(frozen=True)
class Early:
    """A selection whose first field comes before that of `Probe`."""

    early: tuple[int, ...] = param(Numbers(2), ())


@dataclass(frozen=True)
class State(ViewState):
    colour: str = param(OneOf(("red", "blue")), "red")
    place: Place = record_param(Place, {"row": Whole(), "window": Span()})
    name: str = param(Text(5), "")
    view_selections: ViewSelections = selections_param()
    loud: bool = param(Flag(), default=False, unless="name")
    chosen: Mapping[str, str] = choices_param()


CHOICES = {"look": ("plain", "bold"), "after": ("a", "b")}


def parse(query):
    return parse_query(State, query, CHOICES, (Probe, Early))


def test_fields_are_written_in_the_order_in_which_they_are_declared_and_defaults_are_left_out():
    query = "colour=blue&row=0&window=-5-9&early=1,5&probe=p&depth=4&loud=1&after=b&look=bold"
    assert parse("&".join(reversed(query.split("&")))).query() == query
    assert parse("colour=red&row=&window=9-3&look=plain&depth=3&loud=0") == State()
    assert State().query() == ""


def test_the_last_text_of_a_name_counts_and_unknown_names_do_not():
    assert parse("row=1&row=2&place=3&probes=x") == State(place=Place(row=2))


def test_a_field_is_its_default_without_the_one_that_it_requires_and_beside_the_one_that_excludes_it():
    assert parse("depth=4") == State()
    assert parse("probe=p&depth=4").selected(Probe) == Probe("p", 4)
    assert parse("name=x&loud=1") == State(name="x")


def test_selections_of_views_are_set_and_taken_away_by_their_fields():
    state = State().with_selected(Probe("p", 4)).with_selected(Early((7,)))
    assert state.query() == "early=7&probe=p&depth=4"
    assert (state.selected(Probe), state.selected(Early)) == (Probe("p", 4), Early((7,)))
    assert state.without("depth").selected(Probe) == Probe("p")
    assert state.without("probe") == State().with_selected(Early((7,)))
    assert state.without("nothing") == state
    assert State().selected(Probe) == Probe()
    assert state.with_selected(Probe()).with_selected(Early()) == State()
    assert hash(state.view_selections) == hash(parse(state.query()).view_selections)


def test_what_fields_hold_is_read_as_an_address_is():
    assert read_state(State, [("row", "3"), ("name", "too long")]) == State(
        place=Place(row=3), name="too l"
    )


def test_a_field_that_is_not_declared_is_refused():
    @dataclass(frozen=True)
    class Undeclared(Addressed):
        name: str = field(default="")

    with pytest.raises(KeyError):
        Undeclared().query()
