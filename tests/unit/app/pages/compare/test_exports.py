"""A comparison as files: the complete result, its tables, its snapshot."""

import io
import json
from urllib.parse import quote

import pandas as pd
import pytest

from app.views.comparison.tables import TABLES
from schema.comparison import MAX_RUNS
from services.baselines.baselines import set_baseline
from services.comparison.compare import CompareError, check_sides, compare
from services.comparison.data import CompareDataCache, Question
from services.run.data_cache import RunDataCache

JSON = {"Accept": "application/json"}


@pytest.mark.quick_every(5)
@pytest.mark.parametrize(
    "pair", ["aie slow", "compile larger", "problem hostile", "deeploy grown", "profile slow"]
)
def test_the_whole_answer_is_that_of_the_command_line(page, pairs, pair):
    answer = page.get(f"/comparison/all.json?{pairs.query(pair)}")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith("attachment")
    data = pairs.data(pair)
    assert answer.json == json.loads(json.dumps(data.result.record()))
    assert answer.json["verdict"] == data.result.verdict


@pytest.mark.quick_every(4)
@pytest.mark.quick_every(2)
@pytest.mark.parametrize("pair", ["aie slow", "compile larger", "profile slow"])
@pytest.mark.parametrize("table", TABLES)
def test_the_three_formats_agree(page, pairs, pair, table):
    paths = {
        fmt: f"/comparison/{table}.{fmt}?{pairs.query(pair)}" for fmt in ("json", "csv", "parquet")
    }
    got = {fmt: page.get(path) for fmt, path in paths.items()}
    assert {answer.status_code for answer in got.values()} == {200}
    rows = len(TABLES[table](pairs.data(pair)))
    assert len(got["json"].json) == rows
    assert len(pd.read_parquet(io.BytesIO(got["parquet"].data))) == rows
    if rows:
        assert len(pd.read_csv(io.BytesIO(got["csv"].data))) == rows


def test_numbers_in_a_table_are_those_of_the_answer(page, pairs):
    rows = page.get(f"/comparison/numbers.json?{pairs.query('aie slow')}").json
    found = {(row["name"], row["level"], row["key"]): row for row in rows}
    rate = pairs.data("aie slow").row("gmacs_mean")
    assert found["gmacs_mean", "run", ""]["new"] == pytest.approx(rate.new)
    assert found["gmacs_mean", "run", ""]["verdict"] == "regressed"


@pytest.mark.slow
def test_the_query_decides_what_is_compared(page, pairs):
    path = f"/comparison/all.json?{pairs.query('aie slow')}"
    assert page.get(f"{path}&threshold=gmacs_mean:90").json["verdict"] == "unchanged"
    assert page.get(f"{path}&new.clock_hz=2.5GHz").json["verdict"] == "incomparable"
    several = f"{path}&new={pairs.run('aie again')}"
    assert page.get(f"{several}&shown={pairs.run('aie again')}").json["verdict"] == "unchanged"
    assert len(page.get(f"{several}&together=1").json["new"]) == 2
    set_baseline(pairs.repository, "routes", [pairs.run("aie")], user="me")
    named = f"/comparison/all.json?baseline=routes&new={pairs.run('aie slow')}"
    assert page.get(named).json["verdict"] == "regressed"


@pytest.mark.slow
def test_formulas_of_names_are_text_in_a_csv(page, pairs):
    text = page.get(f"/comparison/blocks.csv?{pairs.query('problem hostile')}").text
    assert not any(line.startswith(("=", "+", "@")) for line in text.splitlines())


def test_runs_without_programs_have_no_graphs_to_lay_over(page, pairs):
    answer = page.get(f"/comparison/graph/columns?{pairs.query('aie slow')}", headers=JSON)
    assert answer.status_code == 404


@pytest.mark.parametrize(
    "path", ["/comparison/all.json", "/comparison/numbers.csv", "/snapshot/compare"]
)
@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400),
        ("base={aie}", 400),
        ("base={aie}&new={problem}", 400),
        ("base={aie}&new=nobody", 404),
        ("baseline=nobody&new={aie}", 404),
        ("base={aie}&new={aie}&new.rows=1000&new.cols=1000", 400),
        ("base=%ff&new=%3Cb%3E", 400),
    ],
)
def test_what_cannot_be_compared_says_why(page, pairs, path, query, status):
    asked = query.format(aie=pairs.run("aie"), problem=pairs.run("problem"))
    answer = page.get(f"{path}?{asked}", headers=JSON)
    assert answer.status_code == status, answer.text
    assert set(answer.json) == {"type", "title", "status", "detail"}
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("side", ["base", "new"])
def test_one_limit_of_runs_holds_for_page_files_command_and_gate(page, pairs, side):
    """Every door says the sentence of `check_sides` for one run too many, and something else for as many as may be."""
    with pytest.raises(CompareError) as refused:
        check_sides(["a"] * (MAX_RUNS + 1))
    one = pairs.run("aie")
    other = "new" if side == "base" else "base"
    for count, says in ((MAX_RUNS, False), (MAX_RUNS + 1, True)):
        query = (
            "&".join([f"{other}={one}", *(f"{side}=r{rank}" for rank in range(count))])
            + "&together=1"
        )
        files = page.get(f"/comparison/all.json?{query}", headers=JSON)
        assert files.status_code == (400 if says else 404)
        told = [files.json["detail"], page.open("/compare", f"?{query}")]
        ids = {other: [one], side: [one] * count}
        assert [str(refused.value).lower() in text.lower() for text in told] == [says] * 2
        if says:
            with pytest.raises(CompareError, match=str(refused.value)):
                compare(pairs.repository, ids["base"], ids["new"])
            with pytest.raises(CompareError, match=str(refused.value)):
                CompareDataCache(pairs.repository, RunDataCache(pairs.repository)).get(
                    Question(**ids)
                )


@pytest.mark.parametrize("name", ["nothing.json", "numbers.xml", "all.csv", f"{quote('<b>')}.json"])
def test_what_there_is_not_says_what_there_is(page, pairs, name):
    answer = page.get(f"/comparison/{name}?{pairs.query('aie slow')}", headers=JSON)
    assert answer.status_code == 404
    assert set(answer.json) == {"type", "title", "status", "detail"}
    html = page.get(
        f"/comparison/{name}?{pairs.query('aie slow')}", headers={"Accept": "text/html"}
    )
    assert "<b>" not in html.text
