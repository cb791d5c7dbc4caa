"""The likenesses of the list: both ways to read them say the same."""

import pytest

from storage import likenesses
from storage.likenesses import count_runs, count_runs_up_to, distinct_likenesses
from storage.tables import LISTING

RUNS = ({"hwid": "a"}, {"hwid": "a"}, {"hwid": "b", "gmacs_mean": 5.0}, {"hwid": "c"})


@pytest.fixture
def catalogue(opened):
    return opened(*RUNS)


def read(catalogue, *conditions, expected=0):
    with catalogue.connect() as connection:
        return distinct_likenesses(connection, conditions, expected)


def test_steps_and_a_scan_find_the_same(catalogue):
    c = LISTING.c
    for conditions, count in (
        ((), 3),
        ((c.hwid == "a",), 1),
        ((c.hwid == "a", c.source == "no such source"), 0),
        ((c.gmacs_mean.is_not(None), c.hwid != "b"), None),
        ((c.hwid == "no such hardware",), 0),
    ):
        found = read(catalogue, *conditions)
        scanned = read(catalogue, *conditions, expected=likenesses._MAX_STEPS + 1)
        assert len(found) == len({*found})
        assert {*found} == {*scanned}
        assert count is None or len(found) == count


def test_damaged_runs_have_no_likeness(catalogue):
    with catalogue.begin() as connection:
        connection.execute(LISTING.update().where(LISTING.c.hwid != "b").values(likeness=""))
    assert len(read(catalogue)) == 1
    with catalogue.begin() as connection:
        connection.execute(LISTING.update().values(likeness=""))
    assert read(catalogue) == []


def test_runs_are_counted_by_likeness(catalogue, monkeypatch):
    every = read(catalogue)
    counts = count_runs(catalogue, [*every, "no such likeness"])
    assert [*counts] == every
    assert sorted(counts.values()) == [1, 1, 2]
    assert count_runs(catalogue, every[:1]) == {every[0]: counts[every[0]]}
    monkeypatch.setattr(likenesses, "_BATCH_SIZE", 1)
    assert count_runs(catalogue, every[1:]) == {name: counts[name] for name in every[1:]}


@pytest.mark.parametrize("most_steps", [0, 10])
def test_runs_are_counted_up_to_a_number(catalogue, monkeypatch, most_steps):
    monkeypatch.setattr(likenesses, "_MAX_STEPS", most_steps)
    every = read(catalogue, expected=11)
    counts = count_runs(catalogue, every)
    asked = [every[2], "no such likeness", *every[:2]]
    assert list(count_runs_up_to(catalogue, asked, 9)) == [every[2], *every[:2]]
    assert count_runs_up_to(catalogue, asked, 2) == counts
    assert set(count_runs_up_to(catalogue, asked, 1).values()) == {1}
    assert count_runs_up_to(catalogue, every[:1], 1) == {every[0]: 1}
