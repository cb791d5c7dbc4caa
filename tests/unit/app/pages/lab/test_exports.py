"""Files of the page of the lab, over HTTP: the problem, a solution, question and answer, and the page itself."""

import json

import pytest

from tests.support.access import Served, problem

STATE = "strategy=best_fit"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    return Served(tmp_path_factory.mktemp("lab"))


@pytest.fixture(scope="module")
def run(served):
    same = {"Sec-Fetch-Site": "same-origin"}
    body = problem(1)
    answer = served.ask(
        "POST", "/api/upload", same, query_string={"name": "p.81920.csv"}, data=body
    )
    return answer.json["runs"][0]["run_id"]


def rows_of(text):
    head, *rows = [line.split(",") for line in text.strip().splitlines()]
    return [dict(zip(head, row, strict=True)) for row in rows]


@pytest.mark.slow
def test_the_problem_is_the_file_as_minimalloc_reads_it(served, run):
    answer = served.ask("GET", f"/lab/{run}/problem.csv")
    assert (answer.status_code, answer.mimetype) == (200, "text/csv")
    assert "attachment" in answer.headers["Content-Disposition"]
    assert f"{run[:12]}-0-problem.csv" in answer.headers["Content-Disposition"]
    given = rows_of(problem(1).decode())
    sizes = sorted(int(row["size"]) for row in rows_of(answer.text))
    assert sizes == sorted(int(row["size"]) for row in given)


def test_a_solution_has_an_offset_per_block_at_which_none_overlap(served, run):
    rows = rows_of(served.ask("GET", f"/lab/{run}/solution.csv?{STATE}").text)
    placed = [[int(row[name]) for name in ("lower", "upper", "offset", "size")] for row in rows]
    for rank, (lower, upper, offset, size) in enumerate(placed):
        for other in placed[:rank]:
            apart = (
                upper <= other[0]
                or other[1] <= lower
                or offset + size <= other[2]
                or other[2] + other[3] <= offset
            )
            assert apart


def test_question_and_answer_are_json(served, run):
    answer = served.ask("GET", f"/lab/{run[:10]}/answer.json?{STATE}&capacity=90000")
    assert answer.mimetype == "application/json"
    record = json.loads(answer.text)
    assert (record["question"]["run_id"], record["question"]["capacity"]) == (run, 90_000)
    assert record["answer"]["strategy"] == "best_fit"
    assert len(record["answer"]["placements"]) == len(rows_of(problem(1).decode()))


def test_the_page_is_one_file(served, run):
    answer = served.ask("GET", f"/snapshot/lab/{run}?{STATE}")
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    assert f"tilescope-{run[:12]}-lab.html" in answer.headers["Content-Disposition"]
    assert answer.text.lstrip().lower().startswith("<!doctype html")


@pytest.mark.parametrize(
    "path",
    [
        "/lab/{run}/other.csv",
        "/lab/gone/problem.csv",
        "/lab/{run}/solution.csv?strategy=search",
        "/snapshot/lab/gone",
    ],
)
def test_what_is_not_there_is_not_found(served, run, path):
    assert served.ask("GET", path.format(run=run)).status_code == 404
