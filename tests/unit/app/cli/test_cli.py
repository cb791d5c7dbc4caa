import csv
import io
import json
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from app import __version__
from app.cli.common import printable
from app.cli.export import is_plain_name
from app.cli.runs import runs_table
from app.config.settings import ENV_PREFIX, Settings
from schema.frames import RUN
from schema.metrics import METRICS
from tests.support.aie_trace import trace_text
from tests.support.command_line import run
from tests.support.numbers_in_text import numbers_in
from tests.support.runs import catalogue_of
from tests.support.tinygrad_capture import training

ROOT = Path(__file__).resolve().parents[4]
FOLDER = "outputs/whole_array-gemm_64_64_64-2_row_1_col/traces"
SIZES = ("m=32", "k=32", "n=32", "warmup=1", "iterations=2")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(ENV_PREFIX + name.upper(), raising=False)


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / FOLDER / "trace_mm_64_64_64.json"
    path.parent.mkdir(parents=True)
    path.write_text(trace_text())
    return path


def good(*args):
    result = run(*args)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def refused(*args):
    """Return the one line that a command ends with."""
    result = run(*args)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def run_id(trace):
    sets = [x for pair in SIZES for x in ("--set", pair)]
    return json.loads(good("ingest", "outputs", "--json", *sets))["runs"][0]["run_id"]


class TestIngest:
    def test_a_tree_is_taken_in_with_what_its_path_tells(self, run_id):
        row = json.loads(good("runs", "--json"))[0]
        assert row["run_id"] == run_id
        assert [row[key] for key in ("hwid", "M", "rows", "cols", "warmup")] == [
            "whole_array",
            64,
            2,
            1,
            1,
        ]
        assert row["gmacs_mean"] > 0

    def test_json_is_all_there_is_on_stdout_even_where_it_fails(self, tmp_path):
        (tmp_path / "x.json").write_text("{}")
        result = run("ingest", "x.json", "none", "--json")
        assert result.exit_code == 1
        answer = json.loads(result.stdout)
        assert answer["runs"] == []
        assert [entry["path"] for entry in answer["skipped"]] == ["none", "x.json"]

    def test_json_stays_json_where_the_store_cannot_be_used(self, tmp_path, trace):
        (tmp_path / "data").write_text("a file in the way")
        result = run("ingest", trace, "--json")
        assert result.exit_code == 1
        assert "Traceback" not in result.stderr
        assert json.loads(result.stdout)["skipped"][0]["path"] == str(trace)

    def test_a_person_reads_what_happened(self, trace, tmp_path):
        (trace.parent / "details.md").write_text("#")
        text = good("ingest", "outputs")
        assert text.startswith("new        ")
        assert {"54", "1"} <= {*numbers_in(text)}
        assert good("ingest", trace).startswith("unchanged  ")
        lines = run("ingest", "none").stderr.splitlines()
        assert len(lines) == 2
        assert lines[0].startswith("Error: none: ")

    def test_a_file_that_is_read_along_is_not_called_unread(self, tmp_path):
        maker = training("0.14", 1)
        (tmp_path / "net").mkdir()
        (tmp_path / "net/profile.pkl").write_bytes(maker.profile())
        (tmp_path / "net/rewrites.pkl").write_bytes(maker.rewrites())
        _run, read_along = good("ingest", "net").splitlines()
        assert numbers_in(read_along) == ["1"]
        (tmp_path / "net/notes.txt").write_text("by hand")
        _run, again, unread = good("ingest", "net").splitlines()
        assert again == read_along
        assert numbers_in(unread) == ["1"]

    @pytest.mark.parametrize(
        ("option", "why"),
        [
            (("--loader", "nope"), "loader 'nope'"),
            (("--set", "colour=red"), "setting 'colour'"),
            (("--loader", "aie", "--set", "capacity=4KiB"), "setting 'capacity'"),
            (("--set", "taken_at=soon"), "taken_at=soon: "),
            (("--set", "M=many"), "M=many: "),
        ],
    )
    def test_what_is_wrong_with_all_files_is_said_once(self, trace, option, why):
        for name in ("trace_mm_64_64_65.json", "trace_mm_64_64_66.json"):
            (trace.parent / name).write_text(trace.read_text() + " " * int(name[-6]))
        answer = run("ingest", trace.parent, *option)
        (line,) = answer.stderr.splitlines()
        assert why in line
        assert trace.name not in line
        assert answer.exit_code == 1
        assert good("runs").strip() == "No runs."

    def test_a_setting_of_another_loader_is_said_of_the_files_that_do_not_have_it(self, trace):
        lines = run("ingest", trace, "--set", "capacity=4KiB").stderr.splitlines()
        assert trace.name in lines[0]
        assert "aie" in lines[0].split()
        assert "'capacity'" in lines[0]

    def test_when_and_from_what_a_run_was_made_is_in_the_list(self, trace):
        good("ingest", trace, "--set", "taken_at=2026-11-01T12:00Z", "--set", "commit=abc123")
        (listed,) = json.loads(good("runs", "--json"))
        assert (listed["taken_at"], listed["commit"]) == ("2026-11-01T12:00:00+00:00", "abc123")

    def test_a_malformed_setting_is_said(self, trace):
        assert "'--set': 'M'" in refused("ingest", trace, "--set", "M")
        assert run("ingest", trace, "--set", "M=many").exit_code == 1


def record(**values):
    """Return a record of the catalogue with nothing but what is given."""
    blank = dict.fromkeys([*RUN.names, *METRICS])
    given = {
        "run_id": "0" * 8,
        "name": "net",
        "source": "s",
        "hwid": "h",
        "created_at": "2026-11-01T10:00:00",
    }
    return blank | given | {"errors": 0, "warnings": 0} | values


class TestRuns:
    def test_an_empty_store_is_no_error(self, tmp_path):
        assert good("runs") == "No runs.\n"
        assert good("runs", "--json") == "[]\n"
        assert len(good("runs", "--csv").splitlines()) == 1
        assert list(tmp_path.iterdir()) == []

    def test_the_table_has_the_numbers(self, run_id):
        heading, row = good("runs").splitlines()
        assert heading.split()[:5] == ["run", "name", "source", "hwid", "MxKxN"]
        assert run_id in row
        assert "64x64x64" in row

    @pytest.mark.usefixtures("run_id")
    def test_columns_without_any_value_are_left_out(self):
        assert not {"peak", "failed", "waste"} & set(good("runs").splitlines()[0].split())

    def test_memory_has_columns_where_a_run_has_it(self):
        memory = {
            "peak_memory": 128624.0,
            "capacity_use": 0.9813,
            "failed_blocks": 4.0,
            "memory_waste": 0.0,
        }
        heading, first, other = runs_table([record(**memory), record(M=64, K=64, N=32)])
        assert heading.split()[4:11] == ["MxKxN", "peak", "mem", "cap", "%", "failed", "waste"]
        assert first.split()[4:11] == ["-", "126", "KiB", "98.1", "4", "0", "B"]
        assert other.split()[4:9] == ["64x64x32", "-", "-", "-", "-"]
        assert (
            len(
                {
                    line.index(word)
                    for line, word in ((heading, "health"), (first, "ok"), (other, "ok"))
                }
            )
            == 1
        )

    def test_profiles_have_columns_in_units_that_fit(self):
        profile = {
            "busy_share": 0.0353,
            "kernels": 134.0,
            "kernel_time": 63_902_570.0,
            "flops_total": 2.508e9,
        }
        heading, row = runs_table([record(**profile, peak_memory=560140.0)])
        assert heading.split()[4:13] == [
            "kernels",
            "busy",
            "%",
            "kernel",
            "time",
            "FLOP/s",
            "peak",
            "mem",
            "health",
        ]
        assert row.split()[4:12] == ["134", "3.5", "63.9", "ms", "2.51", "GFLOP/s", "547", "KiB"]

    def test_the_list_is_a_csv_file_in_its_own_columns(self, run_id):
        (row,) = csv.DictReader(io.StringIO(good("runs", "--csv")))
        (record,) = json.loads(good("runs", "--json"))
        assert (row["run_id"], row["M"], row["file"]) == (run_id, str(record["M"]), record["file"])
        assert float(row["gmacs_mean"]) == record["gmacs_mean"]
        assert good("runs", "--csv", "--M", "1").count("\n") == 1

    @pytest.mark.usefixtures("run_id")
    def test_filters_hold(self):
        assert (
            len(
                json.loads(
                    good("runs", "--json", "--hwid", "whole_array", "--M", "64", "--source", "aie")
                )
            )
            == 1
        )
        for other in (
            ("--hwid", "npu1"),
            ("--M", "1"),
            ("--K", "1"),
            ("--N", "1"),
            ("--source", "x"),
        ):
            assert json.loads(good("runs", "--json", *other)) == []

    def test_the_newest_are_listed_where_a_number_is_asked_for(self, tmp_path):
        (tmp_path / "data").mkdir()
        catalogue_of(f"sqlite:///{tmp_path}/data/catalogue.db", {}, {}, {}).close()
        assert [run["name"] for run in json.loads(good("runs", "--json", "--limit", "2"))] == [
            "run 2",
            "run 1",
        ]
        assert len(good("runs", "--limit", "1").splitlines()) == 2
        refused("runs", "--limit", "0")

    def test_names_from_files_do_not_drive_the_terminal(self, trace):
        good("ingest", trace, "--set", "name=\x1b[2Jgone\nnext")
        assert "\x1b" not in good("runs")
        assert len(good("runs").splitlines()) == 2


class TestDelete:
    def test_a_run_goes_by_the_beginning_of_its_id(self, run_id):
        assert good("delete", run_id[:6]) == f"deleted {run_id}\n"
        assert json.loads(good("runs", "--json")) == []
        assert f"'{run_id}'" in refused("delete", run_id)

    def test_nothing_is_deleted_where_one_is_unknown(self, run_id):
        refused("delete", run_id, "zzz")
        assert len(json.loads(good("runs", "--json"))) == 1


class TestFrames:
    def test_json_is_records_with_integers_and_null(self, run_id):
        rows = json.loads(good("frames", run_id[:5], "iterations"))
        assert {row["track"] for row in rows} == {"core 2,0", "core 3,0", "system"}
        assert all(isinstance(row["first_start"], int) for row in rows)
        run_row = json.loads(good("frames", run_id, "run"))[0]
        assert run_row["M"] == 64
        assert isinstance(run_row["M"], int)

    def test_settings_and_method_change_derived_frames_only(self, run_id):
        def rate(*more):
            rows = json.loads(good("frames", run_id, "iterations", *more))
            return max(row["gmacs_per_s"] for row in rows if row["track"] == "system")

        assert rate("--set", "clock_hz=2.5e9") == pytest.approx(
            2 * rate("--set", "clock_hz=1.25e9")
        )
        assert rate("--method", "reference") > 0
        assert json.loads(good("frames", run_id, "run"))[0]["clock_hz"] == 1.25e9

    def test_findings_of_loader_and_analysis_stand_together(self, run_id):
        severities = [row["severity"] for row in json.loads(good("frames", run_id, "diagnostics"))]
        assert severities == sorted(severities, key=["error", "warning", "info"].index)

    def test_csv_and_parquet_are_the_same_rows(self, run_id, tmp_path):
        rows = list(
            csv.DictReader(io.StringIO(good("frames", run_id, "events", "--format", "csv")))
        )
        good("frames", run_id, "events", "--format", "parquet", "--output", "events.parquet")
        frame = pd.read_parquet(tmp_path / "events.parquet")
        assert len(rows) == len(frame) == 54
        assert [int(row["start"]) for row in rows] == frame["start"].tolist()

    def test_what_is_not_there_is_said(self, run_id):
        line = refused("frames", run_id, "nothing")
        assert "'nothing'" in line
        assert "run, tracks, events, diagnostics, kernels" in line
        assert "colour" in refused("frames", run_id, "kernels", "--set", "colour=red")
        line = refused("frames", run_id, "events", "--data", "other")
        assert f"'{run_id}'" in line
        assert "other/catalogue.db" in line


class TestReport:
    def test_the_scripts_files_are_written(self, run_id, tmp_path):
        good("report", run_id, "--output", "out")
        names = {path.name for path in (tmp_path / "out").iterdir()}
        assert names == {
            "tile2,0.json",
            "tile3,0.json",
            "details.md",
            "index.json",
            "aggregate_perf.json",
        }

    def test_a_run_without_its_sizes_is_refused(self, trace):
        good("ingest", trace)
        run_id = json.loads(good("runs", "--json"))[0]["run_id"]
        assert "--set" in refused("report", run_id, "--output", "out")

    def test_names_that_leave_the_folder_are_refused(self, run_id, monkeypatch, tmp_path):
        monkeypatch.setattr(
            "analysis.aie.reference_report.report_files", lambda _frames: {"../x.json": "{}"}
        )
        assert "'../x.json'" in refused("report", run_id, "--output", "out")
        assert not (tmp_path / "x.json").exists()

    @pytest.mark.parametrize(
        ("name", "plain"), [("tile2,1.json", True), ("a/b", False), ("..", False), ("", False)]
    )
    def test_plain_names(self, name, plain):
        assert is_plain_name(name) is plain


class TestErrors:
    def test_every_mistake_is_one_line(self, monkeypatch):
        assert "No such command 'nosuch'" in refused("nosuch")
        assert "Missing argument" in refused("frames", "abc")
        assert "No such option" in refused("runs", "--colour")
        monkeypatch.setenv("TILESCOPE_PORT", "many")
        assert "setting port" in refused("runs")

    def test_a_database_that_is_none_is_one_line(self, tmp_path):
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "catalogue.db").write_text("no database " * 100)
        assert "file is not a database" in refused("runs")

    def test_runs_are_refreshed_from_what_is_stored(self, trace):
        answer = json.loads(good("ingest", trace, "--json"))
        run_id, path = answer["runs"][0]["run_id"], Path("data/catalogue.db")
        before = json.loads(good("runs", "--json"))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("update runs set headline = '{}', errors = 3")
        trace.unlink()
        assert good("refresh").startswith(f"refreshed  {run_id}")
        assert json.loads(good("runs", "--json")) == before
        assert json.loads(good("refresh", run_id[:6], "--json"))["runs"][0]["status"] == "unchanged"
        next(Path("data/frames").rglob("events.parquet")).unlink()
        failed = run("refresh", "--json")
        assert (failed.exit_code, json.loads(failed.stdout)["runs"][0]["status"]) == (1, "failed")

    def test_a_damaged_row_is_said_without_its_content_and_deleted(self, trace):
        run_id = json.loads(good("ingest", trace, "--json"))["runs"][0]["run_id"]
        with closing(sqlite3.connect("data/catalogue.db")) as connection, connection:
            connection.execute('update runs set run = \'{"name": "torn\'')
        for listed in (good("runs"), good("runs", "--json")):
            assert f"{run_id}: damaged" in listed
            assert "torn" not in listed
        said = refused("frames", run_id, "events")
        assert run_id in said
        assert "torn" not in said
        good("delete", run_id)
        assert json.loads(good("runs", "--json")) == []

    def test_a_catalogue_is_upgraded_by_the_command(self, tmp_path):
        assert "no catalogue" in good("db", "upgrade")
        with zipfile.ZipFile(ROOT / "tests/data/stores/0.1.0.zip") as archive:
            archive.extract("catalogue.db", tmp_path / "data")
        assert "from revision 0001" in good("db", "upgrade")
        assert "already" in good("db", "upgrade")

    def test_control_characters_are_left_out(self):
        assert printable("a\x1b[31m\nb\u202e") == "a [31m b "


@pytest.mark.parametrize(
    ("argument", "printed"), [("runs", "No runs."), ("--version", f"tilescope {__version__}")]
)
def test_a_command_without_pages_imports_neither_pandas_nor_dash_nor_alembic(
    tmp_path, argument, printed
):
    Settings(data=tmp_path).catalogue().create()
    code = (
        "import sys; from app.cli.main import main\n"
        f"try: main(['{argument}'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'dash', 'plotly', 'pandas', 'pyarrow', 'flask', 'alembic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={"TILESCOPE_DATA": str(tmp_path)},
    )
    assert done.stdout.splitlines() == [printed, "[]"]
