"""The counts of the page's sentence against its cells, of runs of which one cannot be searched."""

import re

import pytest

from app.pages.matrix.shown_rows import cells_sentence
from services.lab.matrix_page import matrix_of_rows, matrix_rows
from services.lab.matrix_table import REFUSED
from tests.support.access import problem
from tests.support.aie_trace import trace_text
from tests.support.sentences import COUNT, number_faults, plain

CAPTURE = "outputs/npu2-gemm_64_64_64-2_row_1_col/traces/trace_mm_64_64_64.json"


def check(statuses):
    """Compare the counts of a sentence with the statuses that it is about."""
    sentence = plain(cells_sentence(statuses))
    assert not number_faults(sentence)
    refused, left = statuses.count(REFUSED), statuses.count(None)
    can = len(statuses) - refused
    apart = re.search(rf"{COUNT} cells? of runs that cannot", sentence)
    assert (int(apart[1]) if apart else 0) == (refused if can else 0)
    if left:
        counts = re.match(rf"{COUNT} of {COUNT} cells? (?:is|are) not computed yet", sentence)
        assert [int(digits) for digits in counts.groups()] == [left, can]
    elif can:
        assert int(re.search(rf"was run: {COUNT} result", sentence)[1]) == can
    else:
        assert not re.search(r"\d", sentence)


@pytest.mark.parametrize("refused", [0, 1, 3])
@pytest.mark.parametrize(("left", "solved"), [(0, 0), (1, 1), (0, 1), (0, 2), (2, 1), (3, 0)])
def test_cells_are_counted_by_their_statuses(refused, left, solved):
    check([REFUSED] * refused + [None] * left + ["optimal"] * solved)


@pytest.mark.slow
def test_runs_without_a_map_are_not_counted_as_searched(signed_in):
    client = signed_in("edgar")
    uploads = (("p.81920.csv", problem(1)), (CAPTURE, trace_text().encode()))
    answers = [
        client.http.post("/api/upload", query_string={"name": name}, data=data).json
        for name, data in uploads
    ]
    runs = [answer["runs"][0]["run_id"] for answer in answers]
    lab = client.context.lab
    cells = matrix_of_rows(matrix_rows(lab, runs, "edgar", 0, 100), 0, 100)
    check([cell["status"] for cell in cells])
    address = "&".join(f"run={run}" for run in runs)
    statuses = [cell["status"] for cell in cells]
    assert cells_sentence(statuses) in plain(client.open("/matrix", f"?{address}&effort=100"))
