"""Tables and grids of comparisons: their rows, what is marked, and that names are text."""

import json
import re

import pandas as pd
from dash import html

from analysis.comparison.block_pairs import WORDS
from components.comparison.blocks_grid import block_records, blocks_line, grid_options
from components.comparison.buffers_table import buffers_line, buffers_table
from components.comparison.kernels_grid import grid_options as kernel_options
from components.comparison.kernels_grid import kernel_records
from components.comparison.runs_table import ComparedRun, decisive, runs_table
from components.comparison.setup_table import setup_table
from schema.comparison import CAPTURE, EXTENT, MEMORY
from tests.support.comparisons import HOSTILE, row_of
from tests.support.components import every, words
from tests.support.numbers_in_text import numbers_in


def test_settings_that_differ_stand_out():
    made = setup_table(
        [
            {"key": "clock_hz", "base": 1e9, "new": 2e9},
            {"key": "M", "base": 64, "new": 64},
            {"key": "mac_dtype", "base": None, "new": HOSTILE},
        ]
    )
    rows = every(made, "Tr")[1:]
    assert [bool(row.className) for row in rows] == [True, False, True]
    assert "GHz" in words(rows[0])
    assert "\u202e" not in words(rows[2])


def test_runs_stand_side_by_side_by_what_decides():
    gate, other = row_of(10.0, 9.0), row_of(1.0, 2.0, metric=CAPTURE["utilization"])
    level = row_of(64.0, 96.0, metric=EXTENT, level="attempt", key="L1")
    same = row_of(10.0, 10.0, "unchanged")
    comparisons = [[same, other], [same, level]]
    assert decisive(comparisons) == [("gmacs_mean", "run", ""), ("extent", "attempt", "L1")]
    made = runs_table(
        {
            "a": ComparedRun(html.Span("first"), "regressed", [gate]),
            "b": ComparedRun(html.Span("second"), "unchanged", [same, level]),
        },
        "b",
    )
    base, *rows = every(made, "Tr")[1:]
    assert [row.className for row in rows] == ["", "ts-differs"]
    assert "first" in words(rows[0])
    assert len(base.children) == len(rows[0].children) == 4


def test_settings_of_several_runs_and_one_unit_in_a_column():
    small = row_of(768 * 1024, 64 * 1024, metric=MEMORY["peak_memory"])
    large = row_of(768 * 1024, 80 * 1024**2, metric=MEMORY["peak_memory"])
    setup = [{"key": "clock_hz", "base": 1e9, "new": 1.25e9}]
    made = runs_table(
        {
            "a": ComparedRun(html.Span("first"), "regressed", [small]),
            "b": ComparedRun(html.Span("second"), "improved", [large], setup),
        },
        "b",
    )
    heads, base, *rows = every(made, "Tr")
    assert "differ" in words(every(heads, "Th")[2])
    cells = [[words(cell) for cell in every(row, "Td")] for row in (base, *rows)]
    assert [numbers_in(row[1]) for row in cells] == [["1.00 GHz"], ["1.00 GHz"], ["1.25 GHz"]]
    assert [numbers_in(row[2])[0] for row in cells] == ["0.750 MiB", "0.0625 MiB", "80.0 MiB"]


def groups(*rows):
    columns = ["device", "kernel", "size", "count_base", "count_new", "bytes", "change"]
    return pd.DataFrame(rows, columns=columns)


def test_groups_of_buffers_that_are_the_same_are_not_listed():
    found = groups(
        ("CPU", HOSTILE, 1024, 1, 3, 2048, "grown"),
        ("CPU", "b", 64, 1, 1, 0, "same"),
        ("CPU", "c", 64, 1, 0, -64, "gone"),
    )
    made = buffers_table(found)
    assert len(every(made, "Tr")) == 3
    assert "\u202e" not in words(made) + buffers_line(found)
    assert buffers_line(found) != buffers_line(found[found["change"] == "same"])


def test_of_many_groups_some_are_listed_and_the_rest_is_counted():
    made = buffers_table(groups(*[("CPU", f"k{rank}", 64, 0, 1, 64, "born") for rank in range(30)]))
    assert len(every(made, "Tr")) == 21
    assert "10" in words(every(made, "P"))


def test_blocks_have_a_row_each_with_every_word_that_holds(pairs):
    changed = pairs.data("problem larger").blocks
    rows = {row["name"]: row for row in block_records(changed)}
    assert set(rows) == {"b", "c", "d → e", "f"}
    assert (rows["b"]["change"], rows["b"]["grown"]) == ("grown", 256)
    assert (rows["c"]["change"], rows["c"]["grown"], rows["c"]["steps_new"]) == ("gone", -256, "")
    assert rows["d → e"]["change"] == "moved, renamed"
    assert (rows["f"]["change"], rows["f"]["grown"], rows["f"]["steps_base"]) == ("born", 64, "")
    assert all(word in WORDS for row in rows.values() for word in row["change"].split(", "))
    line = blocks_line(changed)
    assert all(word in line for word in ("grown", "born", "gone", "renamed", "moved"))
    flags = changed[[*WORDS]].sum(axis=1)
    counted, *kinds, several = map(int, re.findall(r"\d+", line))
    assert (counted, sum(kinds), several) == (len(changed), flags.sum(), (flags > 1).sum())


def test_grids_mark_what_is_chosen(pairs):
    assert grid_options(None) != grid_options(2)
    assert "'2'" in json.dumps(grid_options(2)["rowClassRules"])
    kernels = pairs.data("profile slow").kernels
    row = kernels["name"].tolist().index("E_8")
    assert f"'{row}'" in json.dumps(kernel_options(kernels, "E_8")["rowClassRules"])
    assert kernel_options(kernels, "none")["rowClassRules"] == {"ts-row-shown": "false"}


def test_kernels_have_a_row_each_with_both_names(pairs):
    rows = {row["name"]: row for row in kernel_records(pairs.data("profile slow").kernels)}
    assert set(rows) == {"r_8_8", "E_8", "r_new", "E_more"}
    assert rows["r_new"]["label"] == "r_old → r_new"
    assert rows["E_8"]["label"] == "E_8"
    assert rows["E_more"]["relative"] is None
    assert rows["r_8_8"]["relative"] > 0.5


def test_names_of_blocks_and_kernels_are_text(pairs):
    hostile = block_records(pairs.data("problem hostile").blocks)
    assert "\u202e" not in json.dumps(hostile, ensure_ascii=False)
    kernels = pairs.data("profile slow").kernels.assign(name=HOSTILE, base="x")
    assert "\u202e" not in json.dumps(kernel_records(kernels), ensure_ascii=False)
