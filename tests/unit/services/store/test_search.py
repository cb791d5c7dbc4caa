"""What people ask of the list of runs, as text."""

from dataclasses import replace

import pytest

from schema.moments import MomentError
from services.store.search import SearchError, bound_date, run_filter
from storage.observation import Observation
from storage.run_list import RunList
from tests.support.runs import catalogue_of

TILE = {"m": 32, "k": 64, "n": 16, "rows": 4, "cols": 2, "mac_dtype": "int8"}
RUNS = (
    TILE
    | {
        "commit": "4f2a9c1",
        "branch": "main",
        "taken_at": "2026-10-01T02:30:00+00:00",
        "taken_from": "setting",
    },
    TILE
    | {"commit": "0004f2a", "branch": "fast", "taken_at": "2026-10-03T02:30:00+00:00", "rows": 14},
    {
        "commit": "",
        "branch": "main",
        "taken_at": "2026-10-05T02:30:00+00:00",
        "file": "net_32x64.csv",
    },
)


@pytest.fixture(scope="module")
def catalogue(new_database):
    made = catalogue_of(new_database(), *RUNS)
    again = Observation(
        "2026-10-09T00:00:00+00:00", "setting", "beef", "next", "x", "2026-11-20T00:00:00+00:00"
    )
    made.observe(made.get(f"{0:064x}"), {}, again)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("asked", "ranks"),
    [
        ({"search": "32x64x16"}, {0, 1}),
        ({"search": "32×64×16 main"}, {0}),
        ({"search": "4F2A"}, {0}),
        ({"search": "main"}, {0, 2}),
        ({"search": "net_32x64"}, {2}),
        ({"tile": "32x064x16"}, {0, 1}),
        ({"grid": "4x2"}, {0}),
        ({"branch": "main"}, {0, 2}),
        ({"branch": "mai"}, set()),
        ({"commit": "4f2"}, {0}),
        ({"commit": "beef", "branch": "next"}, {0}),
        ({"commit": "beef", "branch": "main"}, set()),
        ({"since": "2026-10-05T02:30Z"}, {0, 2}),
        ({"until": "2026-10-03T02:30Z"}, {0, 1}),
        ({"until": "2026-10-01"}, {0}),
        ({"since": "2026-10-02", "until": "2026-10-04"}, {1}),
        ({"search": "%"}, set()),
        ({}, {0, 1, 2}),
    ],
)
def test_runs_are_found_by_any_of_their_captures(catalogue, asked, ranks):
    found = {int(run.run_id, 16) for run in RunList(catalogue).each(run_filter({}, **asked))}
    assert found == ranks


@pytest.mark.parametrize(
    ("rows", "cols", "ranks"),
    [("4", "", {0}), ("", "2", {0, 1}), ("14", "2", {1}), ("%", "", set())],
)
def test_rows_and_columns_are_those_of_the_grid(catalogue, rows, cols, ranks):
    fits = replace(run_filter({}), rows=rows, cols=cols)
    assert {int(run.run_id, 16) for run in RunList(catalogue).each(fits)} == ranks


def test_at_most_so_many_are_given(catalogue):
    assert len([*RunList(catalogue).each(run_filter({}), 2)]) == 2


@pytest.mark.parametrize(
    "asked", [{"tile": "32x64"}, {"grid": "4"}, {"tile": "axbxc"}, {"grid": "4x4x4"}]
)
def test_sizes_that_are_none_are_refused(asked):
    with pytest.raises(SearchError):
        run_filter({}, **asked)


def test_a_date_that_is_none_is_refused():
    with pytest.raises(MomentError):
        bound_date("since", "yesterday")
    assert bound_date("since", "") == ""
