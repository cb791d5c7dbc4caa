"""Commands in an empty folder, and a trace in it with its run."""

import json

import pytest

from tests.support.aie_trace import write_capture_file
from tests.support.command_line import output_of

SIZES = ("m=32", "k=32", "n=32", "warmup=1", "iterations=2")


@pytest.fixture
def trace(tmp_path, elsewhere):
    return write_capture_file(tmp_path, setup="outputs/whole_array-gemm_64_64_64-2_row_1_col")


@pytest.fixture
def run_id(trace):
    sets = [x for pair in SIZES for x in ("--set", pair)]
    return json.loads(output_of("ingest", "outputs", "--json", *sets))["runs"][0]["run_id"]
