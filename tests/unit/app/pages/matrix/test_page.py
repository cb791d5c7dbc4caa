"""The page of allocators x runs: its address, its table with links into the lab, its file."""

import csv
import io

import pytest
from dash import dcc

from analysis.allocators.listed import LISTED
from app.pages.matrix.state import EFFORT, make, parse
from app.pages.matrix.table import gap_class, matrix_table
from services.lab.matrix_page import MAX_RUNS, matrix_rows
from services.lab.matrix_table import COLUMNS


@pytest.fixture
def run(problem_run):
    return problem_run


def test_equal_states_have_equal_addresses_and_what_is_malformed_is_passed_over():
    state = make(("ab12", "cd34"), {"effort": "1 000 000", "seed": "7"})
    assert (
        state.query() == "run=ab12&run=cd34&effort=1000000&seed=7" and parse(state.query()) == state
    )
    assert parse("run=ab12&run=ab12&run=../x&effort=no&seed=-1").query() == "run=ab12"
    assert len(parse("&".join(f"run=a{rank}" for rank in range(40))).run) == MAX_RUNS + 1
    assert parse("").effort == EFFORT
    assert parse(make(("ab12",), {"level": "core 2,1"}).query()).level == "core 2,1"


def test_colours_follow_the_gap():
    assert [gap_class(gap) for gap in (None, 0.0, 0.01, 0.04, 0.2, 3.0)] == [
        "",
        *(f"ts-gap-{rank}" for rank in range(5)),
    ]


def test_a_cell_leads_to_its_question(signed_in, run):
    context = signed_in("edgar").context
    state = make((run,), {"effort": "100", "seed": "3"})
    table = matrix_table(
        matrix_rows(context.lab, state.run, "ann", state.seed, state.effort), state
    )
    links = [
        link.href
        for link in table._traverse()
        if isinstance(link, dcc.Link) and "/lab?" in link.href
    ]
    assert f"/run/{run}/lab?attempt=0&strategy=best_fit&seed=3&effort=100" in links
    assert len(links) == len(LISTED)


@pytest.mark.slow
def test_the_cells_are_a_file(signed_in, run):
    client = signed_in("edgar")
    answer = client.get("/matrix.csv", query_string={"run": run})
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert answer.status_code == 200 and tuple(rows[0]) == COLUMNS
    assert [row["strategy"] for row in rows] == list(LISTED)
    assert client.get("/matrix.csv").status_code == 400
