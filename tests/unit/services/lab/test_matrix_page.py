"""Rows and cells of the page of allocators x runs: what is answered, refused, and still to be asked."""

import pytest

from analysis.allocators.listed import LISTED
from analysis.allocators.packing import PACKERS
from ingest.files import ingest
from services.lab.matrix_page import (
    MAX_RUNS,
    matrix_levels,
    matrix_of_rows,
    matrix_rows,
    open_tasks,
)
from services.lab.matrix_table import COLUMNS, REFUSED, matrix_frame
from tests.support.access import problem
from tests.support.comparisons import SAMPLES

EFFORT = 100


@pytest.fixture
def run(context, tmp_path):
    path = tmp_path / "p.81920.csv"
    path.write_bytes(problem(1))
    return ingest(context.repository, [path], {}).runs[0].run_id


def rows_of(context, *ids, level=""):
    return matrix_rows(context.lab, ids, "ann", 0, EFFORT, level=level)


@pytest.fixture
def design(context):
    """Return the id of a run with a memory level per tile."""
    path = SAMPLES / "aie_design" / "pipeline" / "input_with_addresses.mlir"
    return ingest(context.repository, [path], {}).runs[0].run_id


@pytest.mark.slow
def test_a_level_is_the_problem_of_its_tile_alone(context, design):
    (row,) = rows_of(context, design)
    assert len(row.levels) > 1 and matrix_levels([row, row]) == list(row.levels)
    attempts = context.repository.frame(design, "attempts").set_index("level")
    for level in row.levels:
        (chosen,) = rows_of(context, design, level=level)
        assert chosen.data.asked.attempt == attempts.loc[level, "attempt"]


@pytest.mark.slow
def test_a_run_without_the_level_is_refused(context, design, run):
    level = rows_of(context, design)[0].levels[-1]
    rows = rows_of(context, run, design, level=level)
    assert [bool(row.refusal) for row in rows] == [True, False]
    assert level in rows[0].refusal
    tasks = open_tasks(rows, 0, EFFORT, can_compile=True)
    assert {task.run_id for task in tasks} == {design}


def test_a_row_has_what_takes_no_time_and_the_rest_is_to_be_asked(context, run):
    rows = rows_of(context, run[:8])
    cells = {cell["strategy"]: cell for cell in matrix_of_rows(rows, 0, EFFORT)}
    assert list(cells) == list(LISTED) and all(set(cell) == set(COLUMNS) for cell in cells.values())
    assert all(cells[name]["extent"] >= cells[name]["bound"] > 0 for name in PACKERS)
    tasks = list(open_tasks(rows, 0, EFFORT, can_compile=True))
    assert [task.question.strategy for task in tasks] == [n for n in LISTED if n not in PACKERS]
    assert {(task.run_id, task.question.effort, task.room) for task in tasks} == {
        (run, EFFORT, None)
    }
    assert all(cells[task.question.strategy]["status"] is None for task in tasks)


@pytest.mark.slow
def test_without_a_compiler_nothing_is_asked_that_needs_one(context, run):
    tasks = open_tasks(rows_of(context, run), 0, EFFORT, can_compile=False)
    assert not any(LISTED[task.question.strategy].proves for task in tasks)


def test_a_run_that_is_none_is_refused_and_ends_nothing(context, run):
    rows = rows_of(context, "ffffffff", run)
    table = matrix_frame(matrix_of_rows(rows, 0, EFFORT))
    assert len(table) == 2 * len(LISTED)
    assert (
        set(table["status"][: len(LISTED)]) == {REFUSED}
        and table["extent"][: len(LISTED)].isna().all()
    )
    assert not rows[1].refusal


def test_there_are_so_many_rows_at_most(context):
    assert len(rows_of(context, *(f"{rank:x}" * 8 for rank in range(MAX_RUNS + 2)))) == MAX_RUNS
