"""The command `advise`."""

import json

import pytest

from ingest.files import ingest
from tests.support.command_line import run
from tests.support.gemm_trace import entries
from tests.support.paced_trace import array_cores, array_settings


@pytest.fixture
def args(settings, tmp_path):
    """Return what ingests a capture with settings and gives the arguments of the command for its run."""

    def ingest_capture(given):
        path = tmp_path / "trace.json"
        path.write_text(json.dumps(entries(*array_cores())))
        return (
            "advise",
            ingest(settings.repository(), [path], given).runs[0].run_id,
            "--data",
            settings.data,
        )

    return ingest_capture


def test_measured_predicted_and_refused_sizes_are_printed(args):
    command = args(array_settings())
    found = json.loads(run(*command, "--json").stdout)
    assert set(found) == {"measured", "model", "predicted", "refused", "advice"}
    assert found["advice"] | {"measured": True} == found["advice"]
    first, second, *_ = run(*command).stdout.splitlines()
    assert "GMAC/s" in first and second.startswith("measured")


def test_a_run_without_a_gemm_is_one_line_and_an_exit_code(args):
    result = run(*args({}))
    assert result.exit_code == 1 and len(result.stderr.splitlines()) == 1
