import csv
import io
import json

import pandas as pd
import pytest

from app.cli.export import is_plain_name
from tests.support.command_line import error_of, output_of

pytestmark = pytest.mark.usefixtures("elsewhere")


class TestFrames:
    @pytest.mark.slow
    def test_json_is_records_with_integers_and_null(self, run_id):
        rows = json.loads(output_of("frames", run_id[:5], "iterations"))
        assert {row["track"] for row in rows} == {"core 2,0", "core 3,0", "system"}
        assert all(isinstance(row["first_start"], int) for row in rows)
        run_row = json.loads(output_of("frames", run_id, "run"))[0]
        assert run_row["M"] == 64
        assert isinstance(run_row["M"], int)

    @pytest.mark.slow
    def test_settings_and_method_change_derived_frames_only(self, run_id):
        def rate(*more):
            rows = json.loads(output_of("frames", run_id, "iterations", *more))
            return max(row["gmacs_per_s"] for row in rows if row["track"] == "system")

        assert rate("--set", "clock_hz=2.5e9") == pytest.approx(
            2 * rate("--set", "clock_hz=1.25e9")
        )
        assert rate("--method", "reference") > 0
        assert json.loads(output_of("frames", run_id, "run"))[0]["clock_hz"] == 1.25e9

    def test_findings_of_loader_and_analysis_stand_together(self, run_id):
        severities = [
            row["severity"] for row in json.loads(output_of("frames", run_id, "diagnostics"))
        ]
        assert severities == sorted(severities, key=["error", "warning", "info"].index)

    def test_csv_and_parquet_are_the_same_rows(self, run_id, tmp_path):
        rows = list(
            csv.DictReader(io.StringIO(output_of("frames", run_id, "events", "--format", "csv")))
        )
        output_of("frames", run_id, "events", "--format", "parquet", "--output", "events.parquet")
        frame = pd.read_parquet(tmp_path / "events.parquet")
        assert len(rows) == len(frame) == 54
        assert [int(row["start"]) for row in rows] == frame["start"].tolist()

    def test_what_is_not_there_is_said(self, run_id):
        line = error_of("frames", run_id, "nothing")
        assert "'nothing'" in line
        assert "run, tracks, events, diagnostics, kernels" in line
        assert "colour" in error_of("frames", run_id, "kernels", "--set", "colour=red")
        line = error_of("frames", run_id, "events", "--data", "other")
        assert f"'{run_id}'" in line
        assert "other/catalogue.db" in line


class TestReport:
    def test_the_scripts_files_are_written(self, run_id, tmp_path):
        output_of("report", run_id, "--output", "out")
        names = {path.name for path in (tmp_path / "out").iterdir()}
        assert names == {
            "tile2,0.json",
            "tile3,0.json",
            "details.md",
            "index.json",
            "aggregate_perf.json",
        }

    def test_a_run_without_its_sizes_is_refused(self, trace):
        output_of("ingest", trace)
        run_id = json.loads(output_of("runs", "--json"))[0]["run_id"]
        assert "--set" in error_of("report", run_id, "--output", "out")

    def test_names_that_leave_the_folder_are_refused(self, run_id, monkeypatch, tmp_path):
        monkeypatch.setattr(
            "analysis.aie.reference_report.report_files", lambda _frames: {"../x.json": "{}"}
        )
        assert "'../x.json'" in error_of("report", run_id, "--output", "out")
        assert not (tmp_path / "x.json").exists()

    @pytest.mark.parametrize(
        ("name", "plain"), [("tile2,1.json", True), ("a/b", False), ("..", False), ("", False)]
    )
    def test_plain_names(self, name, plain):
        assert is_plain_name(name) is plain
