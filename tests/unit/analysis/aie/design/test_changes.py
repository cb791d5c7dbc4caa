"""Differences of two designs: buffers moved, depths, locks and flows."""

import pytest

from analysis.aie.design import changes as module
from analysis.aie.design.changes import compare_designs
from samples.aie_design import design_lines
from tests.support.design_trace import design_of

TEXT = "\n".join(design_lines())
FIFO = """
module {{ aie.device(npu1_1col) {{
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @of(%a, {{%b}}, {depth} : i32) : !aie.objectfifo<memref<16xi32>>
}} }}
"""


def compared(new, base=TEXT):
    return compare_designs(design_of(base), design_of(new))


def test_a_design_equals_itself():
    assert set(compared(TEXT).counts.values()) == {0}


def test_a_moved_buffer_has_both_places():
    found = compared(TEXT.replace("address = 5120 : i32, mem_bank = 0", "address = 49152 : i32"))
    (row,) = found.buffers
    assert (row["change"], row["tile"], row["name"]) == ("moved", "core 2,0", "in_cons_buff_1")
    assert (row["base"]["address"], row["new"]["address"]) == (5120, 49152)
    assert (row["base"]["first_bank"], row["new"]["first_bank"]) == (0, 3)
    assert sum(found.counts.values()) == 1


def test_a_larger_stack_is_resized():
    new = TEXT.replace("stack_size = 1024 : i32", "stack_size = 2048 : i32", 1)
    (row,) = compared(new).buffers
    assert (row["change"], row["name"], row["new"]["bytes"]) == ("resized", "(stack)", 2048)


def test_a_copy_that_is_gone_is_a_smaller_depth():
    lines = [line for line in TEXT.split("\n") if "%out_buff_1" not in line]
    found = compared("\n".join(lines))
    assert [(row["change"], row["name"]) for row in found.buffers] == [("removed", "out_buff_1")]
    (row,) = found.depths
    assert (row["name"], row["base"], row["new"]) == ("out", {"depth": 2}, {"depth": 1})


@pytest.mark.parametrize("depth", ["4", "[2, 3]"])
def test_the_depth_of_an_objectfifo(depth):
    given = f"{depth} : i32" if depth.isdigit() else f"{depth} : [i32, i32]"
    new = FIFO.format(depth=depth) if depth.isdigit() else FIFO.replace("{depth} : i32", given)
    new = new.replace("{{", "{").replace("}}", "}")
    (row,) = compared(new, FIFO.format(depth=2)).depths
    assert (row["tile"], row["name"], row["base"]) == ("core 2,0", "of", {"depth": 2})
    assert row["new"] == {"depth": 4 if depth == "4" else [2, 3]}


def test_locks_and_flows_that_one_side_has():
    new = TEXT.replace(
        "    func.func private",
        '    %extra = aie.lock(%core2, 9) {init = 1 : i32, sym_name = "extra"}\n'
        "    aie.flow(%core2, DMA : 1, %shim, DMA : 1)\n    func.func private",
    ).replace("init = 2", "init = 3", 1)
    found = compared(new)
    locks = {(row["change"], row["name"]): row for row in found.locks}
    assert locks["added", "extra"]["base"] is None
    assert locks["changed", "in_cons_prod_lock"]["new"] == {"id": 0, "init": 3}
    (flow,) = found.flows
    assert (flow["change"], flow["source"]) == ("added", "core 2,0 DMA 1")
    (back,) = compared(TEXT, new).flows
    assert (back["change"], back["dest"]) == ("removed", "shim 0,0 DMA 1")


def test_a_long_list_is_cut_and_counted(monkeypatch):
    monkeypatch.setattr(module, "MAX_LISTED", 2)
    empty = "module { aie.device(npu1_1col) { %t = aie.tile(0, 2) } }"
    record = compared(empty).record()
    assert record["counts"]["locks"] == 8
    assert len(record["locks"]) == 2
