"""The command `predict`: runs with a model beside them, sweeps, and refusals."""

import json

import pytest

from ingest.files import ingest
from tests.support.command_line import run
from tests.support.gemm_trace import entries
from tests.support.paced_trace import array_cores, array_settings

TOTALS = "totals:\n  overlap: 40\n  iter_step: 600\n  total_latency: {total}\n"
LOG = "Avg NPU matmul time: 60us.\nMin NPU matmul time: {least}us.\nMax NPU matmul time: 70us.\n"


@pytest.fixture
def capture(settings, tmp_path):
    """Ingest a capture of a GEMM with a model's totals beside it; return the id of the run."""

    def make(name, total=None, least=50, tile=(4, 4, 4)):
        folder = tmp_path / name
        folder.mkdir()
        # A name of its own makes the content, and so the run, another one.
        other = {"name": "process_name", "ph": "M", "pid": 999, "args": {"name": name}}
        (folder / "trace.json").write_text(json.dumps([*entries(*array_cores()), other]))
        if total is not None:
            (folder / "slot_latency_breakdown.yaml").write_text(TOTALS.format(total=total))
        (folder / "run_trace.log").write_text(LOG.format(least=least))
        sizes = dict(zip("mkn", map(str, tile), strict=True))
        given = dict(array_settings()) | sizes
        return ingest(settings.repository(), [folder], given).runs[0].run_id

    return make


def answer(settings, *args):
    result = run("predict", *args, "--data", settings.data, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


@pytest.mark.slow
def test_a_run_has_a_row_per_term(settings, capture):
    (found,) = answer(settings, capture("one", total=90_000))["runs"]
    terms = {term["term"]: term for term in found["terms"]}
    assert list(terms) == ["compute", "wait", "period", "total"]
    assert terms["total"]["measured"] == pytest.approx(50e-6 * found["clock_hz"])
    expected = (90_000 - terms["total"]["measured"]) / terms["total"]["measured"]
    assert terms["total"]["residual"] == pytest.approx(expected)
    assert terms["compute"]["predicted_from"] == "iter_step"
    assert found["kernels"] > 0
    assert found["plan"] is None


@pytest.mark.slow
def test_runs_of_one_problem_have_a_regret_in_any_order(settings, capture):
    slow = capture("slow", total=80_000, least=60, tile=(4, 4, 4))
    fast = capture("fast", total=90_000, least=50, tile=(8, 4, 4))
    found = answer(settings, slow, fast)["regret"]
    assert found == answer(settings, fast, slow)["regret"]
    (regret,) = found
    assert (regret["chosen"]["run_id"], regret["fastest"]["run_id"]) == (slow, fast)
    assert regret["regret"] == pytest.approx(0.2)


@pytest.mark.slow
def test_text_has_a_line_per_term(settings, capture):
    lines = run(
        "predict", capture("one", total=90_000), "--data", settings.data
    ).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["compute", "wait", "period", "total"]


@pytest.mark.slow
def test_nothing_predicted_is_an_error_in_one_line(settings, capture):
    result = run("predict", capture("none"), "--data", settings.data)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "slot_latency_breakdown.yaml" in result.stderr


def test_records_of_a_sweep_are_read_from_a_file(settings, tmp_path):
    path = tmp_path / "records.jsonl"
    record = {
        "operator": "gemm",
        "point": {"seq_len": 1},
        "candidate": {},
        "estimate": {"cycles": 1800},
        "measured_us": {"min": 2.0},
    }
    path.write_text(json.dumps(record) + "\n\n")
    (row,) = answer(settings, "--records", path)["latency"]
    assert (row["predicted_us"], row["residual"]) == (1.0, -0.5)


@pytest.mark.parametrize("line", ["{", "[]", '{"a": 1} x'])
def test_a_line_that_is_no_object_is_named(settings, tmp_path, line):
    path = tmp_path / "records.jsonl"
    path.write_text(f"{{}}\n{line}\n")
    result = run("predict", "--records", path, "--data", settings.data)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "line 2" in result.stderr


def test_runs_and_records_exclude_each_other(settings, tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text("{}\n")
    for args in ((), ("0123", "--records", path)):
        assert run("predict", *args, "--data", settings.data).exit_code == 1
