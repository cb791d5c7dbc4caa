"""Operators: times, shapes, what the trace does not tell, and links to kernels both ways."""

import pytest

from app.views.kernels.actions import launcher_followed
from app.views.kernels.content_views import KERNEL, KERNELS
from app.views.kernels.operators import OPERATORS, operator_listed
from app.views.registry import RUN, parse
from app.views.selected import selected_kernels
from app.views.state import RunState
from app.views.timeline.panels import TIMELINE_OF_DEVICES
from tests.support.components import every, facts
from tests.support.kineto_trace import call, kernel, operator, span, trace_data
from tests.support.numbers_in_text import has_numbers

BLANK = RunState()


def rows_of(part):
    return part.body.children[0].rowData


def test_rows_are_those_of_the_frame_with_share_and_shapes(data):
    part = OPERATORS.make(data, BLANK)
    rows = rows_of(part)
    frame = data.profile.frame("operators")
    assert (
        [row["name"] for row in rows] == frame["name"].tolist() == ["aten::mm", "nccl:all_reduce"]
    )
    for name in ("self_device", "total_device", "self_cpu", "calls", "device_spans"):
        assert [row[name] for row in rows] == frame[name].tolist()
    assert [row["device_share"] for row in rows] == [0.75, 0.25]
    assert rows[0]["shapes"] == "[8,8] [8,8] (2)"
    assert part.caption.startswith("aten::mm ")
    assert has_numbers(part.caption, "75 %", "800 µs")


@pytest.mark.slow
def test_shapes_and_stacks_that_were_off_are_named(settings, tmp_path):
    entries = [operator("aten::mm", 0, 10), call(2, 1), kernel("gemm", 5, 5, 1), kernel("x", 20, 5)]
    data = trace_data(settings.repository(), tmp_path, entries)
    part = OPERATORS.make(data, BLANK)
    assert "record_shapes was off" in part.caption
    assert "with_stack was off" in part.caption
    assert has_numbers(part.caption, "1", "5.00 µs")
    assert [row["device_share"] for row in rows_of(part)] == [0.5]
    hidden = {one["field"] for one in part.body.children[0].columnDefs if one.get("hide")}
    assert hidden == {"shapes", "nodes", "flop_rate"}


@pytest.mark.slow
def test_without_a_device_the_columns_of_devices_are_hidden(settings, tmp_path):
    data = trace_data(settings.repository(), tmp_path, [operator("aten::mm", 0, 10)])
    part = OPERATORS.make(data, BLANK)
    hidden = {one["field"] for one in part.body.children[0].columnDefs if one.get("hide")}
    assert {"self_device", "device_share", "total_device"} <= hidden
    assert has_numbers(part.caption, "100 %", "10.0 µs")


def test_a_click_selects_the_kernels_of_an_operator_in_every_view(data):
    chosen = operator_listed(BLANK, data, 1)
    assert chosen.selection.op == "nccl:all_reduce"
    assert parse(chosen.query()) == chosen
    assert selected_kernels(data, chosen.selection)["name"].tolist() == ["ncclAllReduce"] * 2
    grid = KERNELS.make(data, chosen).body.children[0]
    assert [row["name"] for row in grid.rowData] == ["ncclAllReduce"]
    assert KERNELS.key(data, chosen) != KERNELS.key(data, BLANK)
    note = TIMELINE_OF_DEVICES.draw(data, chosen, "light").line
    assert has_numbers(note, "2")
    (options,) = OPERATORS.grid.marks(data, chosen)
    assert options["rowClassRules"]["ts-row-shown"] == "params.node.id == '1'"
    assert operator_listed(chosen, data, 1) == BLANK
    assert operator_listed(BLANK, data, 9) == BLANK


@pytest.mark.slow
def test_copies_of_a_selected_operator_count(settings, tmp_path):
    entries = [
        operator("aten::copy_", 0, 10),
        call(2, 1, name="cudaMemcpyAsync"),
        kernel("Memcpy HtoD", 5, 5, 1, cat="gpu_memcpy"),
    ]
    data = trace_data(settings.repository(), tmp_path, entries)
    assert len(selected_kernels(data, BLANK.selection)) == 0
    assert len(selected_kernels(data, operator_listed(BLANK, data, 0).selection)) == 1


def test_the_card_of_an_execution_leads_to_its_operator_and_python_line(data):
    kernels = data.profile.kernels
    row = kernels.index[kernels["name"] == "gemm"][1]
    launch = data.profile.frame("launches").iloc[int(kernels.loc[row, "launch"])]
    shown = BLANK.selecting(kernel=int(row), window=(1_150_000, 1_300_000))
    body = KERNEL.make(data, shown).body
    buttons = [button.id for button in every(body, "Button")]
    links = {one["part"]: one["value"] for one in buttons if one["type"] == "launcher-link"}
    assert links == {"op": "aten::mm", "python": "train.py(7): forward"}
    shown_facts = facts(body)
    assert shown_facts["class"] == "compute"
    assert (shown_facts["grid"], shown_facts["block"]) == ("4 × 2 × 1", "64 × 1 × 1")
    assert shown_facts["registers"] == "32 per thread"
    assert shown_facts["shared memory"].startswith("1.00 KiB")
    assert shown_facts["occupancy"].startswith("37.5 %")
    for part, value in links.items():
        chosen = launcher_followed(shown, data, {"part": part, "value": value})
        assert (
            selected_kernels(data, BLANK.selecting(**{part: value}).selection)[part] == value
        ).all()
        begin, end = chosen.selection.window
        assert begin <= launch["start"]
        assert end >= kernels.loc[row, "end"]
        cleared = launcher_followed(chosen, data, {"part": part, "value": value})
        assert getattr(cleared.selection, part) is None


def test_a_link_of_another_part_changes_nothing(data):
    assert launcher_followed(BLANK, data, {"part": "window", "value": "1-2"}) == BLANK


@pytest.mark.slow
def test_a_run_without_operators_lacks_the_view(settings, tmp_path):
    data = trace_data(settings.repository(), tmp_path, [kernel("a", 0, 1), span("x", "y", 0, 1)])
    assert "operators" not in {view.id for view in RUN.available_views(data)}
    assert selected_kernels(data, BLANK.selecting(op="aten::mm").selection).empty
