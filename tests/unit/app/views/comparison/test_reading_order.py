"""A comparison lists differing settings first, then the numbers that people came for, both ways."""

from itertools import pairwise

import pytest

from analysis.comparison.rows import reading_order
from app.gate_formats import comparison_text
from app.views.comparison.registry import COMPARE
from app.views.comparison.state import CompareState
from tests.support.comparisons import PAIRS, row_of
from tests.support.components import every

FIRST = {
    "aie": "gmacs_mean",
    "deeploy": "peak_memory",
    "minimalloc": "peak_memory",
    "tpu_mlir": "peak_memory",
    "tinygrad": "kernel_time",
    "kineto": "kernel_time",
}
WAYS = [(name, is_back) for name in PAIRS for is_back in (False, True)]


def compared(pairs, name, is_back):
    base, new = reversed(pairs.runs(name)) if is_back else pairs.runs(name)
    return pairs.asked(f"base={base[0]}&new={new[0]}")


def parts_of(data, name):
    view = next(view for view in COMPARE.available_views(data) if view.id == name)
    return view.make(data, CompareState())


@pytest.mark.quick_every(4)
@pytest.mark.quick_every(3)
@pytest.mark.parametrize(("name", "is_back"), WAYS)
def test_settings_and_numbers_come_in_order(pairs, name, is_back):
    data = compared(pairs, name, is_back)
    shown = [view.id for view in COMPARE.available_views(data)]
    assert shown.index("setup") < shown.index("attribution") < shown.index("metrics")
    rows = reading_order(data.result.rows)
    assert rows[0].metric.name == FIRST[data.base[0].stored.run["source"]]
    known = [row.base is not None or row.new is not None for row in rows]
    assert all(before >= after for before, after in pairwise(known))
    settings = every(parts_of(data, "setup").body, "Tr")[1:]
    differs = [row.className == "ts-differs" for row in settings]
    assert all(before >= after for before, after in pairwise(differs))
    lines = comparison_text(data.result).splitlines()[1:]
    setup = [line.strip().startswith("setup:") for line in lines]
    assert sum(setup) == len(data.result.setup)
    assert all(before >= after for before, after in pairwise(setup))


@pytest.mark.quick_every(4)
@pytest.mark.parametrize(("name", "is_back"), WAYS)
def test_numbers_of_both_sides_have_one_unit(pairs, name, is_back):
    table = every(parts_of(compared(pairs, name, is_back), "metrics").body, "Table")[0]
    for row in every(table, "Tr")[1:]:
        base, new = (cell.children for cell in row.children[1:3])
        known = [side.split() for side in (base, new) if side[0].isdigit() and side[0] != "0"]
        units = {parts[-1] for parts in known if not parts[-1].isdigit()}
        assert len(units) <= 1, (base, new)


def test_numbers_that_no_run_has_are_last():
    unknown, known = row_of(None, None), row_of(10.0, None)
    assert reading_order([unknown, known]) == [known, unknown]
