"""Optimisations of tinygrad's kernels: their names, and the rewrite steps that applied them."""

import pytest

from data_loaders.tinygrad.run import read_run
from samples.tinygrad_capture import START
from samples.tinygrad_objects import KernelInfo, Opt, OptOps
from samples.tinygrad_writer import Maker

APPLIED = (
    Opt(op=OptOps(2), axis=0, arg=4),
    Opt(op=OptOps(7), axis=1, arg=16),
    Opt(op=OptOps(2), axis=0, arg=4),
    Opt(op=OptOps(8), axis=None, arg=None),
)


def options(maker, *names):
    """Return frame program_options of a capture; the last context has rewrite steps of these names."""
    maker.range("CPU", "r_8", START, START + 2)
    maker.steps[-1] = [*(maker.rewrite(name) for name in names), *maker.steps[-1]]
    found = read_run(maker.profile(), maker.rewrites(), strip=False).frames["program_options"]
    return found.astype(object).where(found.notna(), None).to_numpy().tolist()


def test_options_lead_to_the_last_step_that_is_named_after_them():
    tried = ("shift (0,) 4 upcast", "shift (1,) 8 group_reduce", "shift (0,) 4 upcast")
    last = ("shift (1,) 16 group_reduce", "shift (3,) 4 upcast")
    assert options(Maker("0.14").kernel("r_8", "r_8", options=APPLIED), *tried, *last) == [
        [0, 0, "UPCAST", 0, "4", 2],
        [0, 1, "GROUPTOP", 1, "16", 3],
        [0, 2, "UPCAST", 0, "4", 4],
        [0, 3, "NOLOCALS", None, "None", None],
    ]


def test_an_option_of_all_of_an_axis_leads_to_a_step_of_any_size():
    maker = Maker("0.13").kernel("r_8", "r_8", options=[Opt(op=OptOps("UNROLL"), axis=0, arg=0)])
    assert options(maker, "shift (2,) 3 unroll") == [[0, 0, "UNROLL", 0, "0", 0]]


def test_0_12_has_them_at_the_end_of_the_list_of_operations():
    maker = Maker("0.12")
    uops = [
        maker.uop("CONST", (), 1),
        maker.uop("SINK", (), KernelInfo(name="r_8", applied_opts=APPLIED[:1])),
    ]
    assert options(maker.kernel("r_8", "r_8", None, uops)) == [[0, 0, "UPCAST", 0, "4", None]]


@pytest.mark.parametrize("op", [OptOps(99), OptOps(), "UPCAST", None])
def test_what_is_unknown_is_a_row_and_no_error(op):
    maker = Maker("0.14").kernel("r_8", "r_8", options=[Opt(op=op, axis="x", arg={}), 7])
    [[_, _, name, axis, amount, step]] = options(maker)
    assert (name, axis, amount, step) == (
        "op#99" if getattr(op, "args", ()) == (99,) else "?",
        None,
        "?",
        None,
    )
