"""The command `query`: formats, choices of runs, what is said on stderr, and what is refused."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from app.cli.main import main
from app.cli.query import result_table
from services.query.examples import EXAMPLES
from services.query.tables import QUERY_TABLES
from tests.support.command_line import run


@pytest.fixture(scope="module")
def data(tmp_path_factory, samples):
    folder = tmp_path_factory.mktemp("query") / "data"
    assert run("ingest", samples / "minimalloc", "--data", folder).exit_code == 0
    return folder


def ask(data, *args):
    return run("query", *args, "--data", data)


def test_a_table_has_text_on_the_left_and_numbers_on_the_right(data):
    shown = ask(data, "SELECT source, count(*) AS many FROM runs GROUP BY ALL")
    assert shown.stdout.splitlines() == ["source      many", "minimalloc     2"]


def test_null_is_empty_and_control_characters_are_tamed():
    record = {"columns": [{"name": "a"}, {"name": "b"}], "rows": [["x\x1b[2J", None], [None, 1.5]]}
    lines = result_table(record)
    assert "\x1b" not in "".join(lines)
    assert lines[-1].split() == ["1.5"]


@pytest.mark.slow
def test_json_csv_and_parquet_have_the_same_rows(data, tmp_path):
    sql = "SELECT name, 1 AS one FROM runs ORDER BY name"
    answer = json.loads(ask(data, sql, "--format", "json").stdout)
    listed = list(csv.reader(io.StringIO(ask(data, sql, "--format", "csv").stdout)))
    assert ask(data, sql, "--format", "parquet", "--output", tmp_path / "a.parquet").exit_code == 0
    rows = [list(row.values()) for row in pq.read_table(tmp_path / "a.parquet").to_pylist()]
    assert answer["rows"] == rows
    assert listed == [["name", "one"], *([name, str(one)] for name, one in rows)]


def test_the_text_may_come_from_stdin(data):
    asked = CliRunner().invoke(
        main, ["query", "-", "--format", "csv", "--data", str(data)], input="SELECT 5 AS five"
    )
    assert asked.stdout.split() == ["five", "5"]


def test_runs_are_chosen(data):
    run_id = json.loads(ask(data, "SELECT run_id FROM runs", "--format", "json").stdout)["rows"][0][
        0
    ]
    for choice, many in (("--run", 1), ("--source", 0)):
        value = run_id if choice == "--run" else "aie"
        assert (
            json.loads(ask(data, "SELECT 1 FROM runs", choice, value, "--format", "json").stdout)[
                "runs"
            ]
            == many
        )


def test_rows_that_are_cut_are_said_on_stderr(data):
    asked = ask(data, "SELECT * FROM range(5)", "--limit", 2, "--format", "csv")
    assert len(asked.stdout.splitlines()) == 3
    assert "5" in asked.stderr


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["SELECT nothing FROM runs"], 1),
        (["SELECT 1; SELECT 2"], 1),
        (["SELECT 1", "--run", "ffffffff"], 1),
        ([], 2),
        (["SELECT 1", "--seconds", "-1"], 2),
        (["SELECT 1", "--format", "xml"], 2),
    ],
)
def test_what_goes_wrong_is_one_line_and_no_row(data, args, code):
    asked = ask(data, *args)
    assert asked.exit_code in (1, code)
    assert not asked.stdout
    assert asked.stderr.strip() and "Traceback" not in asked.stderr


@pytest.mark.slow
def test_tables_and_examples_are_listed(data):
    tables = json.loads(ask(data, "--tables", "--json").stdout)["tables"]
    assert [table["name"] for table in tables] == [*QUERY_TABLES]
    assert len(json.loads(ask(data, "--examples", "--json").stdout)["examples"]) == len(EXAMPLES)
    assert all(name in ask(data, "--tables").stdout for name in QUERY_TABLES)
    assert all(one.title in ask(data, "--examples").stdout for one in EXAMPLES)
