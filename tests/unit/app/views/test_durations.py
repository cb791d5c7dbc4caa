import pytest

from analysis.selection import Selection
from app.views.durations import duration_clicked
from app.views.state import RunState

BLANK = RunState()


@pytest.mark.parametrize(
    ("view", "customdata", "selection"),
    [
        ("histogram", (100, 110), Selection(duration=(100, 110))),
        ("tile", ("core 2,0",), Selection(track="core 2,0")),
        ("iteration", (3,), Selection(iteration=3)),
        ("kind", ("short",), Selection(kind="short")),
        ("ecdf", (0.5,), Selection()),
    ],
)
def test_a_click_on_durations_selects_what_it_shows(view, customdata, selection):
    click = {"points": [{"customdata": list(customdata)}]}
    assert duration_clicked(BLANK, click, view).selection == selection


@pytest.mark.parametrize("nothing", [None, {}, {"points": []}, {"points": [{}]}])
def test_a_click_on_nothing_changes_nothing(nothing):
    assert duration_clicked(BLANK, nothing, "histogram") == BLANK
