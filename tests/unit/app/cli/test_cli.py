import json
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from app import __version__
from app.cli.common import printable
from app.config.settings import Settings
from samples.tinygrad_capture import training
from tests.support.command_line import error_of, output_of, run
from tests.support.numbers_in_text import numbers_in

pytestmark = pytest.mark.usefixtures("elsewhere")

ROOT = Path(__file__).resolve().parents[4]


class TestIngest:
    def test_a_tree_is_taken_in_with_what_its_path_tells(self, run_id):
        row = json.loads(output_of("runs", "--json"))[0]
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

    @pytest.mark.slow
    def test_a_person_reads_what_happened(self, trace, tmp_path):
        (trace.parent / "details.md").write_text("#")
        text = output_of("ingest", "outputs")
        assert text.startswith("new        ")
        assert {"54", "1"} <= {*numbers_in(text)}
        assert output_of("ingest", trace).startswith("unchanged  ")
        lines = run("ingest", "none").stderr.splitlines()
        assert len(lines) == 2
        assert lines[0].startswith("Error: none: ")

    @pytest.mark.slow
    def test_a_file_that_is_read_along_is_not_called_unread(self, tmp_path):
        maker = training("0.14", 1)
        (tmp_path / "net").mkdir()
        (tmp_path / "net/profile.pkl").write_bytes(maker.profile())
        (tmp_path / "net/rewrites.pkl").write_bytes(maker.rewrites())
        _run, read_along = output_of("ingest", "net").splitlines()
        assert numbers_in(read_along) == ["1"]
        (tmp_path / "net/notes.txt").write_text("by hand")
        _run, again, unread = output_of("ingest", "net").splitlines()
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
        assert output_of("runs").strip() == "No runs."

    def test_a_setting_of_another_loader_is_said_of_the_files_that_do_not_have_it(self, trace):
        lines = run("ingest", trace, "--set", "capacity=4KiB").stderr.splitlines()
        assert trace.name in lines[0]
        assert "aie" in lines[0].split()
        assert "'capacity'" in lines[0]

    def test_when_and_from_what_a_run_was_made_is_in_the_list(self, trace):
        output_of("ingest", trace, "--set", "taken_at=2026-11-01T12:00Z", "--set", "commit=abc123")
        (listed,) = json.loads(output_of("runs", "--json"))
        assert (listed["taken_at"], listed["commit"]) == ("2026-11-01T12:00:00+00:00", "abc123")

    def test_a_malformed_setting_is_said(self, trace):
        assert "'--set': 'M'" in error_of("ingest", trace, "--set", "M")
        assert run("ingest", trace, "--set", "M=many").exit_code == 1


class TestDelete:
    def test_a_run_goes_by_the_beginning_of_its_id(self, run_id):
        assert output_of("delete", run_id[:6]) == f"deleted {run_id}\n"
        assert json.loads(output_of("runs", "--json")) == []
        assert f"'{run_id}'" in error_of("delete", run_id)

    def test_nothing_is_deleted_where_one_is_unknown(self, run_id):
        error_of("delete", run_id, "zzz")
        assert len(json.loads(output_of("runs", "--json"))) == 1


class TestErrors:
    def test_every_mistake_is_one_line(self, monkeypatch):
        assert "No such command 'nosuch'" in error_of("nosuch")
        assert "Missing argument" in error_of("frames", "abc")
        assert "No such option" in error_of("runs", "--colour")
        monkeypatch.setenv("TILESCOPE_PORT", "many")
        assert "setting port" in error_of("runs")

    def test_a_database_that_is_none_is_one_line(self, tmp_path):
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "catalogue.db").write_text("no database " * 100)
        assert "file is not a database" in error_of("runs")

    @pytest.mark.slow
    def test_runs_are_refreshed_from_what_is_stored(self, trace):
        answer = json.loads(output_of("ingest", trace, "--json"))
        run_id, path = answer["runs"][0]["run_id"], Path("data/catalogue.db")
        before = json.loads(output_of("runs", "--json"))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("update runs set headline = '{}', errors = 3")
        trace.unlink()
        assert output_of("refresh").startswith(f"refreshed  {run_id}")
        assert json.loads(output_of("runs", "--json")) == before
        assert (
            json.loads(output_of("refresh", run_id[:6], "--json"))["runs"][0]["status"]
            == "unchanged"
        )
        next(Path("data/frames").rglob("frames.pack")).unlink()
        failed = run("refresh", "--json")
        assert (failed.exit_code, json.loads(failed.stdout)["runs"][0]["status"]) == (1, "failed")

    @pytest.mark.slow
    def test_a_damaged_row_is_said_without_its_content_and_deleted(self, trace):
        run_id = json.loads(output_of("ingest", trace, "--json"))["runs"][0]["run_id"]
        with closing(sqlite3.connect("data/catalogue.db")) as connection, connection:
            connection.execute('update runs set run = \'{"name": "torn\'')
        for listed in (output_of("runs"), output_of("runs", "--json")):
            assert f"{run_id}: damaged" in listed
            assert "torn" not in listed
        said = error_of("frames", run_id, "events")
        assert run_id in said
        assert "torn" not in said
        output_of("delete", run_id)
        assert json.loads(output_of("runs", "--json")) == []

    @pytest.mark.slow
    def test_a_catalogue_is_upgraded_by_the_command(self, tmp_path):
        assert "no catalogue" in output_of("db", "upgrade")
        with zipfile.ZipFile(ROOT / "tests/data/stores/0.1.0.zip") as archive:
            archive.extract("catalogue.db", tmp_path / "data")
        assert "from revision 0001" in output_of("db", "upgrade")
        assert "already" in output_of("db", "upgrade")

    def test_control_characters_are_left_out(self):
        assert printable("a\x1b[31m\nb\u202e") == "a [31m b "


@pytest.mark.slow
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
