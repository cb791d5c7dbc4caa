"""The code of a program: where it has none, a list of operations instead of instructions, and its counters."""

from itertools import pairwise

import pandas as pd
import pytest

from app.views.program.code import ASSEMBLY, COUNTERS, SOURCE
from app.views.program.registry import PROGRAM
from app.views.program.state import ProgramState
from samples.tinygrad_writer import Maker
from services.program.data import CompilerData, ProgramData
from services.run.capabilities import Capability
from tests.support.components import every, words
from tests.support.programs import open_programs

FRAMES = (
    *("contexts", "rewrite_steps", "rewrite_matches", "graph_nodes", "graph_edges"),
    *("programs", "machine_code", "disassembly", "basic_blocks", "block_edges"),
)
SAMPLES = [("BUSY", 1, 1, 1, 1, 1), ("WAVES", 1, 1, 1, 1, 1)]


def changed(data, **frames):
    """Return what the page draws from with frames in place of stored ones."""
    return CompilerData(
        data.run, ProgramData({name: data.program.frame(name) for name in FRAMES} | frames)
    )


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """A run with three programs, of which two were counted, one of them twice."""
    made = Maker("0.14").device("AMD")
    for tag, name in ((7, "r_4"), (8, "E_2"), (9, "E_3")):
        made.program("AMD", name, b"", tag)
    names = ("r_4", "E_2", "r_4", "E_3")
    for name, (begin, end) in zip(names, pairwise(range(5)), strict=True):
        made.range("AMD", name, 10 * begin, 10 * end)
    made.counters("AMD", 7, SAMPLES, [1, 2], tag=1).counters("AMD", 7, SAMPLES, [3, 4], tag=2)
    made.counters("AMD", 8, SAMPLES, [5, 6], tag=1)
    return open_programs(tmp_path_factory.mktemp("counted"), made)


def test_runs_of_the_program_are_listed_or_all_where_it_was_not_counted(counted):
    assert counted.can(Capability.COUNTERS)
    assert COUNTERS in PROGRAM.available_views(counted)
    lengths = {}
    for program, name in enumerate(counted.program.frame("programs")["name"]):
        part = COUNTERS.make(counted, ProgramState(program=program))
        (grid,) = every(part.body, "AgGrid")
        lengths[str(name)] = (len(grid.rowData), part.caption.endswith("3 runs in all."))
    assert lengths == {"r_4": (2, True), "E_2": (1, True), "E_3": (3, True)}


@pytest.mark.quick_every(3)
def test_without_a_program_or_a_count_nothing_is_listed(counted, program):
    bare = changed(counted, programs=counted.program.frame("programs").iloc[:0])
    assert COUNTERS.make(bare, ProgramState()).body is None
    assert COUNTERS.make(program, ProgramState(program=0)).body is None


def test_a_program_without_machine_code_and_a_context_without_a_program_differ(program):
    none = program.program.frame("machine_code").iloc[:0]
    without = changed(program, machine_code=none)
    made = ASSEMBLY.make(without, ProgramState(program=0))
    nothing = changed(
        program, machine_code=none, programs=program.program.frame("programs").iloc[:0]
    )
    other = ASSEMBLY.make(nothing, ProgramState(context=0))
    assert words(made.body) != words(other.body)
    told = SOURCE.make(program, ProgramState(program=0))
    assert f"/run/{program.run.run_id}?program=0" in {
        link.href for link in every(told.body, "Link")
    }
    assert SOURCE.make(nothing, ProgramState(context=0)).body is not None
    assert (
        ASSEMBLY.key(nothing, ProgramState(context=0)),
        ASSEMBLY.key(program, ProgramState(program=0)),
    ) == ("", "0")


def test_a_binary_that_is_a_list_of_operations_is_shown_as_one(compiled):
    contexts = [
        (data, row)
        for data in compiled.values()
        for row in data.program.frame("programs").itertuples()
    ]
    known = [(data, row) for data, row in contexts if pd.notna(row.context)]
    data, row = next(
        (data, row) for data, row in known if data.program.operations(int(row.context))
    )
    number, lines = int(row.program), data.program.operations(int(row.context))
    codes = pd.DataFrame(
        {"program": [number], "kind": ["operations"], "why": ["it is no machine code"]}
    )
    codes = codes.reindex(columns=data.program.frame("machine_code").columns)
    shown = changed(
        data, machine_code=codes, disassembly=data.program.frame("disassembly").iloc[:0]
    )
    part = ASSEMBLY.make(shown, ProgramState(program=number))
    assert lines[0].split()[1] in words(part.body)
    assert part.caption.endswith("It is no machine code.")
    raw = changed(
        data, machine_code=codes.assign(kind="raw"), disassembly=shown.program.frame("disassembly")
    )
    assert words(ASSEMBLY.make(raw, ProgramState(program=number)).body) == ""
