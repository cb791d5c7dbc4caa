"""The command `sweep`."""

import json

import pytest

from ingest.files import ingest
from tests.support.command_line import run
from tests.support.gemm_trace import TILE, entries
from tests.support.paced_trace import array_cores, array_settings


@pytest.fixture
def args(settings, tmp_path):
    """Return a function that ingests captures with settings and returns arguments for the first."""

    def ingest_captures(*given):
        ids = []
        for rank, own in enumerate(given):
            path = tmp_path / f"{rank}.json"
            longer = dict.fromkeys(("2,1", "3,1", "2,2", "3,2"), 10 * rank)
            path.write_text(json.dumps(entries(*array_cores(longer=longer))))
            ids.append(ingest(settings.repository(), [path], own).runs[0].run_id)
        return ("sweep", ids[0], "--data", settings.data)

    return ingest_captures


@pytest.mark.slow
def test_a_size_is_a_row_with_its_efficiencies(args):
    command = args(array_settings(), array_settings() | {"N": str(TILE * 8)})
    found = json.loads(run(*command, "--over", "N", "--json").stdout)
    assert [row["size"] for row in found["sizes"]] == sorted([TILE * 4, TILE * 8])
    assert all(0 < row["system"] <= row["kernel"] for row in found["sizes"][:1])
    caption, first, second = run(*command, "--over", "N").stdout.splitlines()
    assert "2 sizes" in caption and first.startswith("N = ") and second.startswith("N = ")


def test_a_run_without_a_gemm_is_one_line_and_an_exit_code(args):
    result = run(*args({}))
    assert result.exit_code == 1 and len(result.stderr.splitlines()) == 1
