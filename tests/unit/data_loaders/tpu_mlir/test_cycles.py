import pytest

from data_loaders.tpu_mlir.blocks import LogBlock
from data_loaders.tpu_mlir.cycles import (
    ASSIGNED,
    BEFORE,
    SLACK,
    read_cycles,
    slack_mismatches,
    tables,
)
from tests.support.tpu_log import TABLE, cycles, slack


def read(*lines):
    return read_cycles(LogBlock(("\n".join(lines) + "\n").encode(), 0, 1, False))


def test_a_table_is_read_line_by_line():
    lines, lost = read(*cycles(TABLE, "2,1,1,4,1"))
    assert lost == 0
    assert [(line.step, line.lane, line.op_type, line.name, line.cycles) for line in lines] == TABLE
    (table,) = tables(lines)
    assert (table.kind, table.length, table.shape_secs) == (ASSIGNED, 3, "2,1,1,4,1")


@pytest.mark.parametrize("name", ["a; b", "x; cycles", "cycle = 5", "a[0](b)=c", "卷积", ""])
def test_any_name_is_read(name):
    lines, lost = read(
        *cycles([(0, "gdma", "tpu.Load", name, 7), (0, "layer", "tpu.Add", name, 9)])
    )
    assert [(line.name, line.cycles) for line in lines] == [(name, 7), (name, 9)]
    assert lost == 0


def test_tables_are_told_apart_by_their_first_line_and_by_their_steps():
    one = [(0, "layer", "tpu.Add", "a", 5)]
    assert [len(table.lines) for table in tables(read(*cycles(one), *cycles(one))[0])] == [1, 1]
    bare = [line.split("debug_range = given")[-1] for line in cycles(TABLE)]
    assert [len(table.lines) for table in tables(read(*bare, *bare)[0])] == [6, 6]
    assert tables([]) == []


def test_slack_is_checked_against_the_costs_before_it():
    told = slack(TABLE)
    found = tables(read(*told)[0])
    assert [table.kind for table in found] == [BEFORE, SLACK]
    assert slack_mismatches(found) == 0
    wrong = [line.replace("cycle_slack = 600", "cycle_slack = 601") for line in told]
    assert slack_mismatches(tables(read(*wrong)[0])) == 1


def test_lines_that_cannot_be_read_are_counted():
    lines = cycles(TABLE)
    lines[2] = lines[2].replace("cycle = 40", "cycle = ")
    found, lost = read(*lines, "; step = timestep_something_else; tag = x")
    assert len(found) == len(TABLE) - 1
    assert lost == 2
