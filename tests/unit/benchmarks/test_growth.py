"""The table of growth: exponents, and tools that are missing."""

import resource
import sys

import pytest

from benchmarks.growth import Kind, Tool, Tools, exponent, growth_row, measure_kind
from benchmarks.measure import Usage

NO_TOOLS = Tools(None, None, sys.executable)
CSV = "id,lower,upper,size\n"


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_is_that_of_a_power(power):
    sizes = [1.0, 3.0, 10.0]
    values = [7 * size**power for size in sizes]
    assert exponent(sizes, values) == pytest.approx(power)


def test_a_row_has_both_exponents():
    usages = [Usage(1.0, size, 100.0) for size in (1.0, 3.0, 10.0)]
    cells = growth_row("ingest", [1.0, 3.0, 10.0], usages).split(" | ")
    assert cells[1:4] == ["1.00", "3.00", "10.00"]
    assert [cells[4], cells[8].rstrip(" |")] == ["1.00", "0.00"]


@pytest.mark.slow
def test_tools_that_are_missing_or_fail_have_a_row_with_the_reason(tmp_path):
    def write(folder, share):
        path = folder / "problem.csv"
        rows = [f"b{row},{row},{row + 1},{64 * row + 64}\n" for row in range(round(share * 100))]
        path.write_text(CSV + "".join(rows))
        return path

    def tools(path, _share, _tools):
        fails = Tool("other", [sys.executable, "-c", "import no_such_module"])
        absent = Tool("absent", fails.command, install="pip install absent")
        gone = Tool("gone", [str(path.parent / "nowhere")])
        return [Tool("script", None), fails, absent, gone]

    lines = measure_kind(Kind("CSV", write, tools), tmp_path, NO_TOOLS)
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines[2:]}
    assert [*rows] == ["ingest", "script", "other", "absent", "gone"]
    assert "not given" in rows["script"]
    assert "no_such_module" in rows["other"]
    assert "not installed (pip install absent)" in rows["absent"]
    assert "nowhere" in rows["gone"]
    assert {line.count("|") for line in lines} == {10}


@pytest.mark.slow
def test_writing_a_large_file_does_not_count_as_memory_of_the_tools(tmp_path):
    def write(folder, share):
        large = b"x" * (200 * 2**20)
        path = folder / "problem.csv"
        path.write_text(f"{CSV}b,0,1,{round(share * len(large))}\n" + "\n" * round(share * 100))
        return path

    def tools(_path, _share, _tools):
        return [Tool("small", [sys.executable, "-c", ""])]

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lines = measure_kind(Kind("CSV", write, tools), tmp_path, NO_TOOLS)
    assert len(lines) == 4
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 100 * 2**10
