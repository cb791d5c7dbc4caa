import csv
import io
import json

import pytest

from app.cli.runs import runs_table
from schema.frames import RUN
from schema.metrics import METRICS
from tests.support.command_line import error_of, output_of
from tests.support.runs import catalogue_of

pytestmark = pytest.mark.usefixtures("elsewhere")


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
        assert output_of("runs") == "No runs.\n"
        assert output_of("runs", "--json") == "[]\n"
        assert len(output_of("runs", "--csv").splitlines()) == 1
        assert list(tmp_path.iterdir()) == []

    def test_the_table_has_the_numbers(self, run_id):
        heading, row = output_of("runs").splitlines()
        assert heading.split()[:5] == ["run", "name", "source", "hwid", "MxKxN"]
        assert run_id in row
        assert "64x64x64" in row

    @pytest.mark.usefixtures("run_id")
    def test_columns_without_any_value_are_left_out(self):
        assert not {"peak", "failed", "waste"} & set(output_of("runs").splitlines()[0].split())

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
        (row,) = csv.DictReader(io.StringIO(output_of("runs", "--csv")))
        (record,) = json.loads(output_of("runs", "--json"))
        assert (row["run_id"], row["M"], row["file"]) == (run_id, str(record["M"]), record["file"])
        assert float(row["gmacs_mean"]) == record["gmacs_mean"]
        assert output_of("runs", "--csv", "--M", "1").count("\n") == 1

    @pytest.mark.usefixtures("run_id")
    def test_filters_hold(self):
        assert (
            len(
                json.loads(
                    output_of(
                        "runs", "--json", "--hwid", "whole_array", "--M", "64", "--source", "aie"
                    )
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
            assert json.loads(output_of("runs", "--json", *other)) == []

    def test_the_newest_are_listed_where_a_number_is_asked_for(self, tmp_path):
        (tmp_path / "data").mkdir()
        catalogue_of(f"sqlite:///{tmp_path}/data/catalogue.db", {}, {}, {}).close()
        assert [run["name"] for run in json.loads(output_of("runs", "--json", "--limit", "2"))] == [
            "run 2",
            "run 1",
        ]
        assert len(output_of("runs", "--limit", "1").splitlines()) == 2
        error_of("runs", "--limit", "0")

    @pytest.mark.slow
    def test_names_from_files_do_not_drive_the_terminal(self, trace):
        output_of("ingest", trace, "--set", "name=\x1b[2Jgone\nnext")
        assert "\x1b" not in output_of("runs")
        assert len(output_of("runs").splitlines()) == 2
