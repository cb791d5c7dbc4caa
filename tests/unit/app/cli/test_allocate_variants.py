"""`allocate --all-strategies` and `--keep-most`: cells and fronts of every form, and which options they exclude."""

import csv
import io
import json

import pytest

from analysis.allocators import search
from analysis.allocators.strategies import STRATEGIES
from services.lab.matrix_table import COLUMNS, REFUSED
from tests.support.command_line import good, refused, run
from tests.support.numbers_in_text import has_numbers

SOLVED = "id,lower,upper,size,offset\na,0,4,10,8\nb,0,4,6,0\nc,4,6,8,0\n"
"""Two bytes are free between `b` and `a`."""
EFFORT = ("--effort", 200)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Give what runs the command on a store of two solved problems, and the ids of its runs by name."""
    folder = tmp_path_factory.mktemp("variants")
    (folder / "loose.64.csv").write_text(SOLVED)
    (folder / "tight.64.csv").write_text(SOLVED.replace("10,8", "11,6"))
    (folder / "open.64.csv").write_text("id,lower,upper,size\na,0,4,10\n")
    told = run("ingest", *sorted(folder.glob("*.csv")), "--json", "--data", folder / "data")
    assert told.exit_code == 0
    search.warm_up(lambda _: None)

    def asked(*arguments):
        return run("allocate", *arguments, "--data", folder / "data")

    listed = json.loads(run("runs", "--json", "--data", folder / "data").stdout)
    asked.ids = {one["name"].partition(".")[0]: one["run_id"] for one in listed}
    return asked


class TestAllStrategies:
    @pytest.mark.slow
    def test_each_run_has_a_cell_per_strategy(self, store):
        loose, tight = store.ids["loose"], store.ids["tight"]
        told = store(loose, tight[:10], loose[:8], "--all-strategies", "--format", "json", *EFFORT)
        cells = json.loads(good(told))["matrix"]
        assert [(one["run_id"], one["strategy"]) for one in cells] == [
            (run_id, strategy) for run_id in (loose, tight) for strategy in STRATEGIES
        ]
        assert all(set(one) == {*COLUMNS} for one in cells)
        assert {one["extent"] for one in cells if one["strategy"] == "search"} == {16, 17}
        assert all(one["extent"] >= one["bound"] for one in cells)

    @pytest.mark.slow
    def test_forms_have_the_same_cells(self, store):
        asked = (store.ids["loose"], "--all-strategies", *EFFORT)
        cells = json.loads(good(store(*asked, "--json")))["matrix"]
        rows = [*csv.DictReader(io.StringIO(good(store(*asked, "--format", "csv"))))]
        assert [*rows[0]] == [*COLUMNS]
        assert [(row["strategy"], int(row["extent"])) for row in rows] == [
            (one["strategy"], one["extent"]) for one in cells
        ]
        lines = good(store(*asked)).splitlines()
        for line, one in zip(lines, cells, strict=True):
            assert line.startswith(one["run_id"])
            assert f"{one['strategy']}: {one['status']}" in line
            assert has_numbers(line, f"{one['extent']} bytes", str(one["bound"]))

    @pytest.mark.slow
    def test_a_capacity_that_nothing_fits_leaves_cells_without_an_extent(self, store):
        asked = (store.ids["loose"], "--all-strategies", "--capacity", 12, *EFFORT)
        assert {one["extent"] for one in json.loads(good(store(*asked, "--json")))["matrix"]} == {
            None
        }
        assert all("no placement" in line for line in good(store(*asked)).splitlines())
        rows = [*csv.DictReader(io.StringIO(good(store(*asked, "--format", "csv"))))]
        assert {row["extent"] for row in rows} == {""}

    @pytest.mark.slow
    @pytest.mark.parametrize("which", [("--all",), ("--attempt", 0)])
    def test_attempts_are_chosen(self, store, which):
        cells = json.loads(
            good(store(store.ids["loose"], "--all-strategies", *which, "--json", *EFFORT))
        )["matrix"]
        assert {one["attempt"] for one in cells} == {0}

    @pytest.mark.slow
    def test_without_a_compiler_the_search_is_refused_and_the_others_place(
        self, store, monkeypatch
    ):
        def fail(*_arguments):
            raise search.NoCompilerError("there is no compiler")

        monkeypatch.setattr("services.lab.allocate.warm_up", fail)
        told = store(store.ids["loose"], "--all-strategies", "--json", *EFFORT)
        assert (told.exit_code, told.stderr.count("\n")) == (0, 1)
        assert len(json.loads(told.stdout)["matrix"]) == len(STRATEGIES)

    @pytest.mark.slow
    def test_a_refused_cell_has_its_reason(self, store, monkeypatch):
        def fail(*_arguments):
            raise ValueError("it has \x1b[2J no banks")

        place = dict.fromkeys(
            STRATEGIES, type("Refusing", (), {"allocate": fail, "proves": False})()
        )
        monkeypatch.setattr(
            "services.lab.allocate.STRATEGIES", place | {"search": STRATEGIES["search"]}
        )
        told = store(store.ids["loose"], "--all-strategies", *EFFORT)
        first, *others = good(told).splitlines()
        assert REFUSED not in first
        assert all(f"{REFUSED}, it has" in line and "\x1b" not in line for line in others)

    @pytest.mark.parametrize(
        "args",
        [
            ("--strategy", "search"),
            ("--keep",),
            ("--fix", "0=0"),
            ("--keep-most",),
            ("--attempt", 9),
            ("--attempt", 0, "--all"),
            ("--format", "xml"),
            ("--why", 0),
        ],
        ids=lambda args: " ".join(map(str, args)),
    )
    def test_other_options_are_excluded(self, store, args):
        refused(store(store.ids["loose"], "--all-strategies", *args))

    def test_an_unknown_run_among_others_is_one_line(self, store):
        assert "ffffffff" in refused(store(store.ids["loose"], "ffffffff", "--all-strategies"))


class TestKeepMost:
    def test_the_front_goes_from_nothing_moved_to_the_least_extent(self, store):
        front = json.loads(good(store(store.ids["loose"][:9], "--keep-most", "--json", *EFFORT)))[
            "front"
        ]
        found = [
            (one["moved_bytes"], one["moved_blocks"], one["extent"], one["bound"]) for one in front
        ]
        assert found == [(0, 0, 18, 16), (10, 1, 16, 16)]
        stored = {one["block"]: one["address"] for one in front[0]["placements"]}
        assert stored == {0: 8, 1: 0, 2: 0}

    @pytest.mark.slow
    def test_text_has_a_line_per_placement(self, store):
        front = json.loads(good(store(store.ids["loose"], "--keep-most", "--json", *EFFORT)))[
            "front"
        ]
        lines = good(store(store.ids["loose"], "--keep-most", *EFFORT)).splitlines()
        for line, one in zip(lines, front, strict=True):
            assert [int(word) for word in line.replace(":", " ").split() if word.isdigit()] == [
                one["moved_bytes"], one["moved_blocks"], one["extent"], one["bound"],
            ]  # fmt: skip

    def test_a_block_that_is_fixed_stays(self, store):
        told = store(store.ids["loose"], "--keep-most", "--fix", 0, "--json", *EFFORT)
        front = json.loads(good(told))["front"]
        assert {
            place["address"] for one in front for place in one["placements"] if place["block"] == 0
        } == {8}

    def test_a_capacity_ends_the_front_where_it_is_met(self, store):
        told = store(store.ids["loose"], "--keep-most", "--capacity", 18, "--json", *EFFORT)
        assert [one["extent"] for one in json.loads(good(told))["front"]] == [18]

    def test_what_has_no_address_is_placed_and_not_moved(self, store):
        (one,) = json.loads(good(store(store.ids["open"], "--keep-most", "--json", *EFFORT)))[
            "front"
        ]
        assert (one["moved_bytes"], one["extent"]) == (0, 10)

    @pytest.mark.parametrize(
        "args",
        [
            ("--strategy", "search"),
            ("--keep",),
            ("--all",),
            ("--attempt", 9),
            ("--fix", "9"),
            ("--fix", "0=0", "--fix", "0=1"),
            ("--why", 0),
            ("--format", "csv"),
        ],
        ids=lambda args: " ".join(map(str, args)),
    )
    def test_other_options_and_unknown_blocks_are_refused(self, store, args):
        refused(store(store.ids["loose"], "--keep-most", *args))

    def test_without_a_compiler_it_is_said(self, store, monkeypatch):
        def fail(*_arguments):
            raise search.NoCompilerError("there is no compiler")

        monkeypatch.setattr("services.lab.allocate.warm_up", fail)
        refused(store(store.ids["loose"], "--keep-most"))

    def test_several_runs_are_refused(self, store):
        refused(store(*store.ids.values(), "--keep-most"))
