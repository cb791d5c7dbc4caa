import math

import pytest

from components.runs.runs_scatter import hwid_looks, runs_scatter, scatter_hint, scatter_summary
from components.theme import CATEGORICAL
from storage.run_query import RunPoint
from tests.support.numbers_in_text import numbers_in
from tests.support.runs import records_of


def drawn(*rows, theme="light"):
    records = [run | {"size": run["M"] * run["K"] * run["N"]} for run in records_of(*rows)]
    points = [RunPoint(*map(run.get, RunPoint._fields)) for run in records]
    return runs_scatter(points, hwid_looks(point.hwid for point in points), theme)


def test_a_point_a_run_over_its_size():
    figure = drawn(
        {"hwid": "npu1", "gmacs_mean": 5.0}, {"hwid": "npu2", "gmacs_mean": 7.0, "K": 128}
    )
    points = {(t.x[0], t.y[0], t.customdata[0]) for t in figure.data}
    assert points == {(64.0**3, 5.0, "0" * 64), (2 * 64.0**3, 7.0, f"{1:064x}")}


def test_colour_is_the_hwid_and_marker_the_source():
    figure = drawn(
        {"hwid": "npu1", "gmacs_mean": 5.0},
        {"hwid": "npu1", "gmacs_mean": 6.0, "source": "tpu_mlir"},
        {"hwid": "npu2", "gmacs_mean": 7.0},
    )
    looks = {trace.name: (trace.marker.color, trace.marker.symbol) for trace in figure.data}
    assert looks["npu1 · aie"][0] == looks["npu1 · tpu_mlir"][0] != looks["npu2 · aie"][0]
    assert looks["npu1 · aie"][1] == looks["npu2 · aie"][1] != looks["npu1 · tpu_mlir"][1]


def test_hwids_take_the_colours_in_order_of_appearance_and_keep_them():
    looks = hwid_looks(["npu2_array", "", "npu1", "npu2_array", "npu2"])
    assert [look.colour for look in looks.values()] == list(CATEGORICAL[:3])
    assert hwid_looks(["npu2_array", "npu1"]).items() <= looks.items()


def test_forty_hwids_look_different_and_beyond_ten_their_markers_do():
    looks = hwid_looks([f"npu{i}" for i in range(40)])
    assert len(set(looks.values())) == 40
    assert {look.fill for look in list(looks.values())[:10]} == {""}
    rows = [{"hwid": f"npu{i:02d}", "gmacs_mean": 5.0} for i in range(12)]
    assert len({(trace.marker.color, trace.marker.symbol) for trace in drawn(*rows).data}) == 12


def test_a_run_without_hwid_is_grey():
    (trace,) = drawn({"hwid": "", "gmacs_mean": 5.0}).data
    assert trace.marker.color not in CATEGORICAL


def test_runs_without_a_number_are_counted():
    said = scatter_summary(drawn=1, drawable=1, runs=3, fastest=5.0)
    assert numbers_in(said) == ["1", "5.00 GMAC/s", "2"]


def test_it_is_said_that_not_every_run_is_drawn():
    assert "2\u202f000 of 20\u202f000 runs" in scatter_summary(2_000, 20_000, 20_000, 5.0)
    assert "2\u202f000 of 20\u202f000" in scatter_hint(2_000, 20_000)
    assert "of" not in scatter_hint(20, 20)


def test_nothing_to_draw_is_a_sentence():
    figure = drawn()
    assert len(figure.data) == 0
    assert "no run" in figure.layout.annotations[0].text.lower()
    assert scatter_summary(0, 0, 2, None).startswith("No run to draw; 2")


def test_names_from_files_are_escaped():
    figure = drawn({"name": "<b>%{x}</b>", "hwid": "<i>", "source": "%{y}", "gmacs_mean": 5.0})
    assert "<i>" not in figure.data[0].name
    assert "%{" not in figure.data[0].name
    assert "%{" not in figure.data[0].text[0]
    assert figure.data[0].hovertemplate.count("%{") == 1
    assert "<b>%" not in figure.data[0].text[0]


@pytest.mark.parametrize("theme", ["light", "dark", "nonsense"])
def test_every_theme_draws(theme: str):
    assert len(drawn({"gmacs_mean": 5.0}, theme=theme).data) == 1


CHARACTER_PX, PLOT_PX = 7, 300
"""Width of a character of a label, and of the plot on a page of 400 px."""


@pytest.mark.parametrize("M", [1, 8, 100, 4_096, 100_000])
def test_labels_of_sizes_do_not_overlap_on_a_narrow_page(M):
    figure = drawn({"M": 1, "gmacs_mean": 5.0}, {"M": M, "gmacs_mean": 6.0})
    step = figure.layout.xaxis.dtick
    # Of ticks at 1, 2 and 5 the nearest are a factor of two apart.
    decades = max(math.log10(M), 0.1) * 1.12
    between = PLOT_PX / decades * (math.log10(2) if step == "D2" else step)
    assert between >= CHARACTER_PX * len("500k")


def test_entries_of_the_legend_fit_a_narrow_page_and_keep_both_ends():
    hwid = "first" + "x" * 80 + "last"
    (trace,) = drawn({"hwid": hwid, "gmacs_mean": 5.0}).data
    assert len(trace.name) * CHARACTER_PX < PLOT_PX
    assert trace.name.startswith("first") and trace.name.endswith("last · aie")
    assert "x" * 20 in trace.hovertemplate
