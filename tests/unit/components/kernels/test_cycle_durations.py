import numpy as np
import pandas as pd
import pytest

from analysis.selection import Selection
from components.kernels.cycle_durations import durations
from tests.support.numbers_in_text import numbers_in

Frames = dict[str, pd.DataFrame]


def test_the_histogram_counts_every_kernel_once(frames: Frames) -> None:
    figure = durations(frames["kernels"], Selection(), "light")
    assert sum(trace.y.sum() for trace in figure.data) == len(frames["kernels"])


def test_a_click_on_a_bin_tells_its_range(frames: Frames) -> None:
    figure = durations(frames["kernels"], Selection(), "light")
    main = next(trace for trace in figure.data if trace.name == "main")
    low, high = main.customdata[0]
    inside = frames["kernels"]["duration"].between(low, high, inclusive="left") & (
        frames["kernels"]["name"] == "main"
    )
    assert (inside & frames["kernels"]["kept"]).sum() == main.y[0]
    assert main.customdata.dtype == object


def test_what_was_left_out_is_apart_and_says_why(frames: Frames) -> None:
    figure = durations(frames["kernels"], Selection(), "light")
    apart = [trace for trace in figure.data if trace.name.startswith("left out")]
    assert [numbers_in(trace.name) for trace in apart] == [["1", "3", "3"]]
    assert apart[0].marker.pattern.shape == "/"
    assert apart[0].y.sum() == 2


def test_the_selected_range_is_marked_not_applied(frames: Frames) -> None:
    figure = durations(frames["kernels"], Selection(duration=(80, 81)), "light")
    assert sum(trace.y.sum() for trace in figure.data) == len(frames["kernels"])
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (80, 81)


@pytest.mark.slow
def test_fifty_thousand_kernels_send_bins_only(frames: Frames) -> None:
    many = frames["kernels"].iloc[np.arange(50_000) % len(frames["kernels"])]
    for view in ("histogram", "ecdf", "tile", "iteration", "kind"):
        figure = durations(many, Selection(), "light", view=view)
        assert len(figure.to_json()) < 60_000, view


def test_the_distribution_function_names_how_many(frames: Frames) -> None:
    figure = durations(frames["kernels"], Selection(), "light", view="ecdf")
    assert {trace.name for trace in figure.data} == {"main (16)", "short (6)", "left out (2)"}
    assert all(trace.y[-1] == 1 for trace in figure.data)


def test_groups_are_boxes_that_tell_their_group(frames: Frames) -> None:
    figure = durations(frames["kernels"], Selection(iteration=1), "light", view="iteration")
    boxes = [trace for trace in figure.data if trace.type == "box"]
    assert [box.customdata[:, 0].tolist() for box in boxes] == [[1], [0, 2]]
    assert [box.opacity for box in boxes] == [1.0, 0.33]
