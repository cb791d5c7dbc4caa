"""`allocate`: answers of every kind, what is refused in one line, and what people read."""

import json
import re

import pytest

from analysis.allocators.search import warm_up
from analysis.allocators.strategies import STRATEGIES
from app.config.settings import Settings
from app.context import AppContext
from app.views.lab.registry import parse
from schema.memory import MAX_BYTES, MAX_SEED
from services.run import saved_placements
from storage.saved_placements import SavedPlacements
from tests.support.command_line import run
from tests.support.numbers_in_text import has_numbers, numbers_in

PROBLEM = "id,lower,upper,size\na,0,4,10\nb,0,4,6\nc,4,6,8\n"
SOLVED = "id,lower,upper,size,offset\na,0,4,10,6\nb,0,4,6,0\n"
FIELDS = {
    "run_id", "attempt", "strategy", "seed", "capacity", "status", "proof", "stopped", "extent", "bound", "gap",
    "seconds", "effort", "placements", "trace", "bank_conflicts", "bank_conflicts_stored", "bank_conflicts_bound",
}  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Give what runs the command on a store of a problem and a solution, and the ids of its runs by name."""
    folder = tmp_path_factory.mktemp("allocate")
    (folder / "problem.csv").write_text(PROBLEM)
    (folder / "solved.csv").write_text(SOLVED)
    files = [folder / "problem.csv", folder / "solved.csv", "samples/tpu_mlir/lighthouse"]
    assert run("ingest", *files, "--data", folder / "data").exit_code == 0
    warm_up(lambda _: None)

    def asked(*arguments):
        return run("allocate", *arguments, "--data", folder / "data")

    listed = json.loads(run("runs", "--json", "--data", folder / "data").stdout)
    asked.data = folder / "data"
    asked.ids = {one["name"]: one["run_id"] for one in listed}
    return asked


@pytest.fixture
def alone(tmp_path):
    """Give what runs the command on the one run of a store of its own."""
    (tmp_path / "problem.csv").write_text(PROBLEM)
    assert run("ingest", tmp_path / "problem.csv", "--data", tmp_path / "data").exit_code == 0

    def asked(*arguments):
        return run("allocate", asked.run_id, *arguments, "--data", asked.data)

    asked.data = tmp_path / "data"
    asked.run_id = json.loads(run("runs", "--json", "--data", asked.data).stdout)[0]["run_id"]
    return asked


@pytest.fixture
def answer(store):
    """Give what returns the one answer about a run."""

    def of(name, *arguments):
        result = store(store.ids[name], "--json", *arguments)
        assert (result.exit_code, result.stderr) == (0, "")
        (one,) = json.loads(result.stdout)["answers"]
        return one

    return of


class TestAnswers:
    @pytest.mark.slow
    def test_the_least_extent_with_every_field(self, store, answer):
        found = answer("problem", "--seed", 7)
        assert set(found) == FIELDS
        assert (found["run_id"], found["attempt"], found["strategy"], found["seed"]) == (
            store.ids["problem"], 0, "search", 7,
        )  # fmt: skip
        assert (found["status"], found["proof"], found["stopped"]) == (
            "optimal",
            "bound",
            "optimal",
        )
        assert (found["extent"], found["bound"], found["gap"], found["capacity"]) == (
            16,
            16,
            0.0,
            None,
        )
        where = {one["block"]: one["address"] for one in found["placements"]}
        assert sorted((where[0], where[1])) in ([0, 6], [0, 10])
        assert where[2] == 0
        assert found["trace"][-1]["extent"] == 16

    @pytest.mark.slow
    def test_a_capacity_that_is_met_and_one_that_is_not(self, answer):
        assert answer("problem", "--capacity", 10**15)["stopped"] == "fits"
        tight = answer("problem", "--capacity", 15)
        assert (tight["status"], tight["proof"]) == ("infeasible", "bound")
        assert (tight["extent"], tight["gap"], tight["placements"]) == (None, None, [])
        assert answer("problem", "--capacity", 16)["extent"] == 16
        assert answer("problem", "--capacity", 0)["status"] == "infeasible"

    @pytest.mark.slow
    def test_blocks_that_are_fixed(self, answer):
        found = answer("problem", "--fix", "0=4", "--fix", "2=100")
        assert {one["block"]: one["address"] for one in found["placements"]} == {
            0: 4,
            1: 14,
            2: 100,
        }
        assert (found["extent"], found["bound"], found["proof"]) == (108, 108, "bound")
        where = {
            one["block"]: one["address"] for one in answer("solved", "--fix", "0")["placements"]
        }
        assert where == {0: 6, 1: 0}

    @pytest.mark.parametrize("name", STRATEGIES)
    def test_every_strategy_places_all(self, answer, name):
        found = answer("problem", "--strategy", name, "--effort", 100)
        assert len(found["placements"]) == 3
        assert found["strategy"] == name

    @pytest.mark.slow
    def test_all_attempts_or_one(self, store):
        both = [
            store(store.ids["problem"], "--json", *which)
            for which in (("--all",), ("--attempt", 0))
        ]
        answers = [json.loads(one.stdout)["answers"] for one in both]
        assert [[one["attempt"] for one in each] for each in answers] == [[0], [0]]

    @pytest.mark.slow
    def test_people_read_a_line(self, store):
        (line,) = store(store.ids["problem"]).stdout.splitlines()
        attempt, status, *_ = re.split("[:,] ", line)
        assert (attempt, status) == ("attempt 0", "optimal")
        assert has_numbers(line, "16 bytes", "16")
        assert line.endswith("stopped: optimal")
        (line,) = store(store.ids["problem"], "--capacity", 3).stdout.splitlines()
        attempt, status, *_ = re.split("[:,] ", line)
        assert (attempt, status) == ("attempt 0", "infeasible")
        assert "16 bytes" in numbers_in(line)

    @pytest.mark.slow
    def test_bank_conflicts_before_and_after(self, store, answer):
        asked = ("--strategy", "bank_aware", "--effort", 5_000)
        found = answer("lighthouse_bm1684x_f16", *asked)
        assert (found["bank_conflicts"], found["bank_conflicts_bound"]) == (0, 0)
        assert found["bank_conflicts_stored"] > 0
        said = store(store.ids["lighthouse_bm1684x_f16"], *asked).stdout
        assert has_numbers(said, "0", str(found["bank_conflicts_stored"]))
        assert answer("problem")["bank_conflicts"] is None


class TestList:
    def test_as_json(self, store):
        strategies = json.loads(store("--list", "--json").stdout)["strategies"]
        assert [one["name"] for one in strategies] == list(STRATEGIES)
        assert [one["name"] for one in strategies if one["default"]] == ["search"]
        assert [one["proves"] for one in strategies][:2] == [True, False]
        assert [one["name"] for one in strategies if one["needs_banks"]] == ["bank_aware"]

    def test_for_people(self, store):
        lines = store("--list").stdout.splitlines()
        assert len(lines) == len(STRATEGIES)
        assert lines[0].endswith("(default)")


class TestRefused:
    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            (("--capacity", "-1"), "'--capacity': '-1'"),
            (("--capacity", "abc"), "'--capacity': 'abc'"),
            (("--capacity", "1.5"), "'--capacity': '1.5'"),
            (("--capacity", "9" * 30), f"'--capacity': '{'9' * 30}'"),
            (("--seconds", "-1"), "'--seconds': '-1'"),
            (("--seconds", "nan"), "'--seconds': 'nan'"),
            (("--seconds", "inf"), "'--seconds': 'inf'"),
            (("--seconds", "soon"), "'--seconds': 'soon'"),
            (("--seed", "x"), "'--seed': 'x'"),
            (("--seed", "-3"), "'--seed': -3"),
            (("--effort", "0"), "'--effort': 0"),
            (("--strategy", "nope"), "'nope'"),
            (("--strategy", "nope"), ", ".join(STRATEGIES)),
            (("--strategy", "../../etc/passwd"), "'../../etc/passwd'"),
            (("--attempt", "999"), "attempt 999"),
            (("--attempt", "-1"), "'--attempt': -1"),
            (("--attempt", "0", "--all"), "--attempt and --all"),
            (("--fix", "999=0"), "block 999"),
            (("--fix", "0=-4"), "'--fix': '0=-4'"),
            (("--fix", "0=x"), "'--fix': '0=x'"),
            (("--fix", "="), "'--fix': '='"),
            (("--fix", "٣=0"), "'--fix': '٣=0'"),
            (("--fix", "0=" + "9" * 19), "2^62"),
            (("--fix", "0"), "0=ADDRESS"),
            (("--fix", "0=0", "--fix", "0=8"), "--fix: block 0"),
            (("--fix", "1=0", "--fix", "0=8", "--fix", "0=8"), "--fix: block 0"),
            (("--fix", "0=0", "--fix", "1=0"), "blocks 0 and 1"),
        ],
        ids=" ".join,
    )
    def test_in_one_line(self, store, arguments, why):
        result = store(store.ids["problem"], "--json", *arguments)
        assert result.exit_code == 1
        assert result.stdout == ""
        (line,) = result.stderr.splitlines()
        assert why in line

    @pytest.mark.parametrize(
        ("arguments", "why"), [((), "Missing argument 'RUN'"), (("ffffffffffff",), "no run")]
    )
    def test_without_a_run(self, store, arguments, why):
        result = store(*arguments)
        assert result.exit_code == 1
        assert why in result.stderr

    @pytest.mark.slow
    def test_a_run_without_blocks(self, store, tmp_path):
        data = tmp_path / "data"
        assert run("ingest", "samples/outputs", "--data", data, "--jobs", 1).exit_code == 0
        capture = json.loads(run("runs", "--json", "--data", data).stdout)[0]["run_id"]
        result = run("allocate", capture, "--data", data)
        assert (result.exit_code, result.stdout) == (1, "")
        assert capture in result.stderr


class TestKeeping:
    @pytest.mark.slow
    def test_what_is_found_is_kept_with_its_run_and_found_again_by_its_question(self, store):
        run_id = store.ids["solved"]
        told = store(run_id, "--keep", "--title", "lower", "--fix", "0", "--effort", 500)
        assert "kept as number 1" in told.stdout
        (row,) = kept(store, run_id)
        assert (row.title, row.query) == ("lower", "attempt=0&effort=500&fixed=0=6")
        assert row.kept_by.startswith("command line")
        context = AppContext.of(Settings(data=store.data))
        state = parse(row.query)
        (answer,) = context.lab.get(run_id, state.lab_problem, state.attempt, "me").placements
        assert (answer.strategy, answer.asked_effort, answer.extent) == (
            "search",
            500,
            row.answer["extent"],
        )

    @pytest.mark.slow
    def test_what_time_ended_is_asked_again_by_the_placements_that_it_tried(self, store):
        told = json.loads(store(store.ids["problem"], "--keep", "--json").stdout)["answers"][0]
        (row,) = kept(store, store.ids["problem"])
        assert (told["kept"], row.answer["asked_effort"]) == (1, max(told["effort"], 1))
        assert told["kept"] == row.number

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", [MAX_SEED, 10**18])
    def test_the_link_of_what_is_kept_has_its_seed(self, alone, seed):
        assert alone("--keep", "--seed", seed, "--effort", 1).exit_code == 0
        (row,) = kept(alone, alone.run_id)
        assert (parse(row.query).seed, row.answer["seed"]) == (seed, seed)

    @pytest.mark.slow
    @pytest.mark.parametrize("asked", [("--fix", f"2={10**18}"), ("--capacity", MAX_BYTES)])
    def test_a_question_that_no_address_holds_is_not_kept(self, alone, asked):
        assert alone(*asked, "--effort", 1).exit_code == 0
        refused = alone(*asked, "--effort", 1, "--keep")
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert not kept(alone, alone.run_id)

    @pytest.mark.slow
    def test_all_attempts_are_kept_or_none(self, store, monkeypatch):
        run_id, asked = (
            store.ids["lighthouse_bm1684x_f16"],
            ("--all", "--keep", "--json", "--strategy", "best_fit"),
        )
        count = len(json.loads(store(run_id, *asked[:1], *asked[2:]).stdout)["answers"])
        monkeypatch.setattr(saved_placements, "MAX_SAVED", count - 1)
        refused = store(run_id, *asked)
        assert (refused.exit_code, refused.stdout, kept(store, run_id)) == (1, "", [])
        monkeypatch.setattr(saved_placements, "MAX_SAVED", count)
        assert store(run_id, *asked).exit_code == 0
        assert len(kept(store, run_id)) == count > 1

    @pytest.mark.slow
    def test_without_a_placement_nothing_is_kept(self, store):
        told = store(
            store.ids["solved"], "--keep", "--capacity", 1, "--strategy", "best_fit", "--json"
        )
        assert json.loads(told.stdout)["answers"][0]["kept"] is None

    def test_a_title_is_that_of_what_is_kept(self, store):
        assert "--keep" in store(store.ids["solved"], "--title", "x").stderr


def kept(store, run_id):
    return SavedPlacements(Settings(data=store.data).repository().catalogue).of(run_id)


@pytest.mark.slow
def test_a_capacity_may_have_a_unit(store):
    fits = json.loads(store(store.ids["problem"][:8], "--capacity", "1KiB", "--json").stdout)[
        "answers"
    ][0]
    assert fits["capacity"] == 1024
    assert "'--capacity': '1 apple'" in store(store.ids["problem"], "--capacity", "1 apple").stderr


@pytest.mark.slow
def test_the_problem_that_is_written_is_the_one_that_is_placed(store):
    run_id = store.ids["lighthouse_bm1684x_f16"]
    placed = json.loads(store(run_id, "--strategy", "best_fit", "--json").stdout)["answers"][0][
        "attempt"
    ]
    written, same, other = (
        run("minimalloc", run_id, *more, "--data", store.data).stdout
        for more in ((), ("--attempt", str(placed)), ("--attempt", "0"))
    )
    assert placed != 0
    assert written == same != other


@pytest.mark.slow
def test_what_is_kept_is_named_by_its_attempt(alone):
    said = alone("--keep").stdout
    number = said.split("(attempt ")[1].split(")")[0]
    assert (
        run(
            "minimalloc", alone.run_id, "--attempt", number, "--solution", "--data", alone.data
        ).exit_code
        == 0
    )
