"""A click on an operator or a Python function of the timeline selects the kernels that it launched."""

import pytest

from app.views.state import RunState
from app.views.timeline.actions import event_clicked
from app.views.timeline.lanes import timeline_rows
from components.timeline.places import Places
from tests.support.kineto_trace import trace_data, two_steps

BLANK = RunState()


def click(data, track, name):
    """Build a click on the first event of a name on a track."""
    index = data.timeline.events
    rows = timeline_rows(data, BLANK)
    lanes = [f"{lane}" for lane in index.lanes["lane"]]
    for lane, row_track in enumerate(index.lanes["track"]):
        for place in range(index.offset[lane], index.offset[lane + 1]):
            if row_track == track and index.names[index.code[place]] == name:
                at = [(row.track, row.lane) for row in rows].index((track, lanes[lane]))
                y = Places.of(data.timeline, rows).rows[at]
                return {
                    "points": [
                        {"base": int(index.start[place]), "x": int(index.end[place]), "y": y}
                    ]
                }
    raise AssertionError(name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("track", "name", "part"),
    [
        ("thread 1", "aten::mm", "op"),
        ("python of thread 1", "train.py(7): forward", "python"),
    ],
)
def test_its_kernels_are_selected_and_the_other_kind_is_cleared(
    settings, tmp_path, track, name, part
):
    data = trace_data(settings.repository(), tmp_path, two_steps())
    before = BLANK.selecting(op="nccl:all_reduce", python="x")
    chosen = event_clicked(before, data, click(data, track, name)).selection
    assert {"op": chosen.op, "python": chosen.python} == {"op": None, "python": None, part: name}


def test_an_event_that_launched_nothing_is_searched_alone(settings, tmp_path):
    data = trace_data(settings.repository(), tmp_path, two_steps())
    chosen = event_clicked(BLANK, data, click(data, "thread 1", "ProfilerStep#1"))
    assert chosen.search == "ProfilerStep#1"
    assert chosen.selection == BLANK.selection
