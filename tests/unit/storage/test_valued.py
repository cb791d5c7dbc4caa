"""Which columns of the list have a value: what a stored row says holds for every later release."""

import sqlite3
from contextlib import closing

import pytest

from storage import run_counts
from storage.run_list import RunList
from storage.run_query import EVERY_RUN
from storage.tables import LISTED_METRICS, LISTING, VALUED
from tests.support.runs import catalogue_of

STORED = {
    **{
        "M": 0,
        "K": 1,
        "N": 2,
        "gmacs_mean": 3,
        "gmacs_best": 4,
        "utilization": 5,
        "kernels": 6,
        "busy_share": 7,
    },
    **{
        "kernel_time": 8,
        "flops_total": 9,
        "peak_memory": 10,
        "capacity_use": 11,
        "failed_blocks": 12,
    },
    **{"memory_waste": 13, "tags": 14, "file": 15, "created_at": 16, "step_time": 25},
    **{"compute_share": 26, "communication_exposed_share": 27, "idle_share": 28},
    "named_numbers": 29,
}
"""Bits that rows of stores have."""
NOTHING = {"M": None, "K": None, "N": None, "tags": "", "file": ""}


@pytest.fixture
def listed(tmp_path):
    """Return the stored number of the only run of a new catalogue, which may be given, and what is read of it."""
    made = []

    def stored(mask=None, **row):
        path = tmp_path / f"{len(made)}.db"
        made.append(catalogue_of(f"sqlite:///{path}", NOTHING | row))
        with closing(sqlite3.connect(path)) as connection, connection:
            if mask is not None:
                connection.execute("UPDATE listing SET valued = ?", (mask,))
                connection.execute("UPDATE combinations SET valued = ?", (mask,))
            (found,) = connection.execute("SELECT valued FROM listing").fetchone()
        return found, {*RunList(made[-1]).counts(EVERY_RUN, 40).totals.with_value}

    yield stored
    for catalogue in made:
        catalogue.close()


def test_bits_of_stored_rows_never_change():
    assert {name: VALUED.get(name) for name in STORED} == STORED


def test_every_listed_metric_has_a_bit_of_its_own_that_the_column_holds():
    assert set(LISTED_METRICS) <= set(VALUED) <= set(LISTING.c.keys())
    assert len(set(VALUED.values())) == len(VALUED)
    assert all(0 <= bit < 31 for bit in VALUED.values())


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("name", [*LISTED_METRICS, "M", "K", "N", "tags", "file"])
def test_a_row_has_the_bits_of_its_values(listed, name):
    value = "x" if name in ("tags", "file") else 1
    assert listed(**{name: value}) == (1 << STORED[name], {name})


@pytest.mark.quick_every(2)
@pytest.mark.parametrize("name", STORED)
def test_a_stored_row_keeps_its_meaning_when_another_metric_is_listed(listed, name, monkeypatch):
    monkeypatch.setattr(run_counts, "VALUED", {"another": 17, **VALUED})
    assert listed(mask=1 << STORED[name])[1] == {name}


def test_bits_of_a_later_release_are_passed_over(listed):
    later = 1 << (1 + max(VALUED.values()))
    assert listed(mask=later | (1 << STORED["tags"]))[1] == {"tags"}
