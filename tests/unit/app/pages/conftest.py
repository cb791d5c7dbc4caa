import pytest

from tests.support.aie_trace import trace_text

NAME = "outputs/npu2-gemm_64_64_64-2_row_1_col/traces/trace_mm_64_64_64.json"


@pytest.fixture
def run(signed_in):
    """The id of a run that edgar uploaded."""
    answer = signed_in("edgar").http.post(
        "/api/upload", query_string={"name": NAME}, data=trace_text().encode()
    )
    return answer.json["runs"][0]["run_id"]


@pytest.fixture
def catalogue(signed_in):
    return signed_in("edgar").repository.catalogue


@pytest.fixture
def context(signed_in):
    return signed_in("edgar").context
