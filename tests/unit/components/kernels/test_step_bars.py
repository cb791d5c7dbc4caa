"""The bars of a training's steps."""

from analysis.kernels.step_times import step_times
from analysis.kernels.steps import find_steps
from components.kernels.step_bars import step_bars
from tests.support.kineto_trace import load_trace, step


def bars(folder, count):
    entries = [step(550 + number, 100 * number, 100) for number in range(count)]
    found = load_trace(folder, entries).frames
    windows = find_steps(found).windows
    steps = step_times(*(found[name] for name in ("tracks", "events", "kernels")), windows)
    return step_bars(steps, "light").plotly.layout.xaxis


def test_the_axis_has_the_names_of_the_file(tmp_path):
    axis = bars(tmp_path, 3)
    assert axis.ticktext == ("ProfilerStep#550", "ProfilerStep#551", "ProfilerStep#552")
    assert axis.tickvals == (0, 1, 2)


def test_of_many_steps_some_are_named(tmp_path):
    axis = bars(tmp_path, 60)
    assert len(axis.ticktext) == 12
    assert axis.ticktext[1] == "ProfilerStep#555"
