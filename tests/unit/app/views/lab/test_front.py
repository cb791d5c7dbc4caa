"""Least disturbance on the page of the lab: points are placements that can be looked at, kept and left again."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.allocators.listed import KEEP_MOST
from app.pages.lab.callbacks import fill_fields
from app.views.lab.front import FRONT, point_clicked
from app.views.lab.picture import map_panel
from app.views.lab.registry import parse
from app.views.lab.results import row_picked, shown_row, table_rows
from app.views.lab.state import LabState
from app.views.lab.view import picked_placement
from components.lab.results_grid import row_number
from ingest.files import ingest
from services.lab.export import placement_json

STORED = "id,lower,upper,size,offset\na,0,4,10,0\nb,2,6,6,20\nc,1,3,7,30\n"


@pytest.fixture
def lab(context, tmp_path):
    """Return what opens the lab of a run whose file leaves holes, with two placements of least disturbance."""
    path = tmp_path / "p.64.solved.csv"
    path.write_text(STORED)
    run = ingest(context.repository, [path], {}).runs[0].run_id

    def opened(state=None):
        state = state or LabState()
        data = context.lab.get(run, state.lab_problem, state.attempt, "ann")
        return context.lab.add_instant_placements(data, state.seed, state.effort)

    task = opened().task(KEEP_MOST, 0, 1)
    assert list(task.stored) == [0, 20, 30]
    points = [point(37, 0, task.stored), point(23, 13, [0, 10, 16])]
    context.lab.searches.placements.keep_front(task.question, points)
    return opened


def point(extent, moved, address):
    plain = {
        "status": "feasible",
        "proof": None,
        "stopped": "done",
        "bound": 23,
        "gap": 0.1,
        "seconds": 1.0,
    }
    more = {"extent": extent, "moved_bytes": moved, "address": list(address)}
    return plain | more | {"effort": 0, "trace": [], "note": ""}


def click(moved):
    return {"points": [{"customdata": [moved]}]}


def test_points_are_drawn_by_moved_bytes_and_are_no_rows_of_the_table(lab):
    data = lab()
    (trace,) = FRONT.draw(data, LabState(), "light").figure.data
    assert (list(trace.x), list(trace.y)) == ([0, 13], [37, 23])
    assert KEEP_MOST not in {row["strategy"] for row in table_rows(data, LabState())}
    assert [row[0] for row in FRONT.tables(data, LabState())[0].rows] == ["0", "13"]


def test_a_point_is_a_map_with_what_moved_and_again_leads_back(lab):
    data = lab()
    state = point_clicked(LabState(), data, click(13))
    assert state.moved == 13 and parse(state.query()) == state
    answer = picked_placement(data, state)
    assert answer.extent == 23 and np.array_equal(answer.address, [0, 10, 16])
    assert "2 of 3 blocks" in map_panel(data, state, "light").caption
    assert '"moved_bytes": 13' in placement_json(data, answer)
    assert shown_row(data, state) is None
    assert point_clicked(state, data, click(13)) == LabState()
    assert (
        point_clicked(state, data, click(99)) == state and point_clicked(state, data, None) == state
    )


def test_a_row_or_another_question_leaves_the_point(lab):
    data, state = lab(), LabState(moved=13)
    row = next(row for row in table_rows(data, state) if row["strategy"] == "best_fit")
    assert row_picked(state, data, row_number(row)).moved is None
    assert fill_fields(state, data, {"seed": "4"}).moved is None
    assert fill_fields(state, data, {"find": "a"}).moved == 13


def test_with_a_capacity_it_is_another_question(lab):
    assert not lab(LabState(capacity=30)).front


@pytest.mark.slow
def test_without_a_stored_placement_nothing_can_be_kept(context, tmp_path):
    path = tmp_path / "q.64.csv"
    path.write_text("\n".join(line.rsplit(",", 1)[0] for line in STORED.splitlines()))
    run = ingest(context.repository, [path], {}).runs[0].run_id
    data = context.lab.get(run, LabState().lab_problem, None, "ann")
    assert not data.can_keep_most
    with pytest.raises(ValueError, match="no placement"):
        data.task(KEEP_MOST, 0, 1)
    assert replace(data, front=()).front_point(0) is None
