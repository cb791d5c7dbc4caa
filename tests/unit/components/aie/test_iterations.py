import numpy as np
import pandas as pd
import pytest

from analysis.selection import Selection
from components.aie.captions import iterations_caption
from components.aie.counted_iterations import best_iteration, shown_track
from components.aie.iterations import Peak, iterations

Frames = dict[str, pd.DataFrame]


def test_bars_are_the_systems_by_phase_and_partial_ones_are_hatched(frames: Frames) -> None:
    figure = iterations(frames["iterations"], Selection(), "light")
    bars = {trace.name: trace for trace in figure.data if trace.type == "bar"}
    assert set(bars) == {"warmup", "perf"}
    assert bars["perf"].x.tolist() == [1, 2]
    assert bars["perf"].y.tolist() == [40, 60]
    assert bars["perf"].marker.pattern.shape.tolist() == ["", "/"]


def test_a_partial_iteration_is_never_best(frames: Frames) -> None:
    system = frames["iterations"][frames["iterations"]["track"] == "system"]
    assert best_iteration(system) == 1
    assert best_iteration(system[system["phase"] == "warmup"]) is None
    texts = np.concatenate([trace.text for trace in iterations(system, Selection(), "light").data])
    assert sorted(texts) == ["", "20.0", "best<br>40.0"]


def test_a_click_tells_the_iteration_and_the_track(frames: Frames) -> None:
    figure = iterations(frames["iterations"], Selection(), "light")
    told = {tuple(row[:2]) for trace in figure.data for row in trace.customdata}
    assert {(1, "system"), (1, "core 3,1")} <= told
    assert all(trace.customdata.dtype == object for trace in figure.data)


def test_the_selected_tile_takes_the_bars(frames: Frames) -> None:
    assert shown_track(frames["iterations"], Selection(track="core 3,1")) == "core 3,1"
    assert shown_track(frames["iterations"], Selection(track="memtile 1,1")) == "system"
    figure = iterations(frames["iterations"], Selection(track="core 3,1"), "light")
    assert [trace.type for trace in figure.data] == ["bar", "bar"]


def test_the_selected_iteration_is_outlined_and_others_fade(frames: Frames) -> None:
    figure = iterations(frames["iterations"], Selection(iteration=1), "light")
    perf = next(trace for trace in figure.data if trace.name == "perf")
    assert perf.marker.line.width.tolist() == [2, 0]
    assert perf.marker.opacity[1] < 0.5


def test_the_peak_line_is_the_cores_together_or_the_tiles_own(frames: Frames) -> None:
    peak = Peak.of(frames["run"], frames["iterations"])
    assert (peak.core, peak.system) == (64, 128)
    system = iterations(frames["iterations"], Selection(), "light", peak=peak)
    tile = iterations(frames["iterations"], Selection(track="core 2,1"), "light", peak=peak)
    assert (system.layout.shapes[0].y0, tile.layout.shapes[0].y0) == (128, 64)
    assert Peak.of(frames["run"].iloc[:0], frames["iterations"]) == Peak()


def test_the_other_method_stands_beside(frames: Frames) -> None:
    figure = iterations(frames["iterations"], Selection(), "light", reference=frames["iterations"])
    assert "reference method" in [trace.name for trace in figure.data]


def test_without_known_work_the_spans_are_drawn(frames: Frames) -> None:
    frame = frames["iterations"].assign(gmacs_per_s=np.nan, utilization=np.nan)
    figure = iterations(frame, Selection(), "light", peak=Peak(1, 2))
    assert figure.layout.yaxis.title.text.startswith("cycles")
    assert len(figure.layout.shapes) == 0


@pytest.mark.slow
def test_thousands_of_iterations_stay_light(frames: Frames) -> None:
    one = frames["iterations"][frames["iterations"]["track"] != "system"].iloc[:1]
    tiles = pd.concat([one] * 5000, ignore_index=True).assign(iteration=np.arange(5000))
    system = tiles.assign(track=pd.Categorical(["system"] * 5000))
    frame = pd.concat([tiles.astype({"track": "str"}), system.astype({"track": "str"})]).astype(
        {"track": "category"}
    )
    figure = iterations(frame, Selection(), "light")
    points = next(trace for trace in figure.data if trace.type == "scatter")
    assert len(points.x) <= 2500
    assert figure.data[0].text is None


def test_iterations_on_fewer_cores_are_marked_and_not_counted(frames: Frames) -> None:
    frame = frames["iterations"].assign(complete=True)
    system = frame.index[(frame["track"] == "system") & (frame["phase"] == "perf")]
    frame.loc[system, "cores"] = 4
    frame.loc[system[-1], "cores"] = 3
    bars = next(
        trace for trace in iterations(frame, Selection(), "light").data if trace.name == "perf"
    )
    assert [shape == "." for shape in bars.marker.pattern.shape] == [
        row == system[-1] for row in system
    ]
    assert "3 of 4 cores" in str(bars.customdata[-1])
    assert best_iteration(frame[frame["track"] == "system"]) != int(
        frame.loc[system[-1], "iteration"]
    )
    assert "1 iteration on fewer cores" in iterations_caption(frame, Selection())


def test_the_axis_ends_half_a_bar_beyond_the_iterations(frames: Frames) -> None:
    numbers = frames["iterations"]["iteration"]
    axis = iterations(frames["iterations"], Selection(), "light").layout.xaxis
    assert numbers.min() - 1 < axis.range[0] < numbers.min() - 0.5
    assert numbers.max() + 0.5 < axis.range[1] < numbers.max() + 1
    assert axis.dtick == 1
