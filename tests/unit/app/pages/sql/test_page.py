"""The page of queries in SQL: its address, the answer that it shows, saved queries, its files."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from dash import dcc

from app.pages.sql.page import result_body
from app.pages.sql.shown_result import load_result
from app.pages.sql.state import MAX_LENGTH, MAX_RUNS, make, parse
from app.pages.sql.tables_list import COLUMNS, HEADING
from services.query.examples import EXAMPLES
from services.query.saved import save_query
from services.query.tables import QUERY_TABLES
from storage.saved_texts import SavedQueries


@pytest.fixture
def run(problem_run):
    return problem_run


def parts(component, kind):
    found = [component] if isinstance(component, kind) else []
    return found + [part for part in component._traverse() if isinstance(part, kind)]


def unfold(client, name, clicks):
    """Request the columns of a table, as a browser does after a click on its heading."""
    heading = {"type": HEADING, "name": name}
    columns = {"id": {"type": COLUMNS, "name": name}, "property": "children"}
    key = json.dumps(heading, sort_keys=True, separators=(",", ":"))
    body = {
        "output": f'{{"name":["MATCH"],"type":"{COLUMNS}"}}.children',
        "outputs": columns,
        "inputs": [{"id": heading, "property": "n_clicks", "value": clicks}],
        "state": [],
        "changedPropIds": [f"{key}.n_clicks"],
    }
    return client.http.post("/_dash-update-component", json=body)


class TestState:
    def test_equal_states_have_equal_addresses(self):
        state = make("SELECT 1\n", "ab12, cd34 ab12", {"chart": "bar", "x": "a", "y": None})
        assert parse(state.query()) == state
        assert (state.sql, state.run, state.chart, state.x, state.y) == (
            "SELECT 1\n",
            ("ab12", "cd34"),
            "bar",
            "a",
            "",
        )

    def test_what_is_malformed_is_passed_over_and_what_is_too_long_is_cut(self):
        state = parse(f"sql={'x' * (MAX_LENGTH + 9)}&run=../a&chart=pie&x=a")
        assert (len(state.sql), state.run, state.chart, state.x) == (MAX_LENGTH + 1, (), "", "")
        assert len(parse("&".join(f"run=a{rank}" for rank in range(200))).run) == MAX_RUNS + 1

    def test_without_a_query_the_first_example_is_asked(self):
        assert parse("").text == EXAMPLES[0].sql


class TestAnswer:
    def test_rows_of_the_runs_that_are_named(self, context, run):
        found = load_result(context, make("SELECT run_id, 1 AS one FROM runs", run, {}))
        assert found.columns == [("run_id", "VARCHAR"), ("one", "INTEGER")]
        assert found.rows == [[run, 1]] and not found.error

    @pytest.mark.parametrize(
        "state",
        [
            make("SELECT nothing FROM runs", "", {}),
            make("SELECT 1", "ffffffffff", {}),
            make("DROP x", "", {}),
            make(f"SELECT '{'x' * MAX_LENGTH}'", "", {}),
        ],
    )
    def test_what_goes_wrong_is_a_sentence_in_place_of_rows(self, context, run, state):
        found = load_result(context, state)
        assert found.error.endswith(".") and not found.rows
        (said,) = result_body(found, state, "light")
        assert said.role == "alert"

    def test_a_chart_stands_before_the_rows(self, context, run):
        state = make("SELECT source, count(*) AS n FROM runs GROUP BY ALL", "", {"chart": "bar"})
        (drawn,) = [
            graph
            for part in result_body(load_result(context, state), state, "dark")
            for graph in parts(part, dcc.Graph)
        ]
        assert drawn.figure["data"][0]["x"] == ["minimalloc"]

    @pytest.mark.parametrize("text", ["SELECT source FROM runs", "SELECT 1 AS one WHERE false"])
    def test_what_cannot_be_drawn_is_no_chart(self, context, run, text):
        state = make(text, "", {"chart": "scatter"})
        shown = result_body(load_result(context, state), state, "light")
        assert not [graph for part in shown for graph in parts(part, dcc.Graph)]


class TestPage:
    def test_it_names_every_table_and_example(self, signed_in):
        page = signed_in("victor").open("/sql")
        assert all(f'"{name}"' in page for name in QUERY_TABLES)
        assert all(json.dumps(one.title) in page for one in EXAMPLES)

    def test_a_table_gets_its_columns_when_it_is_unfolded(self, signed_in):
        victor = signed_in("victor")
        assert '"type": "Tr"' not in victor.open("/sql")
        columns = unfold(victor, "runs", 3).json["response"]
        (children,) = columns.values()
        shown = json.dumps(children)
        assert shown.count('"type": "Tr"') == 1 + len(QUERY_TABLES["runs"].columns)
        assert all(f'"{column.name}"' in shown for column in QUERY_TABLES["runs"].columns)

    @pytest.mark.parametrize(("name", "clicks"), [("runs", 2), ("runs", None), ("none", 1)])
    def test_a_folded_or_unknown_table_gets_no_columns(self, signed_in, name, clicks):
        assert unfold(signed_in("victor"), name, clicks).status_code == 204

    @pytest.mark.parametrize(("name", "may"), [("edgar", True), ("victor", False)])
    def test_who_may_save_queries_may_delete_them(self, signed_in, context, name, may):
        save_query(context.repository.catalogue, "mine", "SELECT 2", "edgar")
        page = signed_in(name).open("/sql")
        assert "/sql?sql=SELECT+2" in page
        assert [f'"{part}"' in page for part in ("sql-delete", "sql-save")] == [may, may]

    def test_a_viewer_saves_and_deletes_nothing(self, signed_in, context):
        victor = signed_in("victor")
        asked = {"sql-save.n_clicks": 1, "sql-name.value": "a", "sql-text.value": "SELECT 1"}
        victor.post(
            "..sql-saved-list.children...sql-saved-told.children...sql-name.value..", **asked
        )
        assert SavedQueries(context.repository.catalogue).all() == []


class TestFiles:
    def test_csv_and_parquet_have_the_rows(self, signed_in, run):
        client = signed_in("edgar")
        query = {"sql": "SELECT run_id, '=1' AS text FROM runs", "run": run}
        answer = client.get("/sql.csv", query_string=query)
        assert list(csv.DictReader(io.StringIO(answer.text))) == [{"run_id": run, "text": "'=1"}]
        answer = client.get("/sql.parquet", query_string=query)
        assert pq.read_table(io.BytesIO(answer.data)).to_pylist() == [{"run_id": run, "text": "=1"}]

    def test_what_goes_wrong_is_no_file(self, signed_in):
        client, long = signed_in("edgar"), f"SELECT '{'x' * MAX_LENGTH}'"
        codes = [
            client.get("/sql.csv", query_string={"sql": sql}).status_code
            for sql in ("SELECT nothing FROM runs", long)
        ]
        assert codes == [400, 413]
