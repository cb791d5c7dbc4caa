"""Baselines and the gate, from files to exit codes and formats."""

import pytest

from ingest.files import ingest
from services.baselines.baselines import set_baseline
from services.baselines.members import BaselineError
from services.gate.gate import check
from storage.baselines import Baselines
from storage.errors import BaselineNotFound, RunNotFound

ROWS = {"same": 64, "larger": 96}


@pytest.fixture
def problem(repository, tmp_path):
    """Ingest a solved problem whose last block has a size; return its run id."""

    def run(name, size=64, **settings):
        path = tmp_path / f"{name}.1024.csv"
        path.write_text(f"id,lower,upper,size,offset\na,0,3,100,0\nb,1,4,{size},100\n")
        return ingest(repository, [path], {"name": name} | settings).runs[0].run_id

    return run


def test_a_baseline_stands_for_runs_of_one_key(repository, problem):
    first, second = problem("a"), problem("b", 65)
    set_baseline(repository, "main", [first, second, first], user="me")
    assert Baselines(repository.catalogue).get("main").runs == [first, second]
    with pytest.raises(BaselineError, match="hwid"):
        set_baseline(repository, "main", [first, problem("c", 66, hwid="other")], user="me")
    with pytest.raises(RunNotFound):
        set_baseline(repository, "main", ["ffff"], user="me")


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb"])
def test_a_name_that_is_none_is_refused(repository, problem, name):
    with pytest.raises(BaselineError):
        set_baseline(repository, name, [problem("a")], user="me")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "code"), [("same", 0), ("larger", 1)])
def test_the_gate_has_a_code_for_each_verdict(repository, problem, kind, code):
    set_baseline(repository, "main", [problem("a")], user="me")
    checked = check(repository, [problem("b", ROWS[kind], tags="x")], "main", {})
    assert checked.code() == code


@pytest.mark.slow
def test_what_cannot_be_decided_passes_only_where_that_is_asked_for(repository, problem, tmp_path):
    set_baseline(repository, "main", [problem("a")], user="me")
    unsolved = tmp_path / "u.1024.csv"
    unsolved.write_text("id,lower,upper,size\na,0,3,100\nb,1,4,64\n")
    checked = check(repository, [ingest(repository, [unsolved], {}).runs[0].run_id], "main", {})
    assert (checked.code(), checked.code(undecided_passes=True)) == (2, 0)


@pytest.mark.slow
def test_deleted_runs_are_said_and_left_out(repository, problem):
    first, second = problem("a"), problem("b", 65)
    set_baseline(repository, "main", [first, second], user="me")
    repository.delete(first)
    checked = check(repository, [second], "main", {})
    assert checked.code() == 0
    assert first in checked.notes[-1]
    repository.delete(second)
    third = problem("c", 66)
    with pytest.raises(BaselineError):
        check(repository, [third], "main", {})
    with pytest.raises(BaselineNotFound):
        check(repository, [third], "nightly", {})
