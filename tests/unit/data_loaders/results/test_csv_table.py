"""The CSV of named numbers: what is read, what is left out with a reason, what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.protocol import LoadError
from data_loaders.registry import choose
from data_loaders.results.frames import MAX_SAMPLES_EACH
from data_loaders.results.loader import ResultsLoader
from schema.result_metrics import find_metric, result_key
from schema.results import MAX_NAME, MAX_RESULTS
from tests.support.deeploy_run import problem_csv


def load(folder, text, **settings):
    path = folder / "results.csv"
    path.write_text(text, encoding="utf-8")
    return ResultsLoader().load(path, settings)


def refusal(folder, text, **settings):
    with pytest.raises(LoadError) as error:
        load(folder, text, **settings)
    message = str(error.value)
    assert "\n" not in message
    return message


def test_rows_of_one_name_are_samples_of_one_number(tmp_path):
    run = load(tmp_path, "value,name,unit\n3,a,ms\n1,a,ms\n2.5,a,ms\n7,b,\n")
    first, second = run.frames["results"].to_dict("records")
    assert (first["value"], first["samples"], first["statistic"]) == (2.5e6, 3, "median")
    assert (second["value"], second["samples"], second["statistic"]) == (7, 1, "value")
    assert run.frames["result_samples"]["value"].tolist() == [3e6, 1e6, 2.5e6]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (("1.7e308", "1.5e308"), (1.5e308, 1.6e308, 1.7e308, 1.6e308, 0.2e308 / 2**0.5)),
        (("-1.7e308", "1.7e308"), (-1.7e308, 0.0, 1.7e308, 0.0, None)),
        (("1e155", "3e155", "2e155"), (1e155, 2e155, 3e155, 2e155, 1e155)),
        (("5e-324", "1.5e-323"), (5e-324, 1e-323, 1.5e-323, 1e-323, None)),
    ],
)
def test_statistics_of_the_largest_and_smallest_numbers(tmp_path, values, expected, recwarn):
    rows = "".join(f"a,{value}\n" for value in values)
    [row] = load(tmp_path, f"name,value\n{rows}").frames["results"].to_dict("records")
    names = ("minimum", "median", "maximum", "mean", "deviation")
    for name, wanted in zip(names, expected, strict=True):
        if wanted is not None:
            assert row[name] == pytest.approx(wanted, rel=1e-12, abs=0), name
        elif name == "deviation":
            assert not row[name] > 0
    assert [*recwarn] == []


def test_one_name_with_two_units_is_two_numbers(tmp_path):
    run = load(tmp_path, "name,value,unit,direction\na,1,ms,less\na,1,s,less\na,1,MiB,less\n")
    units = run.frames["results"][["unit", "samples"]].to_numpy().tolist()
    assert units == [["ns", 2], ["bytes", 1]]


@pytest.mark.parametrize(
    ("unit", "known", "factor"),
    [
        ("µs", "ns", 1e3),
        ("Seconds", "ns", 1e9),
        ("KiB", "bytes", 1024),
        ("B/s", "B/s", 1),
        ("%", "ratio", 0.01),
        ("items/sec", "items/s", 1),
        # What some tools use for 1000 and others for 1024, and what may be bits, stays.
        ("KB", "KB", 1),
        ("MB", "MB", 1),
        ("Mb", "Mb", 1),
        ("b", "b", 1),
        ("GFLOPs", "GFLOPs", 1),
        ("furlongs", "furlongs", 1),
    ],
)
def test_units_are_converted_where_their_meaning_is_certain(tmp_path, unit, known, factor):
    run = load(tmp_path, f"name,value,unit\na,2,{unit}\n")
    (row,) = run.frames["results"].to_dict("records")
    assert (row["unit"], row["file_unit"]) == (known, unit)
    assert row["value"] == pytest.approx(2 * factor)


def test_facts_of_the_file_are_in_any_row_and_its_own(tmp_path):
    text = "name,value,commit,taken_at,hwid,M\na,1,,,,\nb,2,4f2a,2026-11-01T13:00+01:00,npu2,64\n"
    assert load(tmp_path, text).metadata == {
        "name": "results",
        "time_unit": "",
        "commit": "4f2a",
        "taken_at": "2026-11-01T12:00:00+00:00",
        "hwid": "npu2",
        "M": 64,
    } | {"name": tmp_path.name, "stem": "results"}
    assert load(tmp_path, text, hwid="other").metadata["hwid"] == "other"


def test_a_file_of_two_commits_is_refused_with_both_lines(tmp_path):
    message = refusal(tmp_path, "name,value,commit\na,1,x\nb,2,y\n")
    assert "results.csv: line 3: commit 'y' differs from 'x' in line 2" in message


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("name,value,taken_at\na,1,soon\n", "line 2: taken_at=soon"),
        ("name,value,M\na,1,-4\n", "line 2: M=-4"),
        ("name,value\n", "has no named number"),
        ("name,value\n,1\n", "has no name, first at line 2"),
        ("name,value\na,nan\n", "not a finite number, first at line 2"),
        ("name,value\na,1e999\n", "not a finite number"),
        (f"name,value\n{'x' * (MAX_NAME + 1)},1\n", "more than 300 characters"),
        ("name;value\na;1\n", "not a file of results of a known format"),
    ],
    ids=["date", "size", "empty", "nameless", "nan", "infinite", "long name", "no header"],
)
def test_what_gives_no_number_is_refused_with_its_place(tmp_path, text, place):
    assert place in refusal(tmp_path, text)


def test_rows_that_cannot_be_read_cost_themselves(tmp_path):
    text = "name,value,direction\na,1,less\nb,soon,less\nc,1,sideways\nd,1\ne,2,more\n"
    run = load(tmp_path, text)
    assert run.frames["results"]["name"].tolist() == ["a", "e"]
    skipped = [finding for finding in run.diagnostics if finding.code == "entries_skipped"]
    assert sorted(finding.count for finding in skipped) == [1, 1, 1]
    assert all("line " in finding.message for finding in skipped)


@pytest.mark.slow
def test_more_numbers_than_a_file_may_have_are_refused(tmp_path):
    lines = "".join(f"n{rank},1\n" for rank in range(MAX_RESULTS))
    assert len(load(tmp_path, f"name,value\n{lines}").frames["results"]) == MAX_RESULTS
    assert "more than 10000 named numbers" in refusal(tmp_path, f"name,value\n{lines}last,1\n")


def test_more_samples_than_are_stored_still_count_in_the_statistics(tmp_path):
    values = range(MAX_SAMPLES_EACH + 50)
    text = "name,value\n" + "".join(f"a,{value}\n" for value in values)
    run = load(tmp_path, text)
    assert run.frames["results"]["samples"].tolist() == [len(values)]
    assert run.frames["results"]["maximum"].tolist() == [values[-1]]
    assert len(run.frames["result_samples"]) == MAX_SAMPLES_EACH
    assert "samples_cut" in {finding.code for finding in run.diagnostics}


@pytest.mark.parametrize("direction", ["sideways", "x" * 1000], ids=["word", "long"])
def test_a_direction_that_is_none_is_refused(tmp_path, direction):
    assert "direction=" in refusal(tmp_path, "name,value\na,1\n", direction=direction)


def test_files_of_other_sources_are_not_taken(tmp_path):
    texts = {
        "problem.csv": problem_csv(),
        "trace.json": '{"traceEvents": [], "a": {"b": {"value": 1}}}',
        "series.json": '{"series": [{"name": "a", "values": [1, 2]}]}',
        "other.json": json.dumps({"results": [{"name": "a", "mean": 1}]}),
        "table.csv": "name,value,colour\na,1,red\n",
        "numbers.json": '{"a": {"value": 1}}',
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.write_text(text)
        assert isinstance(ResultsLoader().sniff(path, text.encode()), str), name
    assert choose(tmp_path / "problem.csv").name == "minimalloc"


@pytest.mark.parametrize(
    ("file", "shared"),
    [
        ("0007_baseline.json", "baseline"),
        (f"0001_{'4f' * 20}_20261128_000428.json", "pytest-benchmark"),
        (f"0002_{'4f' * 20}_20261128_000428_uncommited-changes.json", "pytest-benchmark"),
    ],
    ids=["saved", "automatic", "uncommitted"],
)
def test_counter_commit_and_date_in_a_name_do_not_divide_a_series(tmp_path, file, shared):
    path = tmp_path / file
    content = {"machine_info": {}, "commit_info": {}, "benchmarks": []}
    content["benchmarks"] = [{"fullname": "t", "stats": {"median": 1.0}}]
    path.write_text(json.dumps(content))
    metadata = ResultsLoader().load(path, {}).metadata
    assert (metadata["stem"], metadata["name"]) == (shared, path.stem)


@given(st.text(max_size=40), st.text(max_size=12), st.sampled_from(["less", "more", ""]))
def test_a_key_gives_back_what_it_was_made_of(name, unit, direction):
    name = name.encode("utf-8", "replace").decode()
    unit = unit.encode("utf-8", "replace").decode()
    key = result_key(name, unit, direction)
    assert not any(char.isspace() for char in key)
    metric = find_metric(key)
    if not name:
        assert metric is None
        return
    assert metric is not None
    assert (metric.label, metric.unit) == (name, unit)
    assert metric.polarity == {"less": -1, "more": 1, "": 0}[direction]


@given(st.text(max_size=60))
def test_no_other_text_is_a_key(text):
    metric = find_metric(f"result:{text}")
    if metric is not None:
        direction = {-1: "less", 1: "more", 0: ""}[metric.polarity]
        assert result_key(metric.label, metric.unit, direction) == f"result:{text}"
