"""Each format of plain results: the numbers are those that another reading of the file gives."""

import csv
import json
import math
import statistics
from pathlib import Path

import pytest

from data_loaders.registry import choose
from data_loaders.results.loader import ResultsLoader
from tests.support.finding_codes import code_counts

FILES = Path(__file__).resolve().parents[3] / "support" / "results"
NS = 1e9


def load(name, **settings):
    path = FILES / name
    assert choose(path).name == "results"
    return ResultsLoader().load(path, settings)


def rows(run):
    """Return name -> row of frame `results`."""
    return {row["name"]: row for row in run.frames["results"].to_dict("records")}


def samples(run, name):
    """Return the samples of a number."""
    frame = run.frames["result_samples"]
    rank = run.frames["results"].set_index("name").loc[name, "result"]
    return frame.loc[frame["result"] == rank, "value"].tolist()


def test_pytest_benchmark_has_the_rounds_as_samples_and_their_median_as_value():
    run = load("pytest_benchmark.json")
    content = json.loads((FILES / "pytest_benchmark.json").read_text())
    found = rows(run)
    assert len(found) == len(content["benchmarks"])
    for benchmark in content["benchmarks"]:
        row = found[benchmark["fullname"]]
        stats = benchmark["stats"]
        assert row["value"] == pytest.approx(stats["median"] * NS)
        assert row["minimum"] == pytest.approx(stats["min"] * NS)
        assert row["maximum"] == pytest.approx(stats["max"] * NS)
        assert row["mean"] == pytest.approx(stats["mean"] * NS)
        assert row["deviation"] == pytest.approx(stats["stddev"] * NS)
        assert row["samples"] == stats["rounds"]
        assert (row["unit"], row["direction"], row["file_unit"]) == ("ns", "less", "s")
        assert samples(run, row["name"]) == pytest.approx([one * NS for one in stats["data"]])
    commit = content["commit_info"]
    assert run.metadata["commit"] == commit["id"]
    assert run.metadata["branch"] == commit["branch"]
    assert run.metadata["hwid"] == content["machine_info"]["cpu"]["brand_raw"]
    assert run.metadata["taken_at"] == content["datetime"][:19] + "+00:00"


def test_repetitions_of_google_benchmark_are_samples_and_its_aggregates_are_not():
    run = load("google_benchmark.json")
    content = json.loads((FILES / "google_benchmark.json").read_text())
    scale = {"ns": 1.0, "us": 1e3}
    times = {}
    medians = {}
    for row in content["benchmarks"]:
        if row.get("error_occurred") or row.get("aggregate_name") in ("BigO", "RMS"):
            continue
        key = f"{row['run_name']} real_time"
        if row["run_type"] == "iteration":
            times.setdefault(key, []).append(row["real_time"] * scale[row["time_unit"]])
        elif row["aggregate_name"] == "median":
            medians[key] = row["real_time"] * scale[row["time_unit"]]
    found = rows(run)
    assert {name for name in found if name.endswith(" real_time")} == set(times)
    for name, values in times.items():
        assert samples(run, name) == pytest.approx(values)
        # The tool's own median of the same repetitions.
        assert found[name]["value"] == pytest.approx(medians[name])
        assert found[name]["samples"] == 6
    rate = found["BM_Copy/1024 bytes_per_second"]
    assert (rate["unit"], rate["direction"]) == ("B/s", "more")
    load_of_author = found["BM_Copy/1024 load"]
    assert (load_of_author["unit"], load_of_author["value"]) == ("", 0.5)
    assert not isinstance(load_of_author["direction"], str)
    assert code_counts(run)["benchmark_failed"] == 6
    assert "BM_Broken real_time" not in found


def test_aggregates_alone_give_median_mean_and_deviation_without_samples():
    run = load("google_benchmark_aggregates.json")
    content = json.loads((FILES / "google_benchmark_aggregates.json").read_text())
    by_name = {row["name"]: row for row in content["benchmarks"]}
    row = rows(run)["BM_Copy/1024 cpu_time"]
    fields = {"value": "median", "mean": "mean", "deviation": "stddev"}
    for field, aggregate in fields.items():
        expected = by_name[f"BM_Copy/1024_{aggregate}"]["cpu_time"] * 1e3
        assert row[field] == pytest.approx(expected)
    assert row["samples"] == 3
    assert "result_samples" not in run.frames


def test_the_csv_of_google_benchmark_is_read_behind_the_words_of_the_program():
    run = load("google_benchmark.csv")
    lines = (FILES / "google_benchmark.csv").read_text().splitlines()
    header = next(at for at, line in enumerate(lines) if line.startswith("name,"))
    table = [*csv.DictReader(lines[header:])]
    own = [float(row["cpu_time"]) * 1e3 for row in table if row["name"] == "BM_Copy/65536"]
    assert len(own) == 2
    row = rows(run)["BM_Copy/65536 cpu_time"]
    assert row["value"] == pytest.approx(statistics.median(own))
    assert not any("_cv" in name or "_stddev" in name for name in rows(run))


def test_a_benchmark_whose_own_name_ends_like_an_aggregate_is_a_benchmark(tmp_path):
    path = tmp_path / "bench.csv"
    path.write_text(
        "name,iterations,real_time,cpu_time,time_unit,bytes_per_second\nBM_mean,10,5,4,ns,\n"
    )
    run = ResultsLoader().load(path, {})
    assert rows(run)["BM_mean real_time"]["value"] == 5
    assert rows(run)["BM_mean real_time"]["statistic"] == "value"


def test_hyperfine_has_the_runs_of_each_command():
    run = load("hyperfine.json")
    content = json.loads((FILES / "hyperfine.json").read_text())
    for result in content["results"]:
        row = rows(run)[result["command"]]
        assert row["value"] == pytest.approx(statistics.median(result["times"]) * NS)
        assert row["deviation"] == pytest.approx(result["stddev"] * NS)
        assert samples(run, row["name"]) == pytest.approx([one * NS for one in result["times"]])


def test_a_failed_command_of_hyperfine_is_reported(tmp_path):
    path = tmp_path / "commands.json"
    content = json.loads((FILES / "hyperfine.json").read_text())
    content["results"][0]["exit_codes"][2] = 1
    path.write_text(json.dumps(content))
    assert code_counts(ResultsLoader().load(path, {})) == {"command_failed": 1}


def test_bencher_has_units_only_for_the_measures_that_its_format_defines():
    found = rows(load("bencher.json"))
    told = {name: (row["value"], row["unit"], row["direction"]) for name, row in found.items()}
    entropy = told.pop("weights.bin entropy")
    assert entropy[:2] == (7.25, "")
    assert not isinstance(entropy[2], str)
    assert told == {
        "adapter::parse latency": (88.0, "ns", "less"),
        "adapter::parse throughput": (5.55, "operations/s", "more"),
        "weights.bin file-size": (42.0, "bytes", "less"),
        "./build.sh build-time": (87.5e9, "ns", "less"),
    }


def test_records_of_hud_of_one_name_are_told_apart_by_what_differs():
    run = load("hud.json")
    found = rows(run)
    first = found["gull latency inference bf16 eager batch=1"]
    assert (first["value"], first["unit"], first["samples"]) == (12.5e6, "ns", 3)
    assert found["gull latency inference bf16 eager batch=8"]["value"] == 40e6
    assert found["gull token_per_sec inference bf16 eager"]["unit"] == ""
    assert run.metadata["commit"] == "4f2a91c8"
    assert run.metadata["taken_at"] == "2026-09-21T14:13:20+00:00"
    assert code_counts(run) == {"number_without_unit": 1, "number_without_direction": 3}


def test_records_of_hud_may_be_on_a_line_each():
    found = rows(load("hud_lines.json"))
    assert [row["value"] for row in found.values()] == [3086359081, 5712213247, 40859830085]


def test_iron_gives_the_statistics_of_the_newest_commit():
    run = load("iron.csv")
    row = rows(run)["axpy_8_cols_2048 Latency"]
    names = ("value", "mean", "minimum", "maximum", "deviation")
    assert [row[name] for name in names] == [100.0, 101.5, 99.5, 106.0, 2.5]
    assert math.isnan(row["samples"]) if row["samples"] is not None else True
    assert run.metadata["commit"] == "51c7"
    assert code_counts(run)["commits_left_out"] == 1
    assert code_counts(run)["check_failed"] == 1


def test_a_log_gives_mean_and_range_of_time_and_rate():
    run = load("run_trace.log")
    time, rate = rows(run).values()
    assert [time[name] for name in ("value", "minimum", "maximum")] == [812_500, 790_000, 901_250]
    assert (time["unit"], time["direction"], time["statistic"]) == ("ns", "less", "mean")
    assert rate["value"] == pytest.approx(330.4e9)
    assert (rate["unit"], rate["direction"]) == ("FLOP/s", "more")


def test_a_log_beside_its_trace_stays_a_companion_of_the_trace():
    log = FILES.parents[2] / "samples" / "aie_design" / "stalls" / "run_trace.log"
    assert isinstance(ResultsLoader().sniff(log, log.read_bytes()), str)


def test_a_direction_that_the_file_does_not_tell_can_be_set():
    run = load("iron.csv", direction="less")
    assert set(run.frames["results"]["direction"]) == {"less"}
    assert "number_without_direction" not in code_counts(run)
    # What the file tells is not overridden.
    assert rows(load("bencher.json", direction="less"))["adapter::parse throughput"][
        "direction"
    ] == ("more")
