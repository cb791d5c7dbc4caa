"""Events by address: counted, drawn, and what is left out said."""

import pandas as pd
import pytest

from components.aie import addresses
from components.aie.addresses import (
    address_bars,
    address_counts,
    address_order,
    addresses_caption,
    addresses_left_out,
)
from tests.support.numbers_in_text import has_numbers, numbers_in


def records(*rows):
    """Return frame `program_counters` of rows of track, name, order and pc."""
    return pd.DataFrame(rows, columns=["track", "name", "order", "pc"])


RECORDS = records(
    ("core 2,1", "INSTR_VECTOR", 0, 0x20),
    ("core 2,1", "INSTR_VECTOR", 1, 0x20),
    ("core 2,1", "LOCK_STALL", 1, 0x20),
    ("core 3,1", "LOCK_STALL", 0, 0x8),
)


def test_events_are_counted_by_core_address_and_name():
    counts = address_counts(RECORDS)
    assert counts["events"].sum() == len(RECORDS)
    assert counts.iloc[0].to_dict() == {
        "track": "core 2,1",
        "pc": 0x20,
        "name": "INSTR_VECTOR",
        "events": 2,
    }


def test_the_answer_names_the_address_with_most_events():
    text = addresses_caption(address_counts(RECORDS))
    assert numbers_in(text) == ["4", "2", "2", "2", "1", "0x0020", "3", "75.0 %"]
    assert "No event" in addresses_caption(address_counts(RECORDS.head(0)))


def test_addresses_are_rows_in_order_with_a_bar_per_name():
    figure = address_bars(address_counts(RECORDS), "light")
    assert list(figure.layout.yaxis.ticktext) == ["core 2,1 0x0020", "core 3,1 0x0008"]
    assert {trace.name: list(trace.x) for trace in figure.data} == {
        "INSTR_VECTOR": [2],
        "LOCK_STALL": [1, 1],
    }
    assert {trace.name: list(trace.y) for trace in figure.data} == {
        "INSTR_VECTOR": [0],
        "LOCK_STALL": [0, 1],
    }


def test_the_order_of_capture_is_no_time():
    figure = address_order(RECORDS, "dark")
    assert "no time" in figure.layout.xaxis.title.text
    assert sum(len(trace.x) for trace in figure.data) == len(RECORDS)


@pytest.mark.parametrize(
    "draw",
    [
        lambda empty: address_bars(address_counts(empty), "light"),
        lambda empty: address_order(empty, "light"),
    ],
)
def test_nothing_is_drawn_of_nothing(draw):
    assert not draw(RECORDS.head(0)).data


def test_what_is_left_out_is_said(monkeypatch):
    monkeypatch.setattr(addresses, "MAX_ADDRESSES", 1)
    monkeypatch.setattr(addresses, "MAX_POINTS", 3)
    counts = address_counts(RECORDS)
    assert list(address_bars(counts, "light").layout.yaxis.ticktext) == ["core 2,1 0x0020"]
    assert numbers_in(addresses_left_out(counts, 4, by_order=False)) == ["1"]
    assert numbers_in(addresses_left_out(counts, 4, by_order=True)) == ["1"]
    assert addresses_left_out(counts, 3, by_order=True) == ""


def test_names_of_a_file_are_no_markup():
    figure = address_bars(address_counts(records(("core 2,1", "<b>x</b>", 0, 4))), "light")
    assert "<b>x" not in figure.data[0].name


def test_one_address_of_two_cores_is_two_places():
    twice = address_counts(
        records(("core 2,1", "LOCK_STALL", 0, 8), ("core 3,1", "LOCK_STALL", 0, 8))
    )
    assert len(address_bars(twice, "light").layout.yaxis.ticktext) == 2
    assert has_numbers(addresses_caption(twice), "2", "2")
    alone = address_bars(twice[twice["track"] == "core 2,1"], "light")
    assert list(alone.layout.yaxis.ticktext) == ["0x0008"]
