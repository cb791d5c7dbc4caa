"""A column of the list of runs is a record: every door has it from there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from schema.metrics import METRICS
from schema.run_columns import (
    GEMM_SIZES,
    LISTED_COLUMNS,
    PRINTED_COLUMNS,
    RUN_COLUMNS,
    Origin,
    Topic,
)
from schema.runs import RUN
from schema.table_columns import number_format

ROOT = Path(__file__).resolve().parents[3]
REGISTRY = "RUN_COLUMNS: tuple[RunColumn, ...] = ("
NEXT_BIT = 1 + max(column.bit for column in LISTED_COLUMNS if column.bit is not None)
MADE_UP = f"""
    RunColumn(name="made_up", label="made up", width=70, format=Format.SHARE, unit="ratio", topic=Topic.KERNELS,
              rank=65, origin=Origin.HEADLINE, bit={NEXT_BIT}),
    RunColumn(name="peak_from", label="peak from", width=80, topic=Topic.FILE, rank=66, origin=Origin.RUN,
              bit={NEXT_BIT + 1}),
"""
WITH_MADE_UP = f"""
import importlib.util, json, sys
from dataclasses import replace
from pathlib import Path

spec = importlib.util.find_spec("schema.run_columns")
source = Path(spec.origin).read_text("utf-8")
assert source.count({REGISTRY!r}) == 1
module = sys.modules["schema.run_columns"] = importlib.util.module_from_spec(spec)
exec(compile(source.replace({REGISTRY!r}, {REGISTRY + MADE_UP!r}), spec.origin, "exec"), module.__dict__)

from components.runs.default_columns import Filled
from components.runs.run_records import runs_records
from components.runs.runs_grid import column_defs, visible_columns
from storage.annotation import Annotation
from storage.catalogue import Catalogue
from storage.run_list import RunList
from storage.run_query import EVERY_RUN, RunQuery
from tests.support.command_line import run
from tests.support.runs import record_of, stored_of

data = Path(sys.argv[1])
catalogue = Catalogue(f"sqlite:///{{data}}/catalogue.db")
catalogue.create()
for rank, (share, text) in enumerate([(0.25, "abc"), (0.5, ""), (None, "")]):
    stored = stored_of(record_of(rank, peak_from=text or None))
    headline = stored.headline | {{"made_up": share}}
    assert catalogue.insert(replace(stored, headline=headline))
runs = RunList(catalogue)
sorts = ("made_up", "-peak_from")
ordered = {{sort: [one.run["name"] for one in runs.page(RunQuery(sort=sort)).runs] for sort in sorts}}
valued = runs.counts(EVERY_RUN, 10).totals.with_value
# Columns with gaps are hidden by default, so the grid is that of a list of runs that all have a value.
columns = column_defs("-date", Filled(3, dict.fromkeys(valued, 3)))
listed = runs.page(RunQuery(sort="date")).runs
catalogue.close()
print(json.dumps({{
    "ordered": ordered,
    "valued": sorted(valued),
    "columns": [column for column in columns if column["field"] in ("made_up", "peak_from")],
    "visible": visible_columns(columns),
    "records": runs_records([one.record() for one in listed], [Annotation()] * len(listed)),
    "csv": run("runs", "--csv", "--data", data).stdout,
    "printed": run("runs", "--data", data).stdout,
}}))
"""


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    """Return what every door has of two columns that only their records tell of: a metric and a text of a run."""
    command = [sys.executable, "-c", WITH_MADE_UP, str(tmp_path_factory.mktemp("data"))]
    answer = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_the_database_sorts_by_a_new_column_and_knows_which_runs_have_a_value(doors):
    assert doors["ordered"] == {
        "made_up": ["run 2", "run 0", "run 1"],
        "-peak_from": ["run 0", "run 2", "run 1"],
    }
    assert {"made_up", "peak_from"} <= set(doors["valued"])


def test_the_grid_shows_a_new_column(doors):
    assert [column["headerName"] for column in doors["columns"]] == ["made up", "peak from"]
    assert {"made_up", "peak_from"} <= set(doors["visible"])
    assert [row.get("made_up_text") for row in doors["records"]] == [
        "25.0\u202f%",
        "50.0\u202f%",
        None,
    ]
    assert [row["peak_from"] for row in doors["records"]] == ["abc", "", ""]


def test_the_csv_file_has_a_new_column(doors):
    heading, newest, *_, oldest = [line.split(",") for line in doors["csv"].splitlines()]
    assert [dict(zip(heading, row, strict=True))["made_up"] for row in (newest, oldest)] == [
        "",
        "0.25",
    ]
    assert [dict(zip(heading, row, strict=True))["peak_from"] for row in (newest, oldest)] == [
        "",
        "abc",
    ]


def test_the_command_line_prints_a_new_column(doors):
    heading, *rows = doors["printed"].splitlines()
    shares, texts = heading.index("made up %"), heading.index("peak from")
    assert [row[shares:].split()[0] for row in rows] == ["-", "50.0", "25.0"]
    assert [row[texts:].split()[0] for row in rows] == ["-", "-", "abc"]


def test_metrics_are_of_the_registry_and_their_format_is_by_their_unit():
    columns = [column for column in RUN_COLUMNS if column.origin is Origin.HEADLINE]
    assert {column.name for column in columns} <= set(METRICS)
    assert all(column.unit == METRICS[column.name].unit for column in columns)
    assert all(column.format is number_format(column.unit) for column in columns)


def test_texts_are_columns_of_a_run():
    assert {column.name for column in RUN_COLUMNS if column.origin is Origin.RUN} <= set(RUN.names)
    assert set(GEMM_SIZES) <= set(RUN.names)


def test_every_column_has_a_name_of_its_own_and_a_bit_that_the_database_holds():
    assert len({column.name for column in RUN_COLUMNS}) == len(RUN_COLUMNS)
    bits = [column.bit for column in LISTED_COLUMNS if column.bit is not None]
    assert len(set(bits)) == len(bits)
    assert all(0 <= bit < 31 for bit in bits)
    assert all(
        column.bit is not None for column in LISTED_COLUMNS if column.origin is Origin.HEADLINE
    )


def test_the_command_line_prints_by_topic():
    topics = [column.topic for column in PRINTED_COLUMNS]
    assert topics == sorted(topics, key=[*Topic].index)
